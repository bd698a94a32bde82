import type { Context } from '../context.ts';
import type { Environment } from '../ids/api-key.ts';
import { toTimestamp } from '../time/clock.ts';
import { MINUTE_MS } from '../time/units.ts';
import type { Booking, SeenRow } from './fields.ts';
import { guestKey, sandboxGuest } from './guest.ts';

/**
 * Sets until when the guest has to pay, in the record of this row. Needed for every record of a booking that may be confirmed with a
 * pending payment: in all others it is null already.
 */
export function withPaymentDue<B extends Pick<Booking, 'payment_due_at'>>(
  ctx: Pick<Context, 'config' | 'clock'>,
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
