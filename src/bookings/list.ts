import { hash } from 'node:crypto';
import type { Caller } from '../api-keys/caller.ts';
import { BoundedMap } from '../bounded-map.ts';
import type { Context } from '../context.ts';
import type { LongRead } from '../db/long-reads.ts';
import { validationError } from '../errors.ts';
import { NO_ID, parseId } from '../ids/uuid.ts';
import { FIRST_DATE, isCalendarDate, LAST_DATE } from '../time/dates.ts';
import type { BookingRow } from './fields.ts';
import { toBooking } from './record.ts';
import type { BookingFilter, BookingPage } from './schemas.ts';
import * as sql from './sql.ts';

/** A page of the host's bookings by date, start hour and id. It costs the same however many there are. */
export async function list(
  ctx: Context,
  caller: Caller,
  filter: BookingFilter,
  beginLongRead: () => LongRead,
): Promise<BookingPage> {
  const { from = FIRST_DATE, to = LAST_DATE, limit, offset } = filter;
  if (from > to) throw validationError([{ field: 'from', message: 'must not be after to' }]);
  const { statements, values } = statementsFor(filter);
  const owner = [caller.hostId, caller.environment];
  const first = filter.cursor === undefined ? start(from) : readCursor(filter.cursor, filter);
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
  return {
    bookings: shown.map(toBooking),
    pagination: {
      limit,
      offset,
      total: Math.min(total, sql.COUNTED_EXACTLY),
      total_is_exact: total <= sql.COUNTED_EXACTLY,
      has_more: last !== undefined,
      next_cursor: last === undefined ? null : writeCursor(last, filter),
    },
  };
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
    position = [last.date, last.start_hour, last.id];
  }
  return [position, left];
}

/**
 * Lists that have more bookings than are counted. Bookings are never deleted or moved to another date, and `completed` and
 * `cancelled` are for good. So only a list of confirmed ones can become shorter again; the others need no second count.
 */
const longLists = new BoundedMap<string, true>(10_000);

function statementsFor({ space_id, status }: BookingFilter) {
  if (space_id !== undefined && status !== undefined) {
    return { statements: sql.lists.bySpaceAndStatus, values: [space_id.toLowerCase(), status] };
  }
  if (space_id !== undefined) return { statements: sql.lists.bySpace, values: [space_id.toLowerCase()] };
  if (status !== undefined) return { statements: sql.lists.byStatus, values: [status] };
  return { statements: sql.lists.all, values: [] };
}

/** A place in the list: the next page begins after this booking. */
type Position = [date: string, startHour: number, id: string];

const start = (from: string): Position => [from, -1, NO_ID];

/** Where the page ended, and a mark of the filters it belongs to. Opaque to callers. */
function writeCursor(last: BookingRow, filter: BookingFilter): string {
  const fields = [last.date, last.start_hour, last.id, markOf(filter)];
  return Buffer.from(fields.join(' ')).toString('base64url');
}

function readCursor(cursor: string, filter: BookingFilter): Position {
  const [date = '', hour = '', id = '', mark] = Buffer.from(cursor, 'base64url').toString().split(' ');
  if (!isCalendarDate(date) || !/^\d{1,2}$/.test(hour) || parseId(id) !== id) {
    throw validationError([{ field: 'cursor', message: 'is not one that a page of this list has given' }]);
  }
  if (mark !== markOf(filter)) {
    throw validationError([{ field: 'cursor', message: 'belongs to a list with other filters' }]);
  }
  return [date, Number(hour), id];
}

function markOf({ space_id, status, from, to }: BookingFilter): string {
  return hash('sha256', JSON.stringify([space_id?.toLowerCase(), status, from, to]), 'base64url').slice(0, 8);
}
