import type { Caller } from '../api-keys/caller.ts';
import { BoundedMap } from '../bounded-map.ts';
import type { Context } from '../context.ts';
import type { LongRead } from '../db/long-reads.ts';
import { readCursor, writeCursor } from './cursor.ts';
import { paginationOf } from './matches.ts';
import { POSITION_FORMS, positionOf, readPosition, start, statementsFor, type Position } from './position.ts';
import { toBooking } from './record.ts';
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
    offset <= STEP ? [first, offset] : await farIn(beginLongRead(), first, offset, skip);
  const page = [statements.page, [...owner, ...position, to, ...values, limit + 1, left]] as const;
  const count = [statements.count, [...owner, from, to, ...values]] as const;
  const countedList = count[1].join(' ');
  const [rows, counted] = longLists.has(countedList)
    ? [...(await ctx.db.readAlongIndexes([page])), [{ total: sql.COUNTED_EXACTLY + 1 }]]
    : await ctx.db.readAlongIndexes([page, count]);
  const { total } = counted[0]!;
  if (total > sql.COUNTED_EXACTLY && filter.status !== 'confirmed') longLists.set(countedList, true);
  const shown = rows.slice(0, limit);
  const last = rows.length > limit ? shown.at(-1) : undefined;
  const next = last === undefined ? null : writeCursor(filter, positionOf(last));
  return { bookings: shown.map(toBooking), pagination: paginationOf(filter, total, next) };
}

/** Passing over them takes about half a millisecond on SQLite, where nothing else runs meanwhile. */
const STEP = 300;

/** Goes so many bookings into the list, step by step. What is left to go is less than a step, or more than the list has. */
async function farIn(
  longRead: LongRead,
  first: Position,
  offset: number,
  skip: (after: Position, rows: number) => Promise<sql.PositionRow[]>,
): Promise<[position: Position, left: number]> {
  let position = first;
  let left = offset;
  for (; left >= STEP; left -= STEP) {
    const [last] = await longRead.part(() => skip(position, STEP));
    if (last === undefined) break;
    position = positionOf(last);
  }
  return [position, left];
}

/**
 * Lists that have more bookings than are counted. Bookings are never deleted or moved to another date, and `completed` and
 * `cancelled` are for good. So only a list of confirmed ones can become shorter again; the others need no second count.
 */
const longLists = new BoundedMap<string, true>(10_000);
