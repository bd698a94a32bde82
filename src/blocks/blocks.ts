import type { Caller } from '../caller.ts';
import * as audit from '../audit/audit.ts';
import type { Context } from '../context.ts';
import { type Tx, inGroups } from '../db/database.ts';
import { blockDaysOccupied, blockSlotOccupied } from '../errors.ts';
import * as events from '../events/events.ts';
import * as hours from '../hours/hours.ts';
import { newId } from '../ids/uuid.ts';
import { noSuchSpace } from '../spaces/spaces.ts';
import { addDays } from '../time/dates.ts';
import type { BlockedDays, UnblockedDays } from './schemas.ts';
import * as sql from './sql.ts';

export { daysOf, standing, type Run } from './runs.ts';

/** The same hours of one or more dates of a space, in ascending order. */
export interface BlockRange extends Omit<hours.HourRange, 'date'> {
  readonly dates: readonly string[];
  /** The request has an `end_date`: responses and errors are day by day. */
  readonly byDay: boolean;
}

/** Blocks the hours of all dates and returns them day by day. Without `skipOccupied` it blocks all of them or none. */
export async function create(
  ctx: Context,
  caller: Caller,
  range: BlockRange,
  { reason, skipOccupied }: { reason: string | null; skipOccupied: boolean },
): Promise<BlockedDays['days']> {
  const wanted = hours.hoursOf(range);
  const toDay = (date: string, blocked_hours: number[]) => ({
    date,
    blocked_hours,
    occupied_hours: wanted.filter((hour) => !blocked_hours.includes(hour)),
  });
  return ctx.db.transaction(async (tx) => {
    const now = ctx.clock.now();
    const [revision, held] = await Promise.all([
      takeRevision(tx, caller, range.spaceId),
      hours.heldBetween(tx, range, range.dates[0]!, range.dates.at(-1)!),
    ]);
    const free = range.dates.map((date) => {
      const mask = held.get(date) ?? 0;
      return toDay(
        date,
        wanted.filter((hour) => (mask & (1 << hour)) === 0),
      );
    });
    // Before hours are written: on SQLite others would wait until those of a year are undone.
    if (!skipOccupied) refuseOccupied(range, free);
    // Hours of all dates before the first event, in ascending order: bookings lock both in the same order.
    const days = await inGroups(free, async ({ date, blocked_hours }) =>
      toDay(date, await writeBlock(tx, now, caller, { ...range, date }, reason, revision, blocked_hours)),
    );
    // On PostgreSQL a booking may have been quicker.
    if (!skipOccupied) refuseOccupied(range, days);
    const changed = days.filter(({ blocked_hours }) => blocked_hours.length > 0);
    const told = changed.map(({ date, blocked_hours }) => ({ date, hours: blocked_hours }));
    await announce(tx, now, caller, range.spaceId, told, 'block_created');
    return days;
  });
}

function refuseOccupied({ byDay }: BlockRange, days: BlockedDays['days']): void {
  const occupied = days
    .filter(({ occupied_hours }) => occupied_hours.length > 0)
    .map(({ date, occupied_hours }) => ({ date, hours: occupied_hours }));
  const [first] = occupied;
  if (first !== undefined) throw byDay ? blockDaysOccupied(occupied) : blockSlotOccupied(first.hours);
}

/** Writes a block of one date with those of the wanted hours that nobody holds, and returns these. Emits nothing. */
export async function writeBlock(
  tx: Tx,
  now: number,
  { environment }: Pick<Caller, 'environment'>,
  range: hours.HourRange,
  reason: string | null,
  revision = 0,
  wanted = hours.hoursOf(range),
): Promise<number[]> {
  if (wanted.length === 0) return wanted;
  const { hostId, spaceId, date } = range;
  const blockId = newId();
  const [, taken] = await Promise.all([
    tx.run(sql.insertBlock, [hostId, environment, spaceId, blockId, reason, now, revision]),
    hours.take(tx, range, { blockId }, wanted),
  ]);
  if (taken === wanted.length) return wanted;
  if (taken === 0) await tx.run(sql.deleteUsedUpBlock, [hostId, spaceId, blockId, date]);
  return hours.takenBy(tx, range, { blockId });
}

/** Frees the blocked hours of all dates, whichever blocks they belong to, and returns them day by day. */
export async function remove(
  ctx: Context,
  caller: Caller,
  range: BlockRange,
): Promise<UnblockedDays['days']> {
  return ctx.db.transaction(async (tx) => {
    const now = ctx.clock.now();
    const { hostId, spaceId } = range;
    const revision = await takeRevision(tx, caller, spaceId);
    const days = await inGroups(range.dates, (date) => hours.releaseBlocked(tx, { ...range, date }));
    const changed = days.filter((day) => day.hours.length > 0);
    await inGroups(changed, ({ date, blockIds }) =>
      Promise.all([...blockIds].map((id) => tx.run(sql.deleteUsedUpBlock, [hostId, spaceId, id, date]))),
    );
    const touched = await neighboursOf(tx, range, changed);
    await inGroups(touched, (id) => tx.run(sql.touchBlock, [hostId, spaceId, id, revision, now]));
    await announce(tx, now, caller, spaceId, changed, 'block_deleted');
    return days.map((day) => ({ date: day.date, unblocked_hours: day.hours }));
  });
}

/**
 * The blocks with hours on these dates, the day before or the day after. Blocks side by side are one calendar entry: when one
 * of them goes, the entry of its neighbour changes too.
 */
async function neighboursOf(
  tx: Tx,
  { hostId, spaceId }: BlockRange,
  changed: readonly { date: string }[],
): Promise<string[]> {
  if (changed.length === 0) return [];
  const around = new Set(changed.flatMap(({ date }) => [-1, 0, 1].map((days) => addDays(date, days))));
  const [first, last] = [addDays(changed[0]!.date, -1), addDays(changed.at(-1)!.date, 1)];
  const rows = await tx.all(sql.selectBlocksBetween, [hostId, spaceId, first, last]);
  return rows.filter(({ date }) => around.has(date)).map((row) => row.block_id);
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

/** One event for each date that changed, one entry of the audit trail for all. */
async function announce(
  tx: Tx,
  now: number,
  caller: Caller,
  spaceId: string,
  changed: readonly { date: string; hours: number[] }[],
  cause: 'block_created' | 'block_deleted',
): Promise<void> {
  if (changed.length === 0) return;
  const { hostId, environment, actor } = caller;
  const action = cause === 'block_created' ? 'block.created' : 'block.removed';
  const told = changed.map(({ date, hours }) => events.availabilityChanged({ spaceId, date }, hours, cause));
  await Promise.all([
    events.append(tx, now, caller, ...told),
    audit.record(tx, now, actor, { action, hostId, environment, subject: spaceId }),
  ]);
}
