import type { Tx } from '../db/database.ts';
import * as events from '../events/events.ts';
import { toBooking } from './record.ts';
import type { Booking } from './schemas.ts';
import * as sql from './sql.ts';

/** Confirms a pending payment and emits the event. Undefined: it is not pending, or there is no such booking. */
export async function confirmPayment(
  tx: Tx,
  now: number,
  bookingId: string,
  reference: string | null,
): Promise<Booking | undefined> {
  const row = await tx.get(sql.confirmPayment, [bookingId, reference, now]);
  if (row === undefined) return undefined;
  const booking = toBooking(row);
  const owner = { hostId: row.host_id, environment: row.environment };
  await events.append(tx, now, owner, { type: 'payment.confirmed', data: { booking } });
  return booking;
}

/** Reads a payment. A given reference is stored if the payment has none yet. */
export async function findPayment(
  tx: Tx,
  bookingId: string,
  reference: string | null,
): Promise<{ booking: Booking; reference: string | null } | undefined> {
  if (reference !== null) await tx.run(sql.keepPaymentReference, [bookingId, reference]);
  const row = await tx.get(sql.selectPayment, [bookingId]);
  return row === undefined ? undefined : { booking: toBooking(row), reference: row.payment_reference };
}
