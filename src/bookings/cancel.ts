import { ownerOf, type Actor, type Caller } from '../caller.ts';
import * as audit from '../audit/audit.ts';
import type { Context } from '../context.ts';
import type { Tx } from '../db/database.ts';
import { cancellationBlocked, notFound } from '../errors.ts';
import * as events from '../events/events.ts';
import * as hours from '../hours/hours.ts';
import { HOUR_MS } from '../time/units.ts';
import { toBooking, type BookingRow } from './fields.ts';
import { sandboxGuest } from './guest.ts';
import type { Booking, BookingSource } from './schemas.ts';
import * as sql from './sql.ts';

/** The operator is held to no notice, and may cancel a booking that has begun. */
export async function cancel(
  ctx: Context,
  caller: Caller,
  bookingId: string,
  reason: string,
  through: BookingSource = 'api',
): Promise<Booking> {
  return ctx.db.transaction(async (tx) => {
    const now = ctx.clock.now();
    const key = [caller.hostId, caller.environment, bookingId];
    const row = await tx.get(sql.cancelBooking[through], [...key, reason, now]);
    if (row === undefined) throw await whyNotCancelled(tx, key, now, through);
    if (through === 'api' && sandboxGuest(row) === 'keep') throw keptByGuest();
    return finishCancelling(tx, now, caller.actor, row);
  });
}

/** Its hours. A cancelled booking no longer holds them. */
export function rangeOf(row: BookingRow): hours.HourRange {
  return {
    hostId: row.host_id,
    spaceId: row.space_id,
    date: row.date,
    startHour: row.start_hour,
    endHour: row.end_hour,
  };
}

/** What goes with a booking that has just been cancelled: its hours are free, and its host and the audit trail are told. */
export async function finishCancelling(tx: Tx, now: number, actor: Actor, row: BookingRow): Promise<Booking> {
  const booking = toBooking(row);
  const range = rangeOf(row);
  const owner = ownerOf(row);
  await Promise.all([
    hours.release(tx, range, row.id),
    events.append(
      tx,
      now,
      { ...owner, actor },
      { type: 'booking.cancelled', data: { booking } },
      events.availabilityChanged(range, hours.hoursOf(range), 'booking_cancelled'),
    ),
    audit.record(tx, now, actor, { action: 'booking.cancelled', ...owner, subject: row.id }),
  ]);
  return booking;
}

async function whyNotCancelled(tx: Tx, key: string[], now: number, through: BookingSource): Promise<Error> {
  const row = await tx.get(sql.selectWithNotice, key);
  if (row === undefined) return noSuchBooking();
  return whatKeepsFromCancelling(row, now, through) ?? cancellationBlocked('it has just been changed');
}

/** Undefined: nothing does. */
export function whatKeepsFromCancelling(
  row: BookingRow & { cancellation_notice_hours: number },
  now: number,
  through: BookingSource,
): Error | undefined {
  const { status, replaced_by, starts_at: startsAt, cancellation_notice_hours: notice } = row;
  if (status !== 'confirmed')
    return cancellationBlocked(replaced_by === null ? `it is already ${status}` : 'it is already moved');
  if (through === 'platform')
    return row.ends_at <= now ? cancellationBlocked('it has already ended') : undefined;
  if (startsAt <= now) return cancellationBlocked('it has already begun');
  if (startsAt - now < notice * HOUR_MS) return cancellationBlocked(`it needs ${notice} hours of notice`);
  return sandboxGuest(row) === 'keep' ? keptByGuest() : undefined;
}

function keptByGuest(): Error {
  return cancellationBlocked('guests at keep@sandbox.test keep their bookings');
}

export function noSuchBooking(): Error {
  return notFound('no such booking');
}
