import * as audit from '../audit/audit.ts';
import type { Context } from '../context.ts';
import { apiKeyRevoked, invalid, notFound } from '../errors.ts';
import { toRecord, type RecordOf } from '../fields/fields.ts';
import { keyStatus } from '../ids/api-key.ts';
import { timestampOrNull, toTimestamp } from '../time/clock.ts';
import { issue, type IssuedKey } from './api-keys.ts';
import type { Caller } from '../caller.ts';
import { OWN_KEY } from './fields.ts';
import { ALL_SCOPES, type Scope } from '../ids/scopes.ts';
import * as sql from './sql.ts';

// Keys that a host makes with a key: for an accountant or a program.

/** Keys of a host in one environment that are neither revoked nor expired, whoever made them. */
const MAX_KEYS = 50;

/** A key as its host sees it. */
export type OwnKey = RecordOf<typeof OWN_KEY>;

/** Newest first, without those that are revoked. */
export async function list(ctx: Context, { hostId, environment }: Caller): Promise<OwnKey[]> {
  const rows = await ctx.db.all(sql.selectOwnKeys, [hostId, environment, ctx.clock.now()]);
  return rows.map((row) => toRecord(OWN_KEY, row));
}

/** No key can do more, or lives longer, than the one that makes it. */
export async function make(
  ctx: Context,
  { hostId, environment, actor }: Caller,
  wanted: { name: string; scopes: readonly Scope[]; expires_at?: string | null },
): Promise<IssuedKey> {
  return ctx.db.transaction(async (tx) => {
    await tx.lock(`keys of ${hostId}`);
    const now = ctx.clock.now();
    const maker = (await tx.get(sql.selectMaker, [actor.id]))!;
    if (keyStatus(maker, now) !== 'active') throw apiKeyRevoked();
    const grantable = ALL_SCOPES.filter(
      (scope) => scope !== 'keys:write' && maker.scopes.split(' ').includes(scope),
    );
    const excess = wanted.scopes.filter((scope) => !grantable.includes(scope));
    if (excess.length > 0)
      throw invalid('scopes', `must not have ${excess.join(', ')}: this key cannot give it`);
    const { count } = (await tx.get(sql.countWorking, [hostId, environment, now]))!;
    if (count >= MAX_KEYS)
      throw invalid('keys', `are limited to ${MAX_KEYS} per environment; revoke one first`);
    return issue(tx, now, actor, {
      hostId,
      environment,
      name: wanted.name,
      scopes: grantable.filter((scope) => wanted.scopes.includes(scope)),
      expires_at: timestampOrNull(endOf(wanted.expires_at ?? null, maker.expires_at, now)),
    });
  });
}

function endOf(given: string | null, makerEndsAt: number | null, now: number): number | null {
  if (given === null) return makerEndsAt;
  const endsAt = Date.parse(given);
  if (endsAt <= now) throw invalid('expires_at', 'must lie in the future');
  if (makerEndsAt !== null && endsAt > makerEndsAt)
    throw invalid(
      'expires_at',
      `must not be after ${toTimestamp(makerEndsAt)}, when the key expires that makes it`,
    );
  return endsAt;
}

/** From the key's next request on. */
export async function revoke(ctx: Context, caller: Caller, keyId: string): Promise<void> {
  const { hostId, environment, actor } = caller;
  if (keyId === actor.id)
    throw invalid('id', 'must not be the key of this request; revoke it with another one');
  await ctx.db.transaction(async (tx) => {
    const now = ctx.clock.now();
    const revoked = await tx.run(sql.revokeOwnKey, [hostId, environment, keyId, now]);
    if (revoked === 0) throw notFound('no such key');
    await audit.record(tx, now, actor, { action: 'key.revoked', hostId, environment, subject: keyId });
  });
}
