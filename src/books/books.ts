import { ownerOf, type Owner } from '../caller.ts';
import type { BookingRow } from '../bookings/fields.ts';
import type { Sql, Tx } from '../db/database.ts';
import { newId } from '../ids/uuid.ts';
import { sumsOf } from '../money/sums.ts';
import { monthAfter, monthAt, monthBefore, monthOf } from '../time/month.ts';
import { HOUR_MS, MINUTE_MS } from '../time/units.ts';
import * as sql from './sql.ts';

export type { BooksRow } from './sql.ts';

/** The months of a host's one environment. */
export interface Books {
  /** Where balances begin to be carried forward. */
  readonly first: string;
  /** This month and all before it are closed. Null: the host is older than its books, and the clock has closed nothing yet. */
  readonly closedThrough: string | null;
  /** False: the first month is what it would be now. */
  readonly isRecorded: boolean;
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
    return { first: row.first_month, closedThrough: row.closed_through, isRecorded: true };
  if (row !== undefined) {
    // Older than its books: the first month that is not over in every timezone.
    const months = (await zonesOf(db, owner)).map((zone) => monthAt(zone, now));
    return { first: months.toSorted()[0]!, closedThrough: null, isRecorded: false };
  }
  const { timezone, created_at } = (await db.all(sql.selectZones, key))[0]!;
  const dates = (await db.all(sql.selectFirstDates, key)).flatMap(({ date }) => date ?? []);
  const first = [monthAt(timezone, created_at), ...dates.map(monthOf)].toSorted()[0]!;
  return { first, closedThrough: monthBefore(first), isRecorded: false };
}

/** The timezones in which the host has spaces; its own where it has none. */
export async function zonesOf(db: Sql, { hostId, environment }: Owner): Promise<string[]> {
  const zones = await db.all(sql.selectZones, [hostId, environment]);
  return zones.map((zone) => zone.space_timezone ?? zone.timezone);
}

/** Where what is recorded now counts. */
export function openMonth({ first, closedThrough }: Pick<Books, 'first' | 'closedThrough'>): string {
  const next = closedThrough === null ? first : monthAfter(closedThrough);
  return next < first ? first : next;
}

/** Whether a booking that is made now comes too late for its month. Takes the lock if the month may be closed meanwhile. */
export async function isLate(tx: Tx, row: BookingRow, now: number): Promise<boolean> {
  if (row.is_late === 1) return true;
  if (row.source !== 'api' || !mayBeClosed(monthOf(row.date), now)) return false;
  await lock(tx, ownerOf(row));
  return (await openMonthAfter(tx, row)) !== undefined;
}

/** The first timezone is 14 hours ahead of UTC. Clocks of two machines may differ by a minute. */
export function mayBeClosed(month: string, now: number): boolean {
  return month < monthOf(new Date(now + 14 * HOUR_MS + MINUTE_MS).toISOString());
}

/** The last timezone is 12 hours behind UTC. */
export function isOverEverywhere(month: string, now: number): boolean {
  return month < monthOf(new Date(now - 12 * HOUR_MS - MINUTE_MS).toISOString());
}

/** The first open month, if the clock has closed that of the booking. */
async function openMonthAfter(db: Sql, row: BookingRow): Promise<string | undefined> {
  const books = await db.get(sql.selectBooks, [row.host_id, row.environment]);
  const closedThrough = books?.closed_through ?? '';
  if (monthOf(row.date) > closedThrough) return undefined;
  return openMonth({ first: books!.first_month!, closedThrough });
}

/**
 * The month in which something that is recorded now about this booking is an adjustment. Undefined: it counts in the booking's own
 * month, which is open, or in none. For the lock's holder.
 */
export async function adjustedIn(tx: Tx, row: BookingRow): Promise<string | undefined> {
  const isNowhere = row.source !== 'api' || (row.is_late === 1 && row.status !== 'completed');
  return isNowhere ? undefined : openMonthAfter(tx, row);
}

/** The payment of a booking as a report shows it. */
export type PaymentState = Pick<BookingRow, 'payment_status' | 'paid_at' | 'refunded_at'>;

/** Writes an adjustment for what has just been recorded about this booking. */
export async function adjust(
  tx: Tx,
  now: number,
  month: string,
  kind: sql.AdjustmentRow['kind'],
  row: BookingRow,
): Promise<void> {
  const { payout_due, commission_due } = amountsOf(kind, row);
  await tx.run(sql.insertAdjustment, [
    row.host_id,
    row.environment,
    month,
    newId(),
    kind,
    row.id,
    monthOf(row.date),
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
    const month = await adjustedIn(tx, row);
    if (month !== undefined) await adjust(tx, now, month, 'late_booking', row);
  }
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
