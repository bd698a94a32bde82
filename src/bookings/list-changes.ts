import type { Caller } from '../api-keys/caller.ts';
import type { Context } from '../context.ts';
import { inPages, type LongRead } from '../db/long-reads.ts';
import { validationError } from '../errors.ts';
import { NO_ID } from '../ids/uuid.ts';
import { CLOCKS_DIFFER_MS, toTimestamp } from '../time/clock.ts';
import { isId, isWholeNumber, readCursor, writeCursor } from './cursor.ts';
import { AT_ONCE, findMatches, paginationOf, recordsOf } from './matches.ts';
import type { BookingFilter, BookingPage } from './schemas.ts';
import * as sql from './sql.ts';

/** From the first page to the last. */
interface Walk {
  /** The last booking shown. */
  after: [updatedAt: number, id: string];
  total: number | undefined;
  syncedTo: number;
}

/**
 * A page of the bookings that have changed since a moment, by the time of their last change. `synced_to` is where to begin the next
 * time: no change that this walk does not see will ever have an earlier time, however late it is committed (decision 0016).
 */
export async function listChanges(
  ctx: Context,
  caller: Caller,
  filter: BookingFilter & { updated_since: string },
  beginLongRead: () => LongRead,
): Promise<BookingPage> {
  const { limit, space_id, status, cursor } = filter;
  const spaceId = space_id?.toLowerCase();
  const since = instantOf(filter.updated_since);
  // Two spellings of one moment are one walk.
  const list = { ...filter, updated_since: toTimestamp(since) };
  const walk = cursor === undefined ? await begin(ctx, since) : goOn(cursor, list);
  const readAfter = async (last: sql.ChangeRow | undefined): Promise<sql.ChangeRow[]> => {
    const after = last === undefined ? walk.after : [last.updated_at, last.id];
    const values = [caller.hostId, caller.environment, ...after, AT_ONCE];
    return (await ctx.db.readAlongIndexes([[sql.selectChanges, values]]))[0];
  };
  const { rows, total } = await findMatches(
    inPages(beginLongRead(), AT_ONCE, readAfter),
    { limit, offset: 0, total: walk.total },
    (row) =>
      (spaceId === undefined || row.space_id === spaceId) && (status === undefined || row.status === status),
  );
  const shown = rows.slice(0, limit);
  const last = rows.length > limit ? shown.at(-1) : undefined;
  const next =
    last === undefined ? null : writeCursor(list, [last.updated_at, last.id, total, walk.syncedTo]);
  return {
    bookings: await recordsOf(ctx, caller, shown),
    pagination: {
      ...paginationOf({ limit, offset: 0 }, total, next),
      synced_to: toTimestamp(walk.syncedTo),
    },
  };
}

async function begin(ctx: Context, since: number): Promise<Walk> {
  // Asked before anything is read: what is committed later has a later time.
  const settled = await ctx.db.settledBefore(ctx.clock.now());
  return { after: [since, NO_ID], total: undefined, syncedTo: Math.max(0, settled - CLOCKS_DIFFER_MS) };
}

function goOn(cursor: string, filter: BookingFilter): Walk {
  const forms = [isWholeNumber, isId, isWholeNumber, isWholeNumber];
  const [updatedAt, id, total, syncedTo] = readCursor(cursor, filter, forms);
  return { after: [Number(updatedAt), id!], total: Number(total), syncedTo: Number(syncedTo) };
}

/** The schema has checked the form; a date or an offset that does not exist is found here. */
function instantOf(text: string): number {
  try {
    return Temporal.Instant.from(text).epochMilliseconds;
  } catch {
    throw validationError([{ field: 'updated_since', message: 'is not a time that exists' }]);
  }
}
