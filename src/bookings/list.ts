import type { Caller } from '../api-keys/caller.ts';
import type { Context } from '../context.ts';
import type { LongRead } from '../db/long-reads.ts';
import { validationError } from '../errors.ts';
import { addYears, FIRST_DATE, LAST_DATE } from '../time/dates.ts';
import { localDate } from '../time/zones.ts';
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
  const dates = datesOf(filter, ctx.clock.now());
  if (guest === undefined) return listByDate(ctx, caller, filter, dates, beginLongRead);
  return listOfGuest(ctx, caller, { ...filter, guest }, dates, beginLongRead);
}

/** All dates where none are named; a guest is then looked for from a year back on. */
export function datesOf(
  { from, to, guest }: Pick<BookingFilter, 'from' | 'to' | 'guest'>,
  now: number,
): { from: string; to: string } {
  const isSearch = guest !== undefined && from === undefined && to === undefined;
  const first = isSearch ? addYears(localDate('UTC', now), -1) : FIRST_DATE;
  return { from: from ?? first, to: to ?? LAST_DATE };
}
