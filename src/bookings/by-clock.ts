import type { Context } from '../context.ts';
import type { Read, SqlValue, Tx, Write } from '../db/database.ts';
import { shuffled } from '../shuffled.ts';
import type { BookingRow } from './fields.ts';

/** Ids are cheap to read: the fewer looks, the less often they read over what was changed just before. */
const LOOK_AT_ONCE = 2000;
/** In one transaction. */
const CHANGE_AT_ONCE = 200;

type Due = Pick<BookingRow, 'host_id' | 'id'>;

/**
 * Changes bookings that are due, each exactly once however many workers do so side by side: a worker passes over those that another one
 * has locked. `more` is true when there may be further ones.
 * @param look finds them; its last value is how many at most.
 * @param change changes one by host, id and the time, if it is still due.
 * @param finish does what goes with those that have just been changed.
 */
export async function changeDue(
  ctx: Context,
  look: Read<Due>,
  values: readonly SqlValue[],
  change: Write<BookingRow>,
  finish: (tx: Tx, now: number, rows: readonly BookingRow[]) => Promise<unknown>,
): Promise<{ changed: number; more: boolean }> {
  const due = await ctx.db.all(look, [...values, LOOK_AT_ONCE]);
  let changed = 0;
  for (const part of shuffled(partsOf(due))) {
    changed += await ctx.db.transaction(async (tx) => {
      const now = ctx.clock.now();
      const statements = part.map(({ host_id, id }) => tx.all(change, [host_id, id, now]));
      const rows = (await Promise.all(statements)).flat();
      await finish(tx, now, rows);
      return rows.length;
    });
  }
  return { changed, more: changed > 0 && due.length === LOOK_AT_ONCE };
}

/** Those of a host stay together, so that few transactions write the sums of one space. */
function partsOf(due: readonly Due[]): Due[][] {
  const sorted = due.toSorted((a, b) => (a.host_id < b.host_id ? -1 : 1));
  const parts = Math.ceil(sorted.length / CHANGE_AT_ONCE);
  return Array.from({ length: parts }, (_, i) => sorted.slice(i * CHANGE_AT_ONCE, (i + 1) * CHANGE_AT_ONCE));
}
