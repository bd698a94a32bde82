import * as audit from '../audit/audit.ts';
import type { Context } from '../context.ts';
import type { Admission } from '../rate-limit/rate-limit.ts';
import type { Sql, Tx } from '../db/database.ts';
import { OperatorError } from '../errors.ts';
import { hashApiKey, keyStatus, newApiKey, type Environment } from '../ids/api-key.ts';
import { newId } from '../ids/uuid.ts';
import { toTimestamp } from '../time/clock.ts';
import type { Scope } from './scopes.ts';
import * as sql from './sql.ts';

export interface NewKey {
  /** Where it is known before: that of an invitation. */
  id?: string;
  hostId: string;
  environment: Environment;
  name: string;
  scopes: readonly Scope[];
  expiresAt: number | null;
  /** The operator's own name for it, in files that apply reads. */
  ref?: string;
}

/** Returns the key itself, which cannot be read again: the database keeps only its hash. */
export async function create(tx: Tx, now: number, wanted: NewKey): Promise<{ id: string; key: string }> {
  const id = wanted.id ?? newId();
  const key = newApiKey(wanted.environment);
  await tx.run(sql.insertKey, [
    id,
    wanted.hostId,
    wanted.environment,
    wanted.name,
    hashApiKey(key),
    key.slice(0, 'hk_live_'.length),
    key.slice(-4),
    wanted.scopes.join(' '),
    now,
    wanted.expiresAt,
    wanted.ref ?? null,
  ]);
  return { id, key };
}

/** A key as it is handed over: the only time that it can be read. */
export interface IssuedKey {
  id: string;
  key: string;
  host_id: string;
  environment: Environment;
  name: string;
  scopes: readonly Scope[];
  expires_at: string | null;
}

/** Makes a key, with its entry in the audit trail. */
export async function issue(tx: Tx, now: number, actor: audit.Actor, wanted: NewKey): Promise<IssuedKey> {
  const { hostId, environment, name, scopes, expiresAt } = wanted;
  const { id, key } = await create(tx, now, wanted);
  await audit.record(tx, now, actor, { action: 'key.created', hostId, environment, subject: id });
  return { id, key, host_id: hostId, environment, name, scopes, expires_at: optionalTimestamp(expiresAt) };
}

/** Whose key it was. Revoking twice is fine: the time of the first one is kept, and the second answers undefined. */
export async function revoke(
  tx: Tx,
  now: number,
  keyId: string,
): Promise<{ hostId: string; environment: Environment } | undefined> {
  const row = await tx.get(sql.revokeKey, [keyId, now]);
  if (row !== undefined) return { hostId: row.host_id, environment: row.environment };
  if ((await tx.get(sql.selectKey, [keyId])) === undefined)
    throw new OperatorError(`there is no key ${keyId}`);
  return undefined;
}

export interface KeyRecord {
  id: string;
  host_id: string;
  host_name: string;
  environment: string;
  name: string;
  /** What can be shown of it: `hk_live_…ab12`. Null: the host has not made it yet. */
  key: string | null;
  scopes: string[];
  /** `invited`: an open invitation, of which the key will be made. */
  status: ReturnType<typeof keyStatus> | 'invited';
  created_at: string;
  last_used_at: string | null;
  expires_at: string | null;
  revoked_at: string | null;
  /** The key that was made in its place. */
  replaced_by: string | null;
  /** Until when the host can make it. Null for a key that is made. */
  invitation_expires_at: string | null;
}

/** Open invitations too. */
export async function list(ctx: Context, hostId: string | null = null): Promise<KeyRecord[]> {
  const rows = await listNamed(ctx.db, ctx.clock.now(), hostId);
  return rows.map(({ ref: _ref, ...record }) => record);
}

/** With the operator's own name, where a key has one; the oldest first. */
export async function named(db: Sql, now: number): Promise<NamedKey[]> {
  return (await listNamed(db, now, null)).toReversed();
}

