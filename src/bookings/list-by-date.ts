import type { Caller } from '../api-keys/caller.ts';
import { BoundedMap } from '../bounded-map.ts';
import type { Context } from '../context.ts';
import type { LongRead } from '../db/long-reads.ts';
import { toTimestamp } from '../time/clock.ts';
import { addDays } from '../time/dates.ts';
import { DAY_MS } from '../time/units.ts';
import { readCursor, writeCursor } from './cursor.ts';
import { AT_ONCE, paginationOf } from './matches.ts';
import { POSITION_FORMS, positionOf, readPosition, start, statementsFor, type Position } from './position.ts';
import { toBooking } from './fields.ts';
import type { BookingFilter, BookingPage } from './schemas.ts';
import * as sql from './sql.ts';

/** A page of the host's bookings by date, start hour and id. It costs the same however many there are. */
export async function listByDate(
  ctx: Context,
  caller: Caller,
  filter: BookingFilter,
  { from, to }: { from: string; to: string },
  beginLongRead: () => LongRead,
): Promise<BookingPage> {
  const { limit, offset, cursor } = filter;
  const { statements, values } = statementsFor(filter);
  const owner = [caller.hostId, caller.environment];
  const first = cursor === undefined ? start(from) : readPosition(readCursor(cursor, filter, POSITION_FORMS));
  const skip = (after: Position, rows: number) =>
    ctx.db.all(statements.skip, [...owner, ...after, to, ...values, rows]);
  const [position, left] =
    offset <= AT_ONCE ? [first, offset] : await farIn(beginLongRead(), first, offset, skip);
  const page = [statements.page, [...owner, ...position, to, ...values, limit + 1, left]] as const;
  const count = (since: string, until: string) =>
    [statements.count, [...owner, since, until, ...values]] as const;
  const list = [...owner, from, to, ...values].join(' ');
  const open = firstOpenDay(ctx.clock.now());
  const { before, since } = countedBefore(list, open) ?? { before: 0, since: from };
  const asked = performance.now();
  const isLong = (longLists.get(list) ?? 0) > asked;
  const [rows, counted] = isLong
    ? [...(await ctx.db.readAlongIndexes([page])), [{ total: sql.COUNTED_EXACTLY + 1 }]]
    : await ctx.db.readAlongIndexes([page, count(since, to)]);
  const total = before + counted[0]!.total;
  if (total > sql.COUNTED_EXACTLY) {
    if (!isLong) longLists.set(list, filter.status === 'confirmed' ? asked + longFor(total) : Infinity);
  } else if (filter.status === undefined && total > MANY && since < open) {
    const lastOver = addDays(open, -1);
    const [[over]] = await ctx.db.readAlongIndexes([count(since, to < lastOver ? to : lastOver)]);
    countedDays.set(list, { before: before + over!.total, since: open });
  }
  const shown = rows.slice(0, limit);
  const last = rows.length > limit ? shown.at(-1) : undefined;
  const next = last === undefined ? null : writeCursor(filter, positionOf(last));
  return { bookings: shown.map(toBooking), pagination: paginationOf(filter, total, next) };
}

/** Goes so many bookings into the list, step by step. What is left to go is less than a step, or more than the list has. */
async function farIn(
  longRead: LongRead,
  first: Position,
  offset: number,
  skip: (after: Position, rows: number) => Promise<sql.PositionRow[]>,
): Promise<[position: Position, left: number]> {
  let position = first;
  let left = offset;
  for (; left >= AT_ONCE; left -= AT_ONCE) {
    const [last] = await longRead.part(() => skip(position, AT_ONCE));
    if (last === undefined) break;
    position = positionOf(last);
  }
  return [position, left];
}

/**
 * Lists that have more bookings than are counted, and until when that is sure. Bookings are never deleted and keep their date (a move
 * makes another one), and `completed` and `cancelled` are for good. So only a list of confirmed ones can become shorter again; others
 * need no second count.
 */
const longLists = new BoundedMap<string, number>(10_000);

/** For so many milliseconds at least this list of confirmed bookings stays longer than is counted exactly. */
function longFor(total: number): number {
  return (total - sql.COUNTED_EXACTLY) / MOST_ENDED_PER_MS;
}

/** Bookings that are cancelled or completed in a millisecond, of all hosts: the fastest worker that was measured completes three. */
const MOST_ENDED_PER_MS = 10;

/**
 * How many bookings a list of every status has before a day. No booking comes or goes on days that are over, so they are counted
 * once, where there are many: a space with 8 000 bookings took 1.7 times as long to list as one with 800.
 */
const countedDays = new BoundedMap<string, { before: number; since: string }>(10_000);
const MANY = 1000;

/** The first day for which somebody may still make a booking: in UTC that is yesterday, and one more for clocks that differ. */
function firstOpenDay(now: number): string {
  return toTimestamp(now - 2 * DAY_MS).slice(0, 'YYYY-MM-DD'.length);
}

/** Nothing when the clock has been set back: what was over may be open again. */
function countedBefore(list: string, open: string) {
  const counted = countedDays.get(list);
  return counted !== undefined && counted.since <= open ? counted : undefined;
}
