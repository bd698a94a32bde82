import * as audit from '../audit/audit.ts';
import type { Context } from '../context.ts';
import type { Environment } from '../ids/api-key.ts';
import { toTimestamp } from '../time/clock.ts';
import { MINUTE_MS } from '../time/units.ts';
import { changeDue } from './by-clock.ts';
import { finishCancelling } from './cancel.ts';
import type { Booking, SeenRow } from './fields.ts';
import { guestKey } from './guest-key.ts';
import { sandboxGuest } from './sandbox-guests.ts';
import * as sql from './sql.ts';

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
  if (
    environment === 'sandbox' &&
    sandboxGuest({ environment, guest_key: guestKey(row.guest_email) }) === 'keep'
  )
    return booking;
  // In place: a copy of each record would make lists slower.
  const record: { payment_due_at: string | null } = booking;
  record.payment_due_at = toTimestamp(row.created_at + minutes * MINUTE_MS);
  return booking;
}

const BY_CLOCK = audit.byClock('cancel-unpaid-bookings');

/** Cancels bookings that were not paid in time and have not begun. The condition of the update lets a payment win or lose as a whole. */
export async function cancelUnpaid(ctx: Context): Promise<{ changed: number; more: boolean }> {
  return changeDue(ctx, sql.selectUnpaid, overdueAt(ctx), sql.cancelUnpaid, (tx, now, rows) =>
    Promise.all(rows.map((row) => finishCancelling(tx, now, BY_CLOCK, row))),
  );
}

/** For the start: after a downtime, or with a setting that is new or shorter, many bookings may be cancelled at once. */
export async function logOverdue(ctx: Context): Promise<void> {
  const { unpaidCancelMinutes } = ctx.config;
  if (unpaidCancelMinutes === 0) return;
  const [found] = await ctx.db.all(sql.countUnpaid, overdueAt(ctx));
  if (found!.count === 0) return;
  ctx.log.warn(
    { overdue: found!.count, unpaid_cancel_minutes: unpaidCancelMinutes },
    'bookings were not paid in time: the worker cancels them now (UNPAID_CANCEL_MINUTES)',
  );
}

/** The time, and when those were made that should be paid by now. */
function overdueAt({ clock, config }: Context): [now: number, madeBy: number] {
  const now = clock.now();
  return [now, now - config.unpaidCancelMinutes * MINUTE_MS];
}
