import type { Sql, Tx } from '../db/database.ts';
import { OperatorError } from '../errors.ts';
import { newId } from '../ids/uuid.ts';
import { millionthsToRate } from '../money/commission.ts';
import { toMajor } from '../money/currency.ts';
import { toTimestamp } from '../time/clock.ts';
import * as sql from './sql.ts';

export const SETTLEMENT_MODES = ['host_settled', 'platform_settled'] as const;
export type SettlementMode = (typeof SETTLEMENT_MODES)[number];

export interface NewHost {
  name: string;
  email: string;
  timezone: string;
  currency: string;
  commissionMillionths: number;
  settlementModes: readonly SettlementMode[];
  /** Minor units; null leaves it to the operator's setting. */
  maxBookingValue: number | null;
  /** The operator's own name for it, in files that apply reads. */
  ref?: string;
}

export async function add(tx: Tx, now: number, host: NewHost): Promise<string> {
  const id = newId();
  await refuseTakenEmail(tx, host.email, id);
  await tx.run(sql.insertHost, [
    id,
    host.name,
    host.email,
    host.timezone,
    host.currency,
    host.commissionMillionths,
    host.settlementModes.join(' '),
    host.maxBookingValue,
    now,
    host.ref ?? null,
  ]);
  return id;
}

/** Of two commands that want one address at the same time, the lock makes the second see what the first did. */
export async function refuseTakenEmail(tx: Tx, email: string, hostId: string): Promise<void> {
  await tx.lock('host emails');
  const other = await tx.get(sql.selectHostByEmail, [email, hostId]);
  if (other !== undefined) throw new OperatorError(`another host has the email ${email}: ${other.id}`);
}

export interface HostRecord {
  id: string;
  name: string;
  email: string;
  timezone: string;
  currency: string;
  commission_rate: number;
  settlement_modes: string[];
  max_booking_value: number | null;
  created_at: string;
  /** Since when its keys and feeds are refused; null while it is active. */
  deactivated_at: string | null;
}

export async function list(db: Sql): Promise<HostRecord[]> {
  return (await db.all(sql.selectHosts)).map(toRecord);
}

/** With the operator's own name, where a host has one; the oldest first. */
export async function named(db: Sql): Promise<(HostRecord & { ref: string | null })[]> {
  return (await db.all(sql.selectHosts)).map((row) => ({ ...toRecord(row), ref: row.ref })).toReversed();
}

export async function show(db: Sql, hostId: string): Promise<HostRecord> {
  return toRecord(await get(db, hostId));
}

export function toRecord(row: sql.HostRow): HostRecord {
  return {
    id: row.id,
    name: row.name,
    email: row.email,
    timezone: row.timezone,
    currency: row.currency,
    commission_rate: millionthsToRate(row.commission_millionths),
    settlement_modes: row.settlement_modes.split(' '),
    max_booking_value: row.max_booking_value === null ? null : toMajor(row.max_booking_value, row.currency),
    created_at: toTimestamp(row.created_at),
    deactivated_at: row.deactivated_at === null ? null : toTimestamp(row.deactivated_at),
  };
}

export async function get(db: Sql, hostId: string): Promise<sql.HostRow> {
  const row = await db.get(sql.selectHost, [hostId]);
  if (row === undefined) throw noSuchHost(hostId);
  return row;
}

export function noSuchHost(hostId: string): OperatorError {
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