export type NamedKey = KeyRecord & { ref: string | null };

async function listNamed(db: Sql, now: number, hostId: string | null): Promise<NamedKey[]> {
  const keys = await db.all(sql.selectKeys, [hostId]);
  const open = await db.all(sql.selectOpen, [hostId, now]);
  const all = [
    ...keys.map((row) => ({ ...toRecord(row, now), ref: row.ref })),
    ...open.map((row) => ({ ...toInvited(row), ref: row.ref })),
  ];
  return all.toSorted((a, b) => (a.id < b.id ? 1 : -1));
}

/** Another name, or another end. What it may do cannot change: whoever holds it was told. */
export async function change(
  tx: Tx,
  now: number,
  actor: audit.Actor,
  before: KeyRecord,
  wanted: { name: string; expiresAt: number | null },
): Promise<audit.Changes> {
  const isInvited = before.status === 'invited';
  const statement = isInvited ? sql.updateInvitation : sql.updateKey;
  const row = await tx.get(statement, [before.id, wanted.name, wanted.expiresAt]);
  if (row === undefined) throw new OperatorError(`there is no key ${before.id}`);
  const { name, expires_at } = before;
  const after = { name: wanted.name, expires_at: optionalTimestamp(wanted.expiresAt) };
  const changes = audit.differences({ name, expires_at }, after);
  const owner = { hostId: row.host_id, environment: row.environment };
  const action = isInvited ? 'invitation.updated' : 'key.updated';
  await audit.record(tx, now, actor, { action, ...owner, subject: before.id, changes });
  return changes;
}

function toRecord(row: sql.KeyRow, now: number): KeyRecord {
  const status = keyStatus(row, now);
  // One that was rotated ends by expires_at (rotate.ts), and that is its revocation.
  const isReplaced = status === 'expired' && row.replaced_by !== null;
  return {
    id: row.id,
    host_id: row.host_id,
    host_name: row.host_name,
    environment: row.environment,
    name: row.name,
    key: `${row.prefix}…${row.last4}`,
    scopes: row.scopes.split(' '),
    status: isReplaced ? 'revoked' : status,
    created_at: toTimestamp(row.created_at),
    last_used_at: optionalTimestamp(row.last_used_at),
    expires_at: optionalTimestamp(row.expires_at),
    revoked_at: optionalTimestamp(isReplaced ? row.expires_at : row.revoked_at),
    replaced_by: row.replaced_by,
    invitation_expires_at: null,
  };
}

function toInvited(row: sql.OpenRow): KeyRecord {
  return {
    id: row.id,
    host_id: row.host_id,
    host_name: row.host_name,
    environment: row.environment,
    name: row.name,
    key: null,
    scopes: row.scopes.split(' '),
    status: 'invited',
    created_at: toTimestamp(row.created_at),
    last_used_at: null,
    expires_at: optionalTimestamp(row.key_expires_at),
    revoked_at: null,
    replaced_by: null,
    invitation_expires_at: toTimestamp(row.expires_at),
  };
}

const TOUCH_EVERY_MS = 60_000;

/**
 * Keeps last_used_at at most a minute behind. The request does not wait for it; if the write fails, the next
 * request writes it.
 */
export function noteUse(ctx: Context, key: Admission): void {
  if (key.lastUsedAt !== null && key.at - key.lastUsedAt < TOUCH_EVERY_MS) return;
  if (touching.has(key.keyId)) return;
  touching.add(key.keyId);
  ctx.db
    .transaction((tx) => tx.run(sql.touchKey, [key.keyId, key.at]))
    .catch((error: unknown) => ctx.log.debug({ err: error }, 'last_used_at not updated'))
    .finally(() => touching.delete(key.keyId));
}

/** Keys whose last_used_at is being written, so that a burst of requests writes once. */
const touching = new Set<string>();

function optionalTimestamp(epochMs: number | null): string | null {
  return epochMs === null ? null : toTimestamp(epochMs);
}
