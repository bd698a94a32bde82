import type { Caller } from '../api-keys/caller.ts';
import type { Context } from '../context.ts';
import type { Tx } from '../db/database.ts';
import type { LongRead } from '../db/long-reads.ts';
import * as hosts from '../hosts/hosts.ts';
import { NO_ID } from '../ids/uuid.ts';
import { addSums, noSums, sumsOf, toMajorSums, type PricedHours, type Sums } from '../money/sums.ts';
import { toTimestamp } from '../time/clock.ts';
import { LAST_DATE } from '../time/dates.ts';
import { monthAt, monthsUpTo } from '../time/month.ts';
import { DAY_MS } from '../time/units.ts';
import type { Earnings } from './schemas.ts';
import * as sql from './sql.ts';

const MONTHS = 12;

/** What the host has earned with completed bookings of every source, and apart from it what is upcoming. */
export async function summary(
  ctx: Context,
  caller: Caller,
  beginLongRead: () => LongRead,
): Promise<Earnings> {
  const { currency, timezone } = await hosts.get(ctx.db, caller.hostId);
  const months = monthsUpTo(monthAt(timezone, ctx.clock.now()), MONTHS);
  const [{ spaces, byMonth }, upcoming] = await Promise.all([
    sumEarned(ctx, caller, months[0]!, beginLongRead),
    sumUpcoming(ctx, caller, beginLongRead),
  ]);
  const lifetime = noSums();
  for (const space of spaces) addSums(lifetime, space);
  const inMonth = (month: string) => toMajorSums(byMonth.get(month) ?? noSums(), currency);
  return {
    currency,
    lifetime: toMajorSums(lifetime, currency),
    this_month: inMonth(months.at(-1)!),
    last_month: inMonth(months.at(-2)!),
    upcoming: toMajorSums(upcoming, currency),
    by_month: months.map((month) => ({ month, ...inMonth(month) })),
    by_space: spaces.map((space) => ({
      space_id: space.name,
      title: space.title,
      ...toMajorSums(space, currency),
    })),
  };
}

/**
 * One statement for most hosts. Those with very many spaces are read in slices, so that others need not wait. A booking that is
 * completed meanwhile counts in its space and in its month, or in neither.
 */
async function sumEarned(
  ctx: Context,
  caller: Caller,
  firstMonth: string,
  beginLongRead: () => LongRead,
): Promise<{ spaces: sql.EarnedSpace[]; byMonth: Map<string, Sums> }> {
  const spaces: sql.EarnedSpace[] = [];
  const byMonth = new Map<string, Sums>();
  let longRead: LongRead | undefined;
  for (let after = NO_ID; ; longRead ??= beginLongRead()) {
    const values = [caller.hostId, caller.environment, firstMonth, after];
    const read = () => ctx.db.all(sql.selectEarned, values);
    const slice = await (longRead === undefined ? read() : longRead.part(read));
    const found = slice.filter((row) => row.kind === 'space');
    spaces.push(...found);
    for (const row of slice.filter(({ kind }) => kind === 'month')) {
      const sums = byMonth.get(row.name) ?? noSums();
      addSums(sums, row);
      byMonth.set(row.name, sums);
    }
    if (found.length < sql.SPACES_AT_ONCE) return { spaces, byMonth };
    after = found.at(-1)!.name;
  }
}

/** One statement for most hosts. Those with very many bookings are added up in slices, so that others need not wait. */
async function sumUpcoming(ctx: Context, caller: Caller, beginLongRead: () => LongRead): Promise<Sums> {
  const sums = noSums();
  const now = ctx.clock.now();
  const owner = [caller.hostId, caller.environment];
  const overdue = await ctx.db.get(sql.firstOverdue, [...owner, now]);
  let longRead: LongRead | undefined;
  for (let after = someDaysBefore(overdue?.ends_at ?? now); ; longRead ??= beginLongRead()) {
    const since = after;
    const read = () => ctx.db.get(sql.sumUpcoming, [...owner, since]);
    const slice = await (longRead === undefined ? read() : longRead.part(read));
    if (slice === undefined) throw new Error('a sum without a row');
    addSums(sums, slice);
    if (slice.last === LAST_DATE) return sums;
    if (slice.last <= after) throw new Error(`a slice after ${after} ends with ${slice.last}`);
    after = slice.last;
  }
}

/** A date before that of every booking that ends then or later, in any timezone. */
function someDaysBefore(endsAt: number): string {
  return toTimestamp(endsAt - 3 * DAY_MS).slice(0, 'YYYY-MM-DD'.length);
}

type CompletedBooking = PricedHours & {
  host_id: string;
  environment: string;
  space_id: string;
  date: string;
};

/**
 * Adds completed bookings to the sums of their spaces' months and of all months, in the transaction that completes them. Everybody writes
 * months in the same order, so that two workers cannot deadlock.
 */
export async function addCompleted(tx: Tx, bookings: readonly CompletedBooking[]): Promise<void> {
  const groups = new Map<string, Sums>();
  for (const booking of bookings) {
    for (const month of [booking.date.slice(0, 'YYYY-MM'.length), sql.ALL_MONTHS]) {
      const key = [booking.host_id, booking.environment, booking.space_id, month].join(' ');
      const sums = groups.get(key) ?? noSums();
      addSums(sums, sumsOf(booking));
      groups.set(key, sums);
    }
  }
  const sorted = [...groups].sort(([a], [b]) => (a < b ? -1 : 1));
  await Promise.all(
    sorted.map(([key, { bookings, hours, gross, commission }]) =>
      tx.run(sql.addToMonth, [...key.split(' '), bookings, hours, gross, commission]),
    ),
  );
}
