import * as audit from '../audit/audit.ts';
import type { Tx } from '../db/database.ts';
import * as events from '../events/events.ts';
import { toBooking } from './record.ts';
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
    events.append(tx, now, owner, { type: 'payment.confirmed', data: { booking } }),
    audit.record(tx, now, actor, { action: 'payment.confirmed', ...owner, subject: row.id }),
  ]);
  return booking;
}

/** Reads a payment. A given reference is stored if the payment has none yet. */
export async function findPayment(
  tx: Tx,
  now: number,
  actor: audit.Actor,
  bookingId: string,
  reference: string | null,
): Promise<Payment | undefined> {
  const kept = reference === null ? 0 : await tx.run(sql.keepPaymentReference, [bookingId, reference]);
  const row = await tx.get(sql.selectPayment, [bookingId]);
  if (row === undefined) return undefined;
  if (kept > 0) await note(tx, now, actor, 'payment.updated', row);
  return { booking: toBooking(row), reference: row.payment_reference };
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

/** Reads a refund. A given reference is stored if the refund has none yet. */
export async function findRefund(
  tx: Tx,
  now: number,
  actor: audit.Actor,
  bookingId: string,
  reference: string | null,
): Promise<Payment | undefined> {
  const kept = reference === null ? 0 : await tx.run(sql.keepRefundReference, [bookingId, reference]);
  const row = await tx.get(sql.selectPayment, [bookingId]);
  if (row === undefined) return undefined;
  if (kept > 0) await note(tx, now, actor, 'payment.updated', row);
  return { booking: toBooking(row), reference: row.refund_reference };
}

async function note(
  tx: Tx,
  now: number,
  actor: audit.Actor,
  action: 'payment.updated' | 'payment.refunded',
  { host_id: hostId, environment, id: subject }: sql.BookingRow,
): Promise<void> {
  await audit.record(tx, now, actor, { action, hostId, environment, subject });
}
