import type { Caller } from '../caller.ts';
import * as audit from '../audit/audit.ts';
import * as books from '../books/books.ts';
import { refuseBroken, type Condition, type Sql, type Tx } from '../db/database.ts';
import { bookingConflict, cancellationBlocked, invalid } from '../errors.ts';
import * as events from '../events/events.ts';
import * as hours from '../hours/hours.ts';
import { rangeOf, whatKeepsFromCancelling } from './cancel.ts';
import { toBooking, type BookingRow } from './fields.ts';
import { keyIsTaken, lockGuest } from './rules.ts';
import type { Booking, BookingSource } from './schemas.ts';
import * as sql from './sql.ts';

/** What a moved booking says as the reason of its cancellation. */
const MOVED = 'Moved';

/** The booking that a move takes away, if it may be taken. The platform's operator waits for no notice. */
export async function findToMove(
  db: Sql,
  caller: Caller,
  bookingId: string,
  through: BookingSource,
  now: number,
): Promise<BookingRow> {
  const row = await db.get(sql.selectWithNotice, [caller.hostId, caller.environment, bookingId]);
  if (row === undefined) throw invalid('replaces', 'names no booking of yours');
  if (row.payment_status === 'confirmed')
    throw invalid('replaces', 'names a booking that is paid for: cancel it and make another one');
  const obstacle = whatKeepsFromCancelling(row, now, through);
  if (obstacle !== undefined) throw obstacle;
  return row;
}

/**
 * Cancels the old booking, writes the new one and hands its hours over. Locks are taken in this order: the old booking, the
 * idempotency key, the guest, the new hours. Cancelling, completing and paying lock the booking first too, so of
 * those who want one booking at once one wins, and the others then see what became of it.
 */
export async function writeMove(
  tx: Tx,
  caller: Caller,
  row: BookingRow,
  booking: Booking,
  rules: readonly Condition[],
  through: BookingSource,
): Promise<void> {
  const { hostId, environment, actor } = caller;
  const now = row.created_at;
  const old = await tx.get(sql.replaceBooking[through], [
    hostId,
    environment,
    row.replaces,
    MOVED,
    now,
    row.id,
  ]);
  if (old === undefined) {
    // It was free to move when it was looked at, and was not when its turn came.
    await findToMove(tx, caller, row.replaces!, through, now);
    throw cancellationBlocked('it has just been changed');
  }
  if (await books.isLate(tx, row, now)) row.is_late = 1;
  const [from, to] = [rangeOf(old), rangeOf(row)];
  const inserted = tx.run(sql.insertBooking, sql.bookingValues(row));
  const locked = lockGuest(tx, row);
  const moved = hours.move(tx, { range: from, bookingId: old.id }, { range: to, bookingId: row.id });
  const [isInserted, { freed, taken, clashing }] = await Promise.all([inserted, moved, locked]);
  if (isInserted === 0) throw keyIsTaken();
  await refuseBroken(tx, rules);
  if (clashing.length > 0) throw bookingConflict(clashing);
  const trail = (action: audit.Action, subject: string) =>
    audit.record(tx, now, actor, { action, hostId, environment, subject });
  await Promise.all([
    events.append(
      tx,
      now,
      caller,
      { type: 'booking.cancelled', data: { booking: toBooking(old) } },
      ...changeOf(from, freed, 'booking_cancelled'),
      { type: 'booking.created', data: { booking } },
      ...changeOf(to, taken, 'booking_created'),
    ),
    trail('booking.cancelled', old.id),
    trail('booking.created', row.id),
  ]);
}

function changeOf(
  range: hours.HourRange,
  changed: number[],
  cause: 'booking_created' | 'booking_cancelled',
): [] | [events.NewEvent] {
  return changed.length === 0 ? [] : [events.availabilityChanged(range, changed, cause)];
}
