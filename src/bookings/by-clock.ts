import type { Context } from '../context.ts';
import type { Read, SqlValue, Tx, Write } from '../db/database.ts';
import type { BookingRow } from './fields.ts';

const MAX_PER_TRANSACTION = 200;

/**
 * Changes bookings that are due, each exactly once however many workers do so side by side: a worker passes over those that another one
 * has locked. `more` is true when there may be further ones.
 * @param look finds them; its last value is how many at most.
 * @param change changes one by host, id and the time, if it is still due.
 * @param finish does what goes with those that have just been changed.
 */
export async function changeDue(
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
