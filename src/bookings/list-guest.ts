import type { Caller } from '../api-keys/caller.ts';
import type { Context } from '../context.ts';
import { inPages, type LongRead } from '../db/long-reads.ts';
import { validationError } from '../errors.ts';
import { isWholeNumber, readCursor, writeCursor } from './cursor.ts';
import { fold, isGuest } from './fold.ts';
import { AT_ONCE, findMatches, paginationOf, recordsOf } from './matches.ts';
import { POSITION_FORMS, positionOf, readPosition, start, statementsFor, type Position } from './position.ts';
import type { BookingFilter, BookingPage } from './schemas.ts';
import type * as sql from './sql.ts';

/**
 * A page of the bookings whose guest's name or address has these letters in it, in the order of lists. No index finds letters inside
 * of words: the names are read in parts, and compared here, so that both engines compare alike.
 */
export async function listOfGuest(
  ctx: Context,
  caller: Caller,
  filter: BookingFilter & { guest: string },
  dates: { from: string; to: string },
  beginLongRead: () => LongRead,
): Promise<BookingPage> {
  const { limit, offset } = filter;
  if (fold(filter.guest) === '')
    throw validationError([{ field: 'guest', message: 'must have more than combining marks' }]);
  const { statements, values } = statementsFor(filter);
  const walk = filter.cursor === undefined ? undefined : goOn(filter.cursor, filter);
  const first = walk?.after ?? start(dates.from);
  const readAfter = async (last: sql.GuestRow | undefined): Promise<sql.GuestRow[]> => {
    const after = last === undefined ? first : positionOf(last);
    const asked = [caller.hostId, caller.environment, ...after, dates.to, ...values, AT_ONCE];
    return (await ctx.db.readAlongIndexes([[statements.guests, asked]]))[0];
  };
  const { rows, total } = await findMatches(
    inPages(beginLongRead(), AT_ONCE, readAfter),
    { limit, offset, total: walk?.total },
    isGuest(filter.guest),
  );
  const shown = rows.slice(0, limit);
  const last = rows.length > limit ? shown.at(-1) : undefined;
  const next = last === undefined ? null : writeCursor(filter, [...positionOf(last), total]);
  return {
    bookings: await recordsOf(ctx, caller, shown),
    pagination: paginationOf(filter, total, next),
  };
}

function goOn(cursor: string, filter: BookingFilter): { after: Position; total: number } {
  const fields = readCursor(cursor, filter, [...POSITION_FORMS, isWholeNumber]);
  return { after: readPosition(fields), total: Number(fields[3]) };
}
