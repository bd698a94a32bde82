import type { Actor } from '../audit/audit.ts';
import * as bookings from '../bookings/bookings.ts';
import * as forOperators from '../bookings/for-operators.ts';
import type { Booking } from '../bookings/schemas.ts';
import type { Context } from '../context.ts';
import type { Tx } from '../db/database.ts';
import { OperatorError } from '../errors.ts';
import { isClosed } from '../settlement/for-operators.ts';

export interface Noted {
  booking: Booking;
  /** How the payment system names the payment, or the refund. */
  reference: string | null;
  /** True when it had been noted before. */
  repeated: boolean;
}

/**
 * The guest's money has reached the platform. A cancelled booking's payment is confirmed too: it may have crossed
 * the cancellation, and money that has to be given back must not be lost from sight.
 */
export async function confirm(
  ctx: Context,
  actor: Actor,
  bookingId: string,
  reference: string | null,
): Promise<Noted> {
  return ctx.db.transaction(async (tx) => {
    const now = ctx.clock.now();
    const booking = await bookings.confirmPayment(tx, now, actor, bookingId, reference);
    if (booking === undefined) return confirmedBefore(tx, now, actor, bookingId, reference);
    return { booking, reference, repeated: false };
  });
}

/** Confirming twice is fine, but not with another reference: that would be a second payment for one booking. */
async function confirmedBefore(
  tx: Tx,
  now: number,
  actor: Actor,
  bookingId: string,
  reference: string | null,
): Promise<Noted> {
  const payment = await bookings.findPayment(tx, now, actor, bookingId, reference);
  if (payment === undefined) throw new OperatorError(`there is no booking ${bookingId}`);
  if (payment.booking.payment_status === 'host_collected') {
    throw new OperatorError(
      `booking ${bookingId} is host_settled: its guest pays the host, so there is no payment to confirm`,
    );
  }
  if (reference !== null && reference !== payment.reference) {
    throw new OperatorError(
      `the payment of booking ${bookingId} is already confirmed, with the reference "${payment.reference}"`,
    );
  }
  return { ...payment, repeated: true };
}

/** The guest of a cancelled booking has the money back. The payment system gives it back; this only notes it. */
export async function refund(
  ctx: Context,
  actor: Actor,
  bookingId: string,
  reference: string | null,
): Promise<Noted> {
  return ctx.db.transaction(async (tx) => {
    const now = ctx.clock.now();
    const refunded = await bookings.refundPayment(tx, now, actor, bookingId, reference);
    if (refunded !== undefined) return { ...refunded, repeated: false };
    const before = await bookings.findRefund(tx, now, actor, bookingId, reference);
    if (before === undefined) throw new OperatorError(`there is no booking ${bookingId}`);
    refuseUnlessRefunded(before.booking);
    if (reference !== null && reference !== before.reference) {
      throw new OperatorError(
        `the payment of booking ${bookingId} is already refunded, with the reference "${before.reference}"`,
      );
    }
    return { ...before, repeated: true };
  });
}

function refuseUnlessRefunded({ id, status, payment_status }: Booking): void {
  if (payment_status === 'refunded') return;
  if (payment_status === 'host_collected') {
    throw new OperatorError(
      `booking ${id} is host_settled: its guest paid the host, who gives the money back`,
    );
  }
  if (payment_status === 'pending') {
    throw new OperatorError(
      `the payment of booking ${id} was never confirmed: there is nothing to give back`,
    );
  }
  throw new OperatorError(`booking ${id} is ${status}: only a cancelled booking's payment is refunded`);
}

/**
 * A payment was confirmed by mistake: it is pending again. Not once the booking is completed or refunded, nor when its month is
 * closed: what was settled stays.
 */
export async function makeVoid(
  ctx: Context,
  actor: Actor,
  bookingId: string,
  reason: string,
): Promise<Booking> {
  return ctx.db.transaction(async (tx) => {
    const now = ctx.clock.now();
    const row = await bookings.voidPayment(tx, now, actor, bookingId, reason);
    if (row === undefined) throw whyNotVoid(await forOperators.show(tx, bookingId));
    const month = row.date.slice(0, 'YYYY-MM'.length);
    if (await isClosed(tx, { hostId: row.host_id, environment: row.environment }, month, now)) {
      throw new OperatorError(
        `booking ${bookingId} is in ${month}, which is closed: its payment stays as it is`,
      );
    }
    return bookings.toBooking(row);
  });
}

function whyNotVoid({ id, status, payment_status }: Booking): OperatorError {
  if (payment_status === 'refunded')
    return new OperatorError(`the payment of booking ${id} is refunded: it stays as it is`);
  if (payment_status === 'confirmed')
    return new OperatorError(`booking ${id} is ${status}: its payment stays as it is`);
  return new OperatorError(
    payment_status === 'pending'
      ? `the payment of booking ${id} is not confirmed`
      : `booking ${id} is host_settled: there is no payment to the platform`,
  );
}
