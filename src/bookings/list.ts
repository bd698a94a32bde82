import type { Caller } from '../api-keys/caller.ts';
import type { Context } from '../context.ts';
import type { LongRead } from '../db/long-reads.ts';
import { validationError } from '../errors.ts';
import { addYears, FIRST_DATE, LAST_DATE } from '../time/dates.ts';
import { listByDate } from './list-by-date.ts';
import { listChanges } from './list-changes.ts';
import { listOfGuest } from './list-guest.ts';
import type { BookingFilter, BookingPage } from './schemas.ts';

/** A page of the host's bookings: by date, those of a guest, or what has changed. */
export async function list(
  ctx: Context,
  caller: Caller,
  filter: BookingFilter,
  beginLongRead: () => LongRead,
): Promise<BookingPage> {
  const { from, to, guest, updated_since } = filter;
  if (updated_since !== undefined)
    return listChanges(ctx, caller, { ...filter, updated_since }, beginLongRead);
  if (from !== undefined && to !== undefined && from > to)
    throw validationError([{ field: 'from', message: 'must not be after to' }]);
  const dates = { from: from ?? FIRST_DATE, to: to ?? LAST_DATE };
  if (guest === undefined) return listByDate(ctx, caller, filter, dates, beginLongRead);
  if (from === undefined && to === undefined) dates.from = aYearBefore(ctx.clock.now());
  return listOfGuest(ctx, caller, { ...filter, guest }, dates, beginLongRead);
}

/** Where a search for a guest begins when it names no dates. */
function aYearBefore(now: number): string {
  return addYears(new Date(now).toISOString().slice(0, 10), -1);
}
