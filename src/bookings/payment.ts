import * as audit from '../audit/audit.ts';
import type { Tx, Write } from '../db/database.ts';
import * as events from '../events/events.ts';
import { toBooking, type BookingRow } from './fields.ts';
import type { Booking } from './schemas.ts';
import * as sql from './sql.ts';

interface Payment {
  booking: Booking;
  /** How the payment system names the payment, or its way back. */
  reference: string | null;
}

/** Confirms a pending payment and emits the event. Undefined: it is not pending, or there is no such booking. */
export async function confirmPayment(
  tx: Tx,
  now: number,
  actor: audit.Actor,
  bookingId: string,
  reference: string | null,
): Promise<Booking | undefined> {
  const row = await tx.get(sql.confirmPayment, [bookingId, reference, now]);
  if (row === undefined) return undefined;
  const booking = toBooking(row);
  const owner = { hostId: row.host_id, environment: row.environment };
  await Promise.all([
    events.append(tx, now, { ...owner, actor }, { type: 'payment.confirmed', data: { booking } }),
    audit.record(tx, now, actor, { action: 'payment.confirmed', ...owner, subject: row.id }),
  ]);
  return booking;
}

/**
 * Makes a confirmed payment pending again, and tells no event. Undefined: it is not confirmed, or its booking is completed, or
 * there is none.
 */
export async function voidPayment(
  tx: Tx,
  now: number,
  actor: audit.Actor,
  bookingId: string,
  reason: string,
): Promise<BookingRow | undefined> {
  const before = await tx.get(sql.selectAnyBooking, [bookingId]);
  const row = await tx.get(sql.voidPayment, [bookingId, now]);
  if (before === undefined || row === undefined) return undefined;
  const { host_id: hostId, environment, id: subject } = row;
  const changes = audit.differences(paymentOf(before), paymentOf(row));
  await audit.record(tx, now, actor, {
    action: 'payment.voided',
    hostId,
    environment,
    subject,
    reason,
    changes,
  });
  return row;
}

function paymentOf(row: BookingRow) {
  const { payment_status, paid_at } = toBooking(row);
  return { payment_status, paid_at };
}

/** Reads a payment, or its refund. A given reference is stored if it has none yet. */
export const findPayment = finderOf('payment_reference', sql.keepPaymentReference);
export const findRefund = finderOf('refund_reference', sql.keepRefundReference);

function finderOf(field: 'payment_reference' | 'refund_reference', keepReference: Write<never>) {
  return async (
    tx: Tx,
    now: number,
    actor: audit.Actor,
    bookingId: string,
    reference: string | null,
  ): Promise<Payment | undefined> => {
    const kept = reference === null ? 0 : await tx.run(keepReference, [bookingId, reference]);
    const row = await tx.get(sql.selectAnyBooking, [bookingId]);
    if (row === undefined) return undefined;
    if (kept > 0) await note(tx, now, actor, 'payment.updated', row, { [field]: audit.CHANGED });
    return { booking: toBooking(row), reference: row[field] };
  };
}

/** Notes that a guest has the money back. Undefined: the booking is not cancelled and paid, or there is no such one. */
export async function refundPayment(
  tx: Tx,
  now: number,
  actor: audit.Actor,
  bookingId: string,
  reference: string | null,
): Promise<Payment | undefined> {
  const row = await tx.get(sql.refundPayment, [bookingId, reference, now]);
  if (row === undefined) return undefined;
  await note(tx, now, actor, 'payment.refunded', row);
  return { booking: toBooking(row), reference };
}

async function note(
  tx: Tx,
  now: number,
  actor: audit.Actor,
  action: 'payment.updated' | 'payment.refunded',
  { host_id: hostId, environment, id: subject }: BookingRow,
  changes?: audit.Changes,
): Promise<void> {
  await audit.record(tx, now, actor, { action, hostId, environment, subject, ...(changes && { changes }) });
}
