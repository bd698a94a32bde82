import * as audit from '../audit/audit.ts';
import { toBooking, type Booking, type BookingRow } from '../bookings/fields.ts';
import type { Context } from '../context.ts';
import type { Tx } from '../db/database.ts';
import { OperatorError } from '../errors.ts';
import * as events from '../events/events.ts';
import { isClosed } from '../settlement/for-operators.ts';
import * as sql from './sql.ts';

export interface Recorded {
  booking: Booking;
  /** How the payment system names the payment, or the refund. */
  reference: string | null;
  /** True when it had been recorded before. */
  repeated: boolean;
}

/**
 * The guest's money has reached the platform. A cancelled booking's payment is confirmed too: it may have crossed
 * the cancellation, and money that has to be given back must not be lost from sight.
 */
export async function confirm(
  ctx: Context,
  actor: audit.Actor,
  bookingId: string,
  reference: string | null,
): Promise<Recorded> {
  return ctx.db.transaction(async (tx) => {
    const now = ctx.clock.now();
    const booking = await confirmPending(tx, now, actor, bookingId, reference);
    if (booking !== undefined) return { booking, reference, repeated: false };
    const kept = reference === null ? 0 : await tx.run(sql.keepPaymentReference, [bookingId, reference]);
    const row = await getBooking(tx, bookingId);
    if (row.payment_status === 'host_collected') {
      throw new OperatorError(
        `booking ${bookingId} is host_settled: its guest pays the host, so there is no payment to confirm`,
      );
    }
    return recordedBefore(tx, now, actor, row, 'payment_reference', reference, kept > 0);
  });
}

/** Confirms a pending payment and emits the event. Undefined: it is not pending, or there is no such booking. */
export async function confirmPending(
  tx: Tx,
  now: number,
  actor: audit.Actor,
  bookingId: string,
  reference: string | null,
): Promise<Booking | undefined> {
  const row = await tx.get(sql.confirmPayment, [bookingId, reference, now]);
  if (row === undefined) return undefined;
  const booking = toBooking(row);
  const event = { type: 'payment.confirmed', data: { booking } } as const;
  await Promise.all([
    events.append(tx, now, { hostId: row.host_id, environment: row.environment, actor }, event),
    record(tx, now, actor, row, { action: 'payment.confirmed' }),
  ]);
  return booking;
}

/** The guest of a cancelled booking has the money back. The payment system gives it back; this only records it. */
export async function refund(
  ctx: Context,
  actor: audit.Actor,
  bookingId: string,
  reference: string | null,
): Promise<Recorded> {
  return ctx.db.transaction(async (tx) => {
    const now = ctx.clock.now();
    const refunded = await tx.get(sql.refundPayment, [bookingId, reference, now]);
    if (refunded !== undefined) {
      await record(tx, now, actor, refunded, { action: 'payment.refunded' });
      return { booking: toBooking(refunded), reference, repeated: false };
    }
    const kept = reference === null ? 0 : await tx.run(sql.keepRefundReference, [bookingId, reference]);
    const row = await getBooking(tx, bookingId);
    if (row.payment_status !== 'refunded') throw whyNotRefunded(row);
    return recordedBefore(tx, now, actor, row, 'refund_reference', reference, kept > 0);
  });
}

function whyNotRefunded({ id, status, payment_status }: BookingRow): OperatorError {
  if (payment_status === 'host_collected')
    return new OperatorError(
      `booking ${id} is host_settled: its guest paid the host, who gives the money back`,
    );
  if (payment_status === 'pending')
    return new OperatorError(
      `the payment of booking ${id} was never confirmed: there is nothing to give back`,
    );
  return new OperatorError(`booking ${id} is ${status}: only a cancelled booking's payment is refunded`);
}

/** Recording it twice is fine, but not with another reference: that would be a second payment, or refund, of one booking. */
async function recordedBefore(
  tx: Tx,
  now: number,
  actor: audit.Actor,
  row: BookingRow,
  field: 'payment_reference' | 'refund_reference',
  reference: string | null,
  isKept: boolean,
): Promise<Recorded> {
  if (reference !== null && reference !== row[field]) {
    const done = field === 'payment_reference' ? 'confirmed' : 'refunded';
    throw new OperatorError(
      `the payment of booking ${row.id} is already ${done}, with the reference "${row[field]}"`,
    );
  }
  if (isKept)
    await record(tx, now, actor, row, { action: 'payment.updated', changes: { [field]: audit.CHANGED } });
  return { booking: toBooking(row), reference: row[field], repeated: true };
}

/**
 * A payment was confirmed by mistake: it is pending again, and no event tells of it. Not once the booking is completed or refunded, nor
 * when its month is closed: what was settled stays.
 */
export async function makeVoid(
  ctx: Context,
  actor: audit.Actor,
  bookingId: string,
  reason: string,
): Promise<Booking> {
  return ctx.db.transaction(async (tx) => {
    const now = ctx.clock.now();
    const before = await getBooking(tx, bookingId);
    const row = await tx.get(sql.voidPayment, [bookingId, now]);
    if (row === undefined) throw whyNotVoid(await getBooking(tx, bookingId));
    const month = row.date.slice(0, 'YYYY-MM'.length);
    if (await isClosed(tx, { hostId: row.host_id, environment: row.environment }, month, now)) {
      throw new OperatorError(
        `booking ${bookingId} is in ${month}, which is closed: its payment stays as it is`,
      );
    }
    const changes = audit.differences(paymentOf(before), paymentOf(row));
    await record(tx, now, actor, row, { action: 'payment.voided', reason, changes });
    return toBooking(row);
  });
}

function paymentOf(row: BookingRow) {
  const { payment_status, paid_at } = toBooking(row);
  return { payment_status, paid_at };
}

function whyNotVoid({ id, status, payment_status }: BookingRow): OperatorError {
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

async function getBooking(tx: Tx, bookingId: string): Promise<BookingRow> {
  const row = await tx.get(sql.selectBooking, [bookingId]);
  if (row === undefined) throw new OperatorError(`there is no booking ${bookingId}`);
  return row;
}

async function record(
  tx: Tx,
  now: number,
  actor: audit.Actor,
  { host_id: hostId, environment, id: subject }: BookingRow,
  what: Pick<audit.Change, 'action' | 'reason' | 'changes'>,
): Promise<void> {
  await audit.record(tx, now, actor, { ...what, hostId, environment, subject });
}
