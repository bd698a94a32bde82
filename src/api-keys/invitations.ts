import { ownerOf, type Actor } from '../caller.ts';
import * as audit from '../audit/audit.ts';
import { baseUrl, type Config } from '../config.ts';
import type { Context } from '../context.ts';
import type { Tx } from '../db/database.ts';
import {
  invitationExpired,
  invitationUsed,
  invitationWithdrawn,
  notFound,
  OperatorError,
} from '../errors.ts';
import { hashToken, newToken } from '../ids/token.ts';
import { newId } from '../ids/uuid.ts';
import { timestampOrNull, toTimestamp } from '../time/clock.ts';
import { DAY_MS } from '../time/units.ts';
import { issue, revoke, type IssuedKey, type NewKey } from './api-keys.ts';
import { replace } from './rotate.ts';
import type { Scope } from '../ids/scopes.ts';
import * as sql from './sql.ts';

/** How long a link can be used, unless told. */
export const LINK_MS = 7 * DAY_MS;

export interface NewInvitation extends Omit<NewKey, 'id'> {
  /** How long the link can be used. */
  linkMs: number;
  /** The key that the new one takes the place of, and for how long it goes on. */
  replaces?: { readonly id: string; readonly graceMs: number };
}

export interface Invitation {
  /** Also that of the key, once it is made. */
  id: string;
  /** Whoever opens it makes the key. It cannot be shown again: the database keeps the hash of its token. */
  url: string;
  expires_at: string;
}

/** Without the console nobody could open a link. */
export function refuseWithoutConsole(config: Config): void {
  if (!config.console)
    throw new OperatorError('CONSOLE=off: invitations are links to the console; use key create instead');
}

/** A link from which the host makes the key, so that nobody else ever sees it. */
export async function invite(
  tx: Tx,
  now: number,
  actor: Actor,
  config: Config,
  wanted: NewInvitation,
): Promise<Invitation> {
  refuseWithoutConsole(config);
  const { hostId, environment, name, scopes, expires_at, replaces, ref } = wanted;
  const expiresAt = typeof expires_at === 'string' ? Date.parse(expires_at) : null;
  const id = newId();
  const token = newToken();
  // A key that would be over when it is made is of no use.
  const ends = Math.min(now + wanted.linkMs, expiresAt ?? Infinity);
  await tx.run(sql.insertInvitation, [
    id,
    hostId,
    environment,
    name,
    scopes.join(' '),
    hashToken(token),
    expiresAt,
    replaces?.id ?? null,
    replaces?.graceMs ?? null,
    now,
    ends,
    ref ?? null,
  ]);
  await audit.record(tx, now, actor, { action: 'invitation.created', hostId, environment, subject: id });
  // In the fragment, which browsers send to nobody: it is in no log.
  return { id, url: `${baseUrl(config)}/console/welcome#${token}`, expires_at: toTimestamp(ends) };
}

/** Makes the key of an invitation, once. */
export async function claim(ctx: Context, token: string, requestId: string): Promise<IssuedKey> {
  const tokenHash = hashToken(token);
  return ctx.db.transaction(async (tx) => {
    const now = ctx.clock.now();
    const row = await tx.get(sql.claimInvitation, [tokenHash, now]);
    if (row === undefined) throw await whyNot(tx, tokenHash);
    const { id, host_id: hostId, environment, name, replaces } = row;
    // Whoever has the link acts as the key that is being made.
    const actor = { type: 'key', id, requestId } as const;
    const replaced =
      replaces === null ? undefined : await replace(tx, now, actor, replaces, id, row.grace_ms!);
    const scopes = row.scopes.split(' ') as Scope[];
    const expires_at = timestampOrNull(row.key_expires_at);
    const ref = replaced?.ref ?? row.ref;
    return issue(tx, now, actor, { id, hostId, environment, name, scopes, expires_at, ref });
  });
}

async function whyNot(tx: Tx, tokenHash: string): Promise<Error> {
  const found = await tx.get(sql.selectInvitation, [tokenHash]);
  if (found === undefined) return notFound('no such invitation');
  if (found.claimed_at !== null) return invitationUsed();
  return found.withdrawn_at === null ? invitationExpired() : invitationWithdrawn();
}

/** Refuses a key from its next request on, or withdraws the invitation to make it. Twice is fine. */
export async function revokeOrWithdraw(
  tx: Tx,
  now: number,
  actor: Actor,
  id: string,
  reason?: string,
): Promise<'revoked' | 'withdrawn'> {
  // First the invitation: whoever claims it at this moment is waited for, and then the key is there.
  const withdrawn = await tx.get(sql.withdrawInvitation, [id, now]);
  const row = withdrawn ?? (await revoke(tx, now, id));
  if (row === undefined) {
    const before = await tx.get(sql.selectEnded, [id]);
    if (before === undefined) throw new OperatorError(`there is no key ${id}`);
    return before.ended;
  }
  const action = withdrawn === undefined ? 'key.revoked' : 'invitation.withdrawn';
  await audit.record(tx, now, actor, { action, ...ownerOf(row), subject: id, reason });
  return withdrawn === undefined ? 'revoked' : 'withdrawn';
}
