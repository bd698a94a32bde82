import * as audit from '../audit/audit.ts';
import * as books from '../books/books.ts';
import type { Context } from '../context.ts';
import type { Tx } from '../db/database.ts';
import * as earnings from '../earnings/earnings.ts';
import * as events from '../events/events.ts';
import { changeDue } from './by-clock.ts';
import { toBooking, type BookingRow } from './fields.ts';
import * as sql from './sql.ts';

const BY_CLOCK = audit.byClock('complete-bookings');

/** Completes bookings that have ended. */
export async function completeDue(ctx: Context): Promise<{ changed: number; more: boolean }> {
  return changeDue(ctx, sql.selectEnded, [ctx.clock.now()], sql.complete, (tx, now, rows) =>
    finishCompleting(tx, now, BY_CLOCK, rows),
  );
}

/** What goes with bookings that have just been completed: their earnings, their events, the audit trail, and where they came late their adjustments. */
export async function finishCompleting(
  tx: Tx,
  now: number,
  actor: audit.Actor,
  rows: readonly BookingRow[],
): Promise<void> {
  await Promise.all([
    earnings.addCompleted(tx, rows),
    books.addLate(tx, now, rows),
    ...rows.flatMap((row) => {
      const owner = { hostId: row.host_id, environment: row.environment };
      return [
        events.append(
          tx,
          now,
          { ...owner, actor },
          { type: 'booking.completed', data: { booking: toBooking(row) } },
        ),
        audit.record(tx, now, actor, { action: 'booking.completed', ...owner, subject: row.id }),
      ];
    }),
  ]);
}
