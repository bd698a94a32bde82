import { ownerOf, type Actor } from '../caller.ts';
import * as audit from '../audit/audit.ts';
import * as books from '../books/books.ts';
import type { Context } from '../context.ts';
import type { Read, SqlValue, Tx, Write } from '../db/database.ts';
import * as earnings from '../earnings/earnings.ts';
import * as events from '../events/events.ts';
import { MINUTE_MS } from '../time/units.ts';
import { finishCancelling } from './cancel.ts';
import { toBooking, type BookingRow } from './fields.ts';
import * as sql from './sql.ts';

const COMPLETES = audit.byClock('complete-bookings');
const CANCELS_UNPAID = audit.byClock('cancel-unpaid-bookings');

/** Completes bookings that have ended. */
export async function completeDue(ctx: Context): Promise<{ changed: number; more: boolean }> {
  return changeDue(ctx, sql.selectEnded, [ctx.clock.now()], sql.complete, (tx, now, rows) =>
    finishCompleting(tx, now, COMPLETES, rows),
  );
}

/** Completes a booking whatever its hours, unless it is confirmed no longer. */
export async function completeNow(
  tx: Tx,
  now: number,
  actor: Actor,
  { host_id, id }: Pick<BookingRow, 'host_id' | 'id'>,
): Promise<void> {
  await finishCompleting(tx, now, actor, await tx.all(sql.complete, [host_id, id, now]));
}

/** What goes with bookings that have just been completed: their earnings, their events, the audit trail, and where they came late their adjustments. */
async function finishCompleting(
  tx: Tx,
  now: number,
  actor: Actor,
  rows: readonly BookingRow[],
): Promise<void> {
  await Promise.all([
    earnings.addCompleted(tx, rows),
    books.addLate(tx, now, rows),
    ...rows.flatMap((row) => {
      const owner = ownerOf(row);
      const told = { type: 'booking.completed', data: { booking: toBooking(row) } } as const;
      return [
        events.append(tx, now, { ...owner, actor }, told),
        audit.record(tx, now, actor, { action: 'booking.completed', ...owner, subject: row.id }),
      ];
    }),
  ]);
}

/** Cancels bookings that were not paid in time and have not begun. The condition of the update lets a payment win or lose as a whole. */
export async function cancelUnpaid(ctx: Context): Promise<{ changed: number; more: boolean }> {
  return changeDue(ctx, sql.selectUnpaid, overdueAt(ctx), sql.cancelUnpaid, (tx, now, rows) =>
    Promise.all(rows.map((row) => finishCancelling(tx, now, CANCELS_UNPAID, row))),
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

const MAX_PER_TRANSACTION = 200;

/**
 * Changes bookings that are due, each exactly once however many workers do so side by side: a worker passes over those that another one
 * has locked. `more` is true when there may be further ones.
 * @param look finds them; its last value is how many at most.
 * @param change changes one by host, id and the time, if it is still due.
 * @param finish does what goes with those that have just been changed.
 */
async function changeDue(
  ctx: Context,
  look: Read<Pick<BookingRow, 'host_id' | 'id'>>,
  values: readonly SqlValue[],
  change: Write<BookingRow>,
  finish: (tx: Tx, now: number, rows: readonly BookingRow[]) => Promise<unknown>,
): Promise<{ changed: number; more: boolean }> {
  const due = await ctx.db.all(look, [...values, MAX_PER_TRANSACTION]);
  if (due.length === 0) return { changed: 0, more: false };
  const changed = await ctx.db.transaction(async (tx) => {
    const now = ctx.clock.now();
    const statements = due.map(({ host_id, id }) => tx.all(change, [host_id, id, now]));
    const rows = (await Promise.all(statements)).flat();
    await finish(tx, now, rows);
    return rows.length;
  });
  return { changed, more: changed > 0 && due.length === MAX_PER_TRANSACTION };
}
