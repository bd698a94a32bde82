import type { Actor } from '../caller.ts';
import * as audit from '../audit/audit.ts';
import type { Sql, Tx } from '../db/database.ts';
import { OperatorError, validationError } from '../errors.ts';
import { initialValues, normalized, problemsIn, toRecord, withChanges } from '../fields/fields.ts';
import { newId, parseId } from '../ids/uuid.ts';
import { nearest } from '../nearest.ts';
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
  actor: Actor,
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

/** Newest first; with `search` only those that have it in their name, email or ref, in any case. */
export async function list(db: Sql, search = ''): Promise<HostRecord[]> {
  const wanted = search.toLowerCase();
  const all = (await db.all(sql.selectHosts)).map((row) => toRecord(HOST, row));
  return all.filter(({ name, email, ref }) =>
    [name, email, ref ?? ''].some((text) => text.toLowerCase().includes(wanted)),
  );
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

export async function save(
  tx: Tx,
  now: number,
  actor: Actor,
  host: HostRecord,
  what: Pick<audit.Change, 'action' | 'changes' | 'reason'>,
): Promise<void> {
  const change = { ...what, hostId: host.id, environment: null, subject: host.id };
  await Promise.all([tx.run(sql.updateHost, sql.hostCells(host)), audit.record(tx, now, actor, change)]);
}

function noSuchHost(name: string, meant?: string): OperatorError {
  return new OperatorError(
    `there is no host ${name}${meant === undefined ? '' : `; did you mean ${meant}?`}`,
  );
}

/** The id of the host that an operator names by its id, its ref or its email, in this order. */
export async function idOf(db: Sql, name: string): Promise<string> {
  const id = await findId(db, name);
  if (id !== undefined) return id;
  const known = (await list(db)).flatMap((host) =>
    [host.ref, host.email, host.name, host.id].flatMap((spelt) => (spelt === null ? [] : { spelt, host })),
  );
  const meant = nearest(
    name,
    known.map(({ spelt }) => spelt),
  );
  const found = known.find(({ spelt }) => spelt === meant)?.host;
  throw noSuchHost(name, found && `${found.ref ?? found.email} (${found.name})`);
}

/** The same, or undefined. */
export async function findId(db: Sql, name: string): Promise<string | undefined> {
  const [first, second] = await db.all(sql.selectNamedHost, [parseId(name) ?? null, name]);
  if (second !== undefined && second.rank === first!.rank)
    throw new OperatorError(
      `several hosts have the email ${name}: ${first!.id}, ${second.id}; name one by its id`,
    );
  return first?.id;
}

/** Each row with the name of its host beside its id. */
export async function withNames<R extends { readonly host_id: string | null }>(
  db: Sql,
  rows: readonly R[],
): Promise<(R & { host_name: string | null })[]> {
  const names = new Map((await db.all(sql.selectHostNames)).map(({ id, name }) => [id, name]));
  return rows.map((row) => ({ ...row, host_name: names.get(row.host_id ?? '') ?? null }));
}

export async function noneYet(db: Sql): Promise<boolean> {
  return (await db.get(sql.selectAnyHost)) === undefined;
}

export async function exists(db: Sql, hostId: string): Promise<boolean> {
  return (await db.get(sql.selectHost, [hostId])) !== undefined;
}
