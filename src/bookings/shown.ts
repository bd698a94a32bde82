import type { Context } from '../context.ts';
import type { Environment } from '../ids/api-key.ts';
import { toTimestamp } from '../time/clock.ts';
import { MINUTE_MS } from '../time/units.ts';
import {
  toBooking,
  toOperatorBooking,
  type Booking,
  type BookingRow,
  type OperatorBooking,
  type SeenRow,
} from './fields.ts';
import { guestKey, sandboxGuest } from './guest.ts';

type Now = Pick<Context, 'config' | 'clock'>;

/** A booking of any status as callers see it now. */
export function shown(ctx: Now, environment: Environment, row: SeenRow): Booking {
  return withPaymentDue(ctx, environment, row, toBooking(row));
}

export function shownToOperator(ctx: Now, row: BookingRow): OperatorBooking {
  return withPaymentDue(ctx, row.environment, row, toOperatorBooking(row));
}

/** Sets until when the guest has to pay. In all records but those of a confirmed booking with a pending payment it is null already. */
function withPaymentDue<B extends Pick<Booking, 'payment_due_at'>>(
  ctx: Now,
  environment: Environment,
  row: SeenRow,
  booking: B,
): B {
  const { unpaidCancelMinutes: minutes } = ctx.config;
  const isAwaited = row.status === 'confirmed' && row.payment_status === 'pending';
  if (minutes === 0 || !isAwaited || row.payment_voided_at !== null) return booking;
  if (row.starts_at <= ctx.clock.now()) return booking;
  // Production has no such guest, so that its lists compare no addresses.
  if (environment === 'sandbox') {
    const guest = { environment, guest_key: guestKey(row.guest_email) };
    if (sandboxGuest(guest) === 'keep') return booking;
  }
  // In place: a copy of each record would make lists slower.
  const record: { payment_due_at: string | null } = booking;
  record.payment_due_at = toTimestamp(row.created_at + minutes * MINUTE_MS);
  return booking;
}
