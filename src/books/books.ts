import type { Owner } from '../api-keys/caller.ts';
import type { BookingRow } from '../bookings/fields.ts';
import type { Sql, Tx } from '../db/database.ts';
import { newId } from '../ids/uuid.ts';
import { sumsOf } from '../money/sums.ts';
import { monthAfter, monthAt, monthBefore, monthOf } from '../time/month.ts';
import { HOUR_MS, MINUTE_MS } from '../time/units.ts';
import * as sql from './sql.ts';

/** The months of a host's one environment. */
export interface Books {
  /** Where balances begin to be carried forward. */
  readonly first: string;
  /** This month and all before it are closed. Null: the host is older than its books, and the clock has closed nothing yet. */
  readonly closedThrough: string | null;
}

/**
 * Whoever records something that counts in one month or in another holds this lock, and so does the clock while it closes a month. A
 * booking's row is locked before it.
 */
export async function lock(tx: Tx, { hostId, environment }: Owner): Promise<void> {
  await tx.lock(`books ${hostId} ${environment}`);
}

export async function booksOf(db: Sql, owner: Owner, now: number): Promise<Books> {
  const key = [owner.hostId, owner.environment];
  const row = await db.get(sql.selectBooks, key);
  if (typeof row?.first_month === 'string')
    return { first: row.first_month, closedThrough: row.closed_through };
  if (row !== undefined) return { first: await firstOpenAt(db, owner, now), closedThrough: null };
  const [zones, dates] = await Promise.all([db.all(sql.selectZones, key), db.get(sql.selectFirstDates, key)]);
  const { timezone, created_at } = zones[0]!;
  const months = Object.values(dates!).map((date) => date && monthOf(date));
  const first = months.reduce<string>((a, b) => (b !== null && b < a ? b : a), monthAt(timezone, created_at));
  return { first, closedThrough: monthBefore(first) };
}

/** The first month that is not over in every timezone of the host's spaces. */
async function firstOpenAt(db: Sql, { hostId, environment }: Owner, now: number): Promise<string> {
  const zones = await db.all(sql.selectZones, [hostId, environment]);
  return zones.map((row) => monthAt(row.space_timezone ?? row.timezone, now)).toSorted()[0]!;
}

/** Where what is recorded now counts. */
export function openMonth({ first, closedThrough }: Books): string {
  const next = closedThrough === null ? first : monthAfter(closedThrough);
  return next < first ? first : next;
}

/** Whether a booking that is made now comes too late for its month. Takes the lock if it may. */
export async function isLate(tx: Tx, row: BookingRow, now: number): Promise<boolean> {
  if (row.source !== 'api' || !mayBeClosed(monthOf(row.date), now)) return false;
  await lock(tx, ownerOf(row));
  return isClosed(tx, ownerOf(row), monthOf(row.date));
}

/** The first timezone is 14 hours ahead of UTC. Clocks of two machines may differ by a minute. */
export function mayBeClosed(month: string, now: number): boolean {
  return month < monthOf(new Date(now + 14 * HOUR_MS + MINUTE_MS).toISOString());
}

/** The last timezone is 12 hours behind UTC. */
export function isOverEverywhere(month: string, now: number): boolean {
  return month < monthOf(new Date(now - 12 * HOUR_MS - MINUTE_MS).toISOString());
}

/** Whether the clock has closed this month. */
async function isClosed(db: Sql, { hostId, environment }: Owner, month: string): Promise<boolean> {
  const row = await db.get(sql.selectBooks, [hostId, environment]);
  return month <= (row?.closed_through ?? '');
}

/** The payment of a booking as a report shows it. */
export type PaymentState = Pick<BookingRow, 'payment_status' | 'paid_at' | 'refunded_at'>;

/**
 * How the payment stands in the booking's month, if that is closed: what is recorded now is an adjustment then. For the lock's holder.
 */
export async function stateAsClosed(tx: Tx, row: BookingRow): Promise<PaymentState | undefined> {
  if (row.source !== 'api' || row.is_late === 1) return undefined;
  if (!(await isClosed(tx, ownerOf(row), monthOf(row.date)))) return undefined;
  const { payment_status, paid_at, refunded_at } = row;
  return { payment_status, paid_at, refunded_at };
}

/**
 * Writes an adjustment where one is due for what has just been recorded about this booking: it is of a closed month, or it was made
 * late and is completed. For the lock's holder.
 */
export async function adjust(
  tx: Tx,
  now: number,
  kind: sql.AdjustmentRow['kind'],
  row: BookingRow,
): Promise<void> {
  const owner = ownerOf(row);
  const month = monthOf(row.date);
  const isDue = row.is_late === 1 ? row.status === 'completed' : await isClosed(tx, owner, month);
  if (row.source !== 'api' || !isDue) return;
  const { payout_due, commission_due } = amountsOf(kind, row);
  await tx.run(sql.insertAdjustment, [
    owner.hostId,
    owner.environment,
    openMonth(await booksOf(tx, owner, now)),
    newId(),
    kind,
    row.id,
    month,
    now,
    payout_due,
    commission_due,
  ]);
}

/** A cancelled booking is worth nothing to either side. */
function amountsOf(
  kind: sql.AdjustmentRow['kind'],
  row: BookingRow,
): Pick<sql.AdjustmentRow, 'payout_due' | 'commission_due'> {
  const { gross, commission } = sumsOf(row);
  const isLateBooking = kind === 'late_booking';
  if (row.status === 'cancelled') return { payout_due: 0, commission_due: 0 };
  if (isLateBooking && row.settlement_mode === 'host_settled')
    return { payout_due: 0, commission_due: commission };
  if (isLateBooking && row.payment_status !== 'confirmed') return { payout_due: 0, commission_due: 0 };
  const net = gross - commission;
  return { payout_due: kind === 'payment_voided' ? -net : net, commission_due: 0 };
}

/** Counts late bookings that have just been completed. */
export async function addLate(tx: Tx, now: number, rows: readonly BookingRow[]): Promise<void> {
  for (const row of rows) {
    if (row.is_late === 0) continue;
    await lock(tx, ownerOf(row));
    await adjust(tx, now, 'late_booking', row);
  }
}

export function ownerOf({ host_id: hostId, environment }: BookingRow): Owner {
  return { hostId, environment };
}

/** What is recorded of a closed month. */
export async function closingOf(
  db: Sql,
  { hostId, environment }: Owner,
  month: string,
): Promise<sql.ClosingRow | undefined> {
  return db.get(sql.selectClosing, [hostId, environment, month]);
}

/** The last month from the first on and before another whose balance is carried forward. */
export async function closedBefore(
  db: Sql,
  { hostId, environment }: Owner,
  first: string,
  before: string,
): Promise<{ month: string; closing_balance: number | null } | undefined> {
  return db.get(sql.selectCarried, [hostId, environment, first, before]);
}

/** Adjustments and payouts of some months, with their sums in minor units. */
export async function entriesOf(db: Sql, { hostId, environment }: Owner, from: string, to: string) {
  const key = [hostId, environment, from, to];
  const [adjustments, payouts] = await Promise.all([
    db.all(sql.selectAdjustments, key),
    db.all(sql.selectPayouts, key),
  ]);
  return {
    adjustments,
    payouts,
    adjusted: adjustments.reduce((sum, row) => sum + row.payout_due - row.commission_due, 0),
    paidOut: payouts.reduce((sum, { amount }) => sum + amount, 0),
  };
}
