import { ownerOf, type Actor, type Owned } from '../caller.ts';
import * as audit from '../audit/audit.ts';
import type { Sql, Tx } from '../db/database.ts';
import { OperatorError } from '../errors.ts';
import { hashApiKey, keyStatus, newApiKey, type Environment } from '../ids/api-key.ts';
import { newId } from '../ids/uuid.ts';
import { initialValues, toRecord, withChanges, type Row } from '../fields/fields.ts';
import { toTimestamp } from '../time/clock.ts';
import { KEY, type GivenKey, type KeyRecord, type KeyRow } from './fields.ts';
import type { Scope } from '../ids/scopes.ts';
import * as sql from './sql.ts';

export interface NewKey extends Omit<GivenKey, 'scopes'> {
  /** Where it is known before: that of an invitation. */
  readonly id?: string;
  readonly hostId: string;
  readonly environment: Environment;
  readonly scopes: readonly Scope[];
  /** The operator's own name for it, in files that apply reads. */
  readonly ref?: string | null;
}

/** A key as it is handed over: the only time that it can be read. */
export interface IssuedKey extends Pick<
  KeyRecord,
  'id' | 'host_id' | 'environment' | 'name' | 'scopes' | 'expires_at'
> {
  key: string;
}

/** Makes a key. It cannot be read again: the database keeps only its hash. */
export async function create(tx: Tx, now: number, wanted: NewKey): Promise<IssuedKey> {
  const { id = newId(), hostId, environment, ref = null, ...given } = wanted;
  const key = newApiKey(environment);
  const place = { id, host_id: hostId, environment, ref, created_at: toTimestamp(now) };
  const shown = `${key.slice(0, 'hk_live_'.length)}…${key.slice(-4)}`;
  const record = { ...withChanges(initialValues(KEY), given), ...place, key: shown };
  await tx.run(sql.insertKey, [hashApiKey(key), ...sql.keyCells(record)]);
  const { name, scopes, expires_at = null } = given;
  return { id, key, host_id: hostId, environment, name, scopes: [...scopes], expires_at };
}

/** The same, with its entry in the audit trail. */
export async function issue(tx: Tx, now: number, actor: Actor, wanted: NewKey): Promise<IssuedKey> {
  const { hostId, environment } = wanted;
  const issued = await create(tx, now, wanted);
  await audit.record(tx, now, actor, { action: 'key.created', hostId, environment, subject: issued.id });
  return issued;
}

/** Whose key it was. Undefined where it was revoked before, and then that time is kept, or never was. */
export async function revoke(tx: Tx, now: number, keyId: string): Promise<Owned | undefined> {
  return tx.get(sql.revokeKey, [keyId, now]);
}

/** Newest first, open invitations too. */
export async function list(db: Sql, now: number, hostId: string | null = null): Promise<KeyRecord[]> {
  const keys = await db.all(sql.selectKeys, [hostId]);
  const open = await db.all(sql.selectOpen, [hostId, now]);
  const all = [
    ...keys.map((row) => withStatus(row, now)),
    ...open.map((row) => ({ ...row, status: 'invited' })),
  ];
  return all.map((row) => toRecord(KEY, row)).toSorted((a, b) => (a.id < b.id ? 1 : -1));
}

/** One that was rotated ends by expires_at (rotate.ts), and that is its revocation. */
function withStatus(row: KeyRow, now: number): Row {
  const status = keyStatus(row, now);
  const isReplaced = status === 'expired' && row.replaced_by !== null;
  return isReplaced ? { ...row, status: 'revoked', revoked_at: row.expires_at } : { ...row, status };
}

/** Another name, or another end. What it may do cannot change: whoever holds it was told. */
export async function change(
  tx: Tx,
  now: number,
  actor: Actor,
  before: KeyRecord,
  wanted: Pick<GivenKey, 'name' | 'expires_at'>,
): Promise<audit.Changes> {
  const isInvited = before.status === 'invited';
  const statement = isInvited ? sql.updateInvitation : sql.updateKey;
  const after = withChanges(before, wanted);
  const expiresAt = after.expires_at === null ? null : Date.parse(after.expires_at);
  const row = await tx.get(statement, [before.id, after.name, expiresAt]);
  if (row === undefined) throw new OperatorError(`there is no key ${before.id}`);
  const changes = audit.differences(before, after);
  const action = isInvited ? 'invitation.updated' : 'key.updated';
  await audit.record(tx, now, actor, { action, ...ownerOf(row), subject: before.id, changes });
  return changes;
}
