import * as audit from '../audit/audit.ts';
import type { Context } from '../context.ts';
import type { Tx } from '../db/database.ts';
import * as earnings from '../earnings/earnings.ts';
import * as events from '../events/events.ts';
import { shuffled } from '../shuffled.ts';
import { toBooking, type BookingRow } from './fields.ts';
import * as sql from './sql.ts';

/** Ids are cheap to read: the fewer looks, the less often they read over what was completed just before. */
const LOOK_AT_ONCE = 2000;
/** In one transaction. */
const COMPLETE_AT_ONCE = 200;
const BY_CLOCK = audit.byClock('complete-bookings');

/**
 * Completes bookings that have ended, each exactly once however many workers do so side by side: a worker passes over
 * those that another one has locked. `more` is true when there may be further ones.
 */
export async function completeDue(ctx: Context): Promise<{ completed: number; more: boolean }> {
  const ended = await ctx.db.all(sql.selectEnded, [ctx.clock.now(), LOOK_AT_ONCE]);
  let completed = 0;
  for (const part of shuffled(partsOf(ended))) {
    completed += await ctx.db.transaction(async (tx) => {
      const now = ctx.clock.now();
      const statements = part.map(({ host_id, id }) => tx.all(sql.completeEnded, [host_id, id, now]));
      const rows = (await Promise.all(statements)).flat();
      await finishCompleting(tx, now, BY_CLOCK, rows);
      return rows.length;
    });
  }
  return { completed, more: completed > 0 && ended.length === LOOK_AT_ONCE };
}

/** Those of a host stay together, so that few transactions write the sums of one space. */
function partsOf<Ended extends Pick<BookingRow, 'host_id'>>(ended: readonly Ended[]): Ended[][] {
  const sorted = ended.toSorted((a, b) => (a.host_id < b.host_id ? -1 : 1));
  const parts = Math.ceil(sorted.length / COMPLETE_AT_ONCE);
  return Array.from({ length: parts }, (_, i) =>
    sorted.slice(i * COMPLETE_AT_ONCE, (i + 1) * COMPLETE_AT_ONCE),
  );
}

/** What goes with bookings that have just been completed: their earnings, their events and the audit trail. */
export async function finishCompleting(
  tx: Tx,
  now: number,
  actor: audit.Actor,
  rows: readonly BookingRow[],
): Promise<void> {
  await Promise.all([
    earnings.addCompleted(tx, rows),
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
