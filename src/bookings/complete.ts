import * as audit from '../audit/audit.ts';
import type { Context } from '../context.ts';
import type { Tx } from '../db/database.ts';
import * as earnings from '../earnings/earnings.ts';
import * as events from '../events/events.ts';
import { toBooking } from './record.ts';
import * as sql from './sql.ts';

const COMPLETE_AT_ONCE = 200;
const BY_CLOCK = audit.byClock('complete-bookings');

/**
 * Completes bookings that have ended, each exactly once however many workers ask: the update repeats its condition
 * on the row it has locked. `more` is true when there may be further ones.
 */
export async function completeDue(ctx: Context): Promise<{ completed: number; more: boolean }> {
  const completed = await ctx.db.transaction(async (tx) => {
    const now = ctx.clock.now();
    const rows = await tx.all(sql.completeDue, [now, COMPLETE_AT_ONCE]);
    await announceCompleted(tx, now, BY_CLOCK, rows);
    return rows.length;
  });
  return { completed, more: completed === COMPLETE_AT_ONCE };
}

/** What goes with bookings that have just been completed: their earnings, their events and the audit trail. */
export async function announceCompleted(
  tx: Tx,
  now: number,
  actor: audit.Actor,
  rows: readonly sql.BookingRow[],
): Promise<void> {
  await Promise.all([
    earnings.addCompleted(tx, rows),
    ...rows.flatMap((row) => {
      const owner = { hostId: row.host_id, environment: row.environment };
      return [
        events.append(tx, now, owner, { type: 'booking.completed', data: { booking: toBooking(row) } }),
        audit.record(tx, now, actor, { action: 'booking.completed', ...owner, subject: row.id }),
      ];
    }),
  ]);
}
