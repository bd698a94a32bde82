import { toBooking } from '../bookings/bookings.ts';
import type { Booking } from '../bookings/schemas.ts';
import type { Context } from '../context.ts';
import type { Tx } from '../db/database.ts';
import { OperatorError } from '../errors.ts';
import * as events from '../events/events.ts';
import * as sql from './sql.ts';

export interface Confirmation {
  booking: Booking;
  /** How the payment system names the payment. */
  reference: string | null;
  /** It had been confirmed before; nothing happened now. */
  repeated: boolean;
}

/**
 * The guest's money has reached the platform. A cancelled booking's payment is confirmed too: it may have crossed
 * the cancellation, and money that has to be given back must not be lost from sight.
 */
export async function confirm(
  ctx: Context,
  bookingId: string,
  reference: string | null,
): Promise<Confirmation> {
  return ctx.db.transaction(async (tx) => {
    const now = ctx.clock.now();
    const row = await tx.get(sql.confirmPayment, [bookingId, reference, now]);
    if (row === undefined) return confirmedBefore(tx, bookingId, reference);
    const booking = toBooking(row);
    const owner = { hostId: row.host_id, environment: row.environment };
    await events.append(tx, now, owner, { type: 'payment.confirmed', data: { booking } });
    return { booking, reference, repeated: false };
  });
}

/** Asking again is fine. Another reference is not: that would be a second payment for one booking. */
async function confirmedBefore(tx: Tx, bookingId: string, reference: string | null): Promise<Confirmation> {
  if (reference !== null) await tx.run(sql.keepReference, [bookingId, reference]);
  const row = await tx.get(sql.selectPayment, [bookingId]);
  if (row === undefined) throw new OperatorError(`there is no booking ${bookingId}`);
  if (row.payment_status === 'host_collected') {
    throw new OperatorError(
      `booking ${bookingId} is host_settled: its guest pays the host, so there is no payment to confirm`,
    );
  }
  if (reference !== null && reference !== row.payment_reference) {
    throw new OperatorError(
      `the payment of booking ${bookingId} is already confirmed, with the reference "${row.payment_reference}"`,
    );
  }
  return { booking: toBooking(row), reference: row.payment_reference, repeated: true };
}
