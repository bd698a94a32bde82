import * as audit from '../audit/audit.ts';
import type { Sql, Tx } from '../db/database.ts';
import { OperatorError, validationError } from '../errors.ts';
import { initialValues, normalized, problemsIn, toRecord, withChanges } from '../fields/fields.ts';
import { newId } from '../ids/uuid.ts';
import { toTimestamp } from '../time/clock.ts';
import { HOST, type HostRecord, type NewHost } from './fields.ts';
import * as sql from './sql.ts';

export { SETTLEMENT_MODES, type HostRecord, type NewHost, type SettlementMode } from './fields.ts';

export async function add(
  tx: Tx,
  now: number,
  given: NewHost,
  ref: string | null = null,
): Promise<HostRecord> {
  const problems = problemsIn(HOST, given, given.currency.toUpperCase());
  if (problems.length > 0) throw validationError(problems);
  const id = newId();
  await refuseTakenEmail(tx, given.email, id);
  const initial = { ...initialValues(HOST), id, created_at: toTimestamp(now), ref };
  const host = withChanges(initial, normalized(HOST, given)) as HostRecord;
  await tx.run(sql.insertHost, sql.hostCells(host));
  return host;
}

/** The same for an operator, with its entry in the audit trail. */
export async function addForOperator(
  tx: Tx,
  now: number,
  actor: audit.Actor,
  given: NewHost,
  ref?: string,
): Promise<HostRecord> {
  const host = await add(tx, now, given, ref);
  const change = { hostId: host.id, environment: null, subject: host.id };
  await audit.record(tx, now, actor, { action: 'host.added', ...change });
  return host;
}

/** Of two commands that want one address at the same time, the lock makes the second see what the first did. */
export async function refuseTakenEmail(tx: Tx, email: string, hostId: string): Promise<void> {
  await tx.lock('host emails');
  const other = await tx.get(sql.selectHostByEmail, [email, hostId]);
  if (other !== undefined) throw new OperatorError(`another host has the email ${email}: ${other.id}`);
}

export async function list(db: Sql): Promise<HostRecord[]> {
  return (await db.all(sql.selectHosts)).map((row) => toRecord(HOST, row));
}

export async function get(db: Sql, hostId: string): Promise<HostRecord> {
  const row = await db.get(sql.selectHost, [hostId]);
  if (row === undefined) throw noSuchHost(hostId);
  return toRecord(HOST, row);
}

/** The record, locked until the transaction ends. */
export async function lock(tx: Tx, hostId: string): Promise<HostRecord> {
  const row = await tx.get(sql.lockHost, [hostId]);
  if (row === undefined) throw noSuchHost(hostId);
  return toRecord(HOST, row);
}

function noSuchHost(hostId: string): OperatorError {
  return new OperatorError(`there is no host ${hostId}`);
}

export async function noneYet(db: Sql): Promise<boolean> {
  return (await db.get(sql.selectAnyHost)) === undefined;
}

/** Ids of those whose keys and feeds are refused. */
export async function deactivated(db: Sql): Promise<Set<string>> {
  return new Set((await db.all(sql.selectDeactivated)).map(({ id }) => id));
}

export async function exists(db: Sql, hostId: string): Promise<boolean> {
  return (await db.get(sql.selectHost, [hostId])) !== undefined;
}
