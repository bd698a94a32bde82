import type { Caller } from '../api-keys/caller.ts';
import type { Context } from '../context.ts';
import { toBooking } from './fields.ts';
import type { Booking, BookingPage } from './schemas.ts';
import * as sql from './sql.ts';

/** So many rows are looked at, or passed over, in one part of a long read: half a millisecond on SQLite, where nothing else runs meanwhile. */
export const AT_ONCE = 300;

export interface Wanted {
  limit: number;
  offset: number;
  /** How many there are, if a page before has counted them. */
  total: number | undefined;
}

export interface Found<Row> {
  /** The page, and one more if there is one. */
  rows: Row[];
  total: number;
}

/**
 * Goes through pages of rows for those that match. Where an index finds them this is one page; where none can, it takes as long as
 * there are rows, and others are served meanwhile. All are counted once, on the first page of a walk.
 */
export async function findMatches<Row>(
  pages: AsyncIterable<Row[]>,
  { limit, offset, total }: Wanted,
  matches: (row: Row) => boolean,
): Promise<Found<Row>> {
  const rows: Row[] = [];
  let seen = 0;
  for await (const page of pages) {
    for (const row of page) if (matches(row) && ++seen > offset && rows.length <= limit) rows.push(row);
    const isCounted = total !== undefined || seen > sql.COUNTED_EXACTLY;
    if (rows.length > limit && isCounted) break;
  }
  return { rows, total: total ?? seen };
}

/** The records of rows that were found, in their order. */
export async function recordsOf(
  ctx: Context,
  caller: Caller,
  rows: readonly { id: string }[],
): Promise<Booking[]> {
  if (rows.length === 0) return [];
  const ids = JSON.stringify(rows.map(({ id }) => ({ id })));
  const found = await ctx.db.all(sql.selectByIds, [caller.hostId, caller.environment, ids]);
  const byId = new Map(found.map((row) => [row.id, row]));
  return rows.map(({ id }) => toBooking(byId.get(id)!));
}

/** What the page says about itself, up to 10 000 exactly. */
export function paginationOf(
  { limit, offset }: Pick<Wanted, 'limit' | 'offset'>,
  total: number,
  nextCursor: string | null,
): BookingPage['pagination'] {
  return {
    limit,
    offset,
    total: Math.min(total, sql.COUNTED_EXACTLY),
    total_is_exact: total <= sql.COUNTED_EXACTLY,
    has_more: nextCursor !== null,
    next_cursor: nextCursor,
  };
}
