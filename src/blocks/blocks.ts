import type { Caller } from '../api-keys/caller.ts';
import * as audit from '../audit/audit.ts';
import type { Context } from '../context.ts';
import type { Sql, Tx } from '../db/database.ts';
import { blockSlotOccupied } from '../errors.ts';
import * as events from '../events/events.ts';
import * as hours from '../hours/hours.ts';
import { newId } from '../ids/uuid.ts';
import { noSuchSpace } from '../spaces/spaces.ts';
import { addDays, FIRST_DATE, LAST_DATE } from '../time/dates.ts';
import * as sql from './sql.ts';

export { standing, type Run } from './runs.ts';

/** Blocks every hour of the range, or none. */
export async function create(
  ctx: Context,
  caller: Caller,
  range: hours.HourRange,
  reason: string | null,
): Promise<void> {
  await ctx.db.transaction(async (tx) => {
    const now = ctx.clock.now();
    const revision = await takeRevision(tx, caller, range.spaceId);
    await Promise.all([
      place(tx, now, caller, range, reason, revision),
      announce(tx, now, caller, range, hours.hoursOf(range), 'block_created'),
    ]);
  });
}

/** Writes a block and claims its hours; throws when any of them is held. Emits nothing. */
export async function place(
  tx: Tx,
  now: number,
  { environment }: Pick<Caller, 'environment'>,
  range: hours.HourRange,
  reason: string | null,
  revision = 0,
): Promise<void> {
  const id = newId();
  const { hostId, spaceId } = range;
  const inserted = tx.run(sql.insertBlock, [hostId, environment, spaceId, id, reason, now, revision]);
  const claimed = hours.claim(tx, range, { blockId: id });
  await Promise.all([inserted, claimed]);
  const clashing = await claimed;
  if (clashing.length > 0) throw blockSlotOccupied(clashing);
}

/** Frees the blocked hours of the range, whichever blocks they belong to, and returns them. */
export async function remove(ctx: Context, caller: Caller, range: hours.HourRange): Promise<number[]> {
  return ctx.db.transaction(async (tx) => {
    const now = ctx.clock.now();
    const revision = await takeRevision(tx, caller, range.spaceId);
    const { freed, blockIds } = await hours.releaseBlocked(tx, range);
    if (freed.length === 0) return freed;
    const { hostId, spaceId, date } = range;
    const around = [addDays(date, -1), date, addDays(date, 1)];
    await Promise.all([
      ...[...blockIds].map((id) => tx.run(sql.deleteUsedUpBlock, [hostId, spaceId, id, date])),
      tx.run(sql.touchBlocksAround, [hostId, spaceId, revision, now, ...around]),
      announce(tx, now, caller, range, freed, 'block_deleted'),
    ]);
    return freed;
  });
}

/** The number of this change. A second change of the same space waits here, before it has touched an hour. */
async function takeRevision(tx: Tx, caller: Caller, spaceId: string): Promise<number> {
  const [, row] = await Promise.all([
    // The row's own lock would do, but whoever waits for a row waits in two queues, with the whole time limit in each.
    tx.lock(`blocks of ${spaceId}`),
    tx.get(sql.takeRevision, [caller.hostId, caller.environment, spaceId]),
  ]);
  if (row === undefined) throw noSuchSpace();
  return row.block_revision;
}

async function announce(
  tx: Tx,
  now: number,
  caller: Caller,
  range: hours.HourRange,
  changed: number[],
  cause: 'block_created' | 'block_deleted',
): Promise<void> {
  const { hostId, environment, actor } = caller;
  const action = cause === 'block_created' ? 'block.created' : 'block.removed';
  await Promise.all([
    events.append(tx, now, caller, events.availabilityChanged(range, changed, cause)),
    audit.record(tx, now, actor, { action, hostId, environment, subject: range.spaceId }),
  ]);
}

/** Blocked hours of one date with one reason. */
export interface BlockedDay {
  space_id: string;
  date: string;
  hours: number[];
  reason: string | null;
}

/** All that a host has ever blocked of a space and not freed again. */
export async function daysOf(db: Sql, hostId: string, spaceId: string): Promise<BlockedDay[]> {
  const days: BlockedDay[] = [];
  for (let [date, hour] = [FIRST_DATE, -1]; ;) {
    const rows = await db.all(sql.selectBlockedHours, [hostId, spaceId, date, hour, LAST_DATE]);
    for (const row of rows) {
      const last = days.at(-1);
      if (last?.date === row.date && last.reason === row.reason) last.hours.push(row.hour);
      else days.push({ space_id: spaceId, date: row.date, hours: [row.hour], reason: row.reason });
    }
    if (rows.length < sql.PAGE_ROWS) return days;
    ({ date, hour } = rows.at(-1)!);
  }
}
