import type { Caller } from '../caller.ts';
import type { Context } from '../context.ts';
import type { Tx } from '../db/database.ts';
import type { LongRead } from '../db/long-reads.ts';
import * as hosts from '../hosts/hosts.ts';
import { NO_ID } from '../ids/uuid.ts';
import { addSums, noSums, sumsOf, toMajorSums, type PricedHours, type Sums } from '../money/sums.ts';
import { toTimestamp } from '../time/clock.ts';
import { LAST_DATE } from '../time/dates.ts';
import { monthAt, monthOf, monthsUpTo } from '../time/month.ts';
import { DAY_MS } from '../time/units.ts';
import type { Earnings } from './schemas.ts';
import * as sql from './sql.ts';

const MONTHS_SHOWN = 12;

/** What the host has earned with completed bookings of every source, and apart from it what is upcoming. */
export async function summary(ctx: Context, caller: Caller, longRead: LongRead): Promise<Earnings> {
  const { currency, timezone } = await hosts.get(ctx.db, caller.hostId);
  const months = monthsUpTo(monthAt(timezone, ctx.clock.now()), MONTHS_SHOWN);
  const [{ spaces, byMonth }, upcoming] = await Promise.all([
    sumEarned(ctx, caller, months[0]!, longRead),
    sumUpcoming(ctx, caller, longRead),
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

/** Some spaces at a time. A booking that is completed meanwhile counts in its space and in its month, or in neither. */
async function sumEarned(
  ctx: Context,
  { hostId, environment }: Caller,
  firstMonth: string,
  longRead: LongRead,
): Promise<{ spaces: sql.EarnedSpace[]; byMonth: Map<string, Sums> }> {
  const spaces: sql.EarnedSpace[] = [];
  const byMonth = new Map<string, Sums>();
  for (let after = NO_ID; ;) {
    const values = [hostId, environment, firstMonth, after];
    const rows = await longRead.part(() => ctx.db.all(sql.selectEarned, values));
    for (const row of rows) {
      if (row.kind === 'space') spaces.push(row);
      else addSums(byMonth.getOrInsertComputed(row.name, noSums), row);
    }
    const next = spaces.at(-1)?.name ?? NO_ID;
    if (next === after || spaces.length % sql.SPACES_PER_PART > 0) return { spaces, byMonth };
    after = next;
  }
}

/** Some dates at a time. */
async function sumUpcoming(ctx: Context, caller: Caller, longRead: LongRead): Promise<Sums> {
  const sums = noSums();
  const now = ctx.clock.now();
  const owner = [caller.hostId, caller.environment];
  const overdue = await ctx.db.get(sql.firstOverdue, [...owner, now]);
  for (let after = someDaysBefore(overdue?.ends_at ?? now); after < LAST_DATE;) {
    const values = [...owner, after];
    const slice = (await longRead.part(() => ctx.db.get(sql.sumUpcoming, values)))!;
    if (slice.last <= after) throw new Error(`a slice after ${after} ends with ${slice.last}`);
    addSums(sums, slice);
    after = slice.last;
  }
  return sums;
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
    for (const month of [monthOf(booking.date), sql.ALL_MONTHS]) {
      const key = [booking.host_id, booking.environment, booking.space_id, month].join(' ');
      addSums(groups.getOrInsertComputed(key, noSums), sumsOf(booking));
    }
  }
  const sorted = [...groups].sort(([a], [b]) => (a < b ? -1 : 1));
  await Promise.all(
    sorted.map(([key, { bookings, hours, gross, commission }]) =>
      tx.run(sql.addToMonth, [...key.split(' '), bookings, hours, gross, commission]),
    ),
  );
}
