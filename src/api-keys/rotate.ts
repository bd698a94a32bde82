import { ownerOf, type Actor } from '../caller.ts';
import * as audit from '../audit/audit.ts';
import type { Tx } from '../db/database.ts';
import { OperatorError } from '../errors.ts';
import { keyStatus } from '../ids/api-key.ts';
import { newId } from '../ids/uuid.ts';
import { timestampOrNull, toTimestamp } from '../time/clock.ts';
import { issue, type IssuedKey, type NewKey } from './api-keys.ts';
import type { Scope } from '../ids/scopes.ts';
import * as sql from './sql.ts';

/** What a key hands down to the one that takes its place. Refuses one that does not work any more, or was rotated before. */
export async function successorOf(tx: Tx, now: number, keyId: string): Promise<Omit<NewKey, 'id'>> {
  const row = await tx.get(sql.lockKey, [keyId]);
  if (row === undefined) throw new OperatorError(`there is no key ${keyId}`);
  if (row.replaced_by !== null)
    throw new OperatorError(`key ${keyId} was rotated before: key ${row.replaced_by} took its place`);
  const status = keyStatus(row, now);
  if (status !== 'active')
    throw new OperatorError(`key ${keyId} is ${status}: make a new one with key create`);
  return {
    ...ownerOf(row),
    name: row.name,
    scopes: row.scopes.split(' ') as Scope[],
    expires_at: timestampOrNull(row.expires_at),
  };
}

/** A new key in place of one that goes on for the grace. */
export async function rotate(
  tx: Tx,
  now: number,
  actor: Actor,
  keyId: string,
  graceMs: number,
): Promise<IssuedKey & { old: { id: string; revoked_at: string } }> {
  const wanted = await successorOf(tx, now, keyId);
  const id = newId();
  const { ref, endsAt } = await replace(tx, now, actor, keyId, id, graceMs);
  const issued = await issue(tx, now, actor, { ...wanted, id, ref });
  return { ...issued, old: { id: keyId, revoked_at: toTimestamp(endsAt) } };
}

/**
 * Ends a key after the grace, or when it would have ended anyway, and takes its name off it. It ends by `expires_at`, which every
 * process of any version looks at: nobody has to come back and revoke it.
 */
export async function replace(
  tx: Tx,
  now: number,
  actor: Actor,
  keyId: string,
  by: string,
  graceMs: number,
): Promise<{ ref: string | null; endsAt: number }> {
  const row = (await tx.get(sql.lockKey, [keyId]))!;
  const endsAt = Math.min(now + graceMs, row.expires_at ?? Infinity);
  await tx.run(sql.replaceKey, [keyId, endsAt, row.replaced_by ?? by]);
  const before = timestampOrNull(row.expires_at);
  const changes = audit.differences<object>(
    { expires_at: before, replaced_by: row.replaced_by },
    { expires_at: toTimestamp(endsAt), replaced_by: row.replaced_by ?? by },
  );
  await audit.record(tx, now, actor, { action: 'key.rotated', ...ownerOf(row), subject: keyId, changes });
  return { ref: row.ref, endsAt };
}
