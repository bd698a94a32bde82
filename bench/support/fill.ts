import { createReadStream } from 'node:fs';
import { finished } from 'node:stream/promises';
import { Client } from 'pg';
import type { Context } from '../../src/context.ts';
import { write } from '../../src/db/database.ts';
import { sumCompleted, withoutIndexes } from '../money-data.ts';
import { datesFrom, SPACE_ID_PREFIX, type BenchHost } from './world.ts';

/** Two years of business: from so many days ago to the last day before the bookings of the benchmark. */
const DAYS_BACK = 700;
const DAYS = 731;

export const filledDates = (): string[] => datesFrom(-DAYS_BACK, DAYS);
/** The first of the days that `fill` leaves free. */
export const FIRST_FREE_DAY = DAYS - DAYS_BACK;

/**
 * Stores bookings past every rule, spread evenly over all spaces and two years, with their hours: two hours
 * each, a guest comes five times. What is over is completed, so that the worker has nothing to do.
 */
export async function fill(ctx: Context, hosts: readonly BenchHost[], count: number): Promise<void> {
  const spaces = spacesOf(hosts);
  // Those of one space lie 73 days apart, modulo the days there are.
  const day = `n / ${spaces} * 73 % ${DAYS}`;
  const hour = `8 + 4 * (n / ${spaces} / ${DAYS})`;
  await store(ctx, {
    count,
    spaces,
    firstDate: datesFrom(-DAYS_BACK, 1)[0]!,
    day,
    hour,
    isCancelled: 'n < 0',
  });
}

/** Bookings of a space on each day of a long business. */
const A_DAY = 2;

/**
 * Stores so many days of business up to the last day before the bookings of the benchmark: the same bookings around today
 * however long the business has been running. One in ten is cancelled. With the sums that completing them writes.
 */
export async function fillDays(ctx: Context, hosts: readonly BenchHost[], days: number): Promise<void> {
  const spaces = spacesOf(hosts);
  await store(ctx, {
    count: days * A_DAY * spaces,
    spaces,
    firstDate: datesFrom(FIRST_FREE_DAY - days, 1)[0]!,
    day: `n / ${spaces} / ${A_DAY}`,
    hour: `8 + 4 * (n / ${spaces} % ${A_DAY})`,
    isCancelled: `(n + n / ${spaces}) % 10 = 9`,
  });
  await ctx.db.exclusive((tx) => tx.run(sumCompleted));
}

/** How many days of business make so many bookings. */
export function daysFor(count: number, spaces: number): number {
  return Math.round(count / A_DAY / spaces);
}

function spacesOf(hosts: readonly BenchHost[]): number {
  return hosts.length * hosts[0]!.spaces.length;
}

interface Bookings {
  readonly count: number;
  readonly spaces: number;
  readonly firstDate: string;
  /** SQL of n, the booking's number: days after the first, the first of its hours, and whether it is cancelled. */
  readonly day: string;
  readonly hour: string;
  readonly isCancelled: string;
}

async function store(ctx: Context, bookings: Bookings): Promise<void> {
  await withoutIndexes(ctx.db, () =>
    ctx.db.exclusive(async (tx) => {
      // All of them refer to what is there; checking each would take longer than the rest.
      if (ctx.db.engine === 'postgres') await tx.script('set local session_replication_role = replica');
      // Every booking has another host than the one before. Without room for all pages each of them is read from the file again.
      else await tx.script('pragma cache_size = -2000000');
      await tx.run(insertBookings(bookings, DATE[ctx.db.engine]), [ctx.clock.now()]);
      await tx.run(insertHours);
    }),
  );
}

/**
 * Brings a filled database where it would be after a while. On PostgreSQL autovacuum would have passed; before that, plans and
 * visibility are those of empty tables. The embedded engine's file would be in the machine's memory, if there is room.
 */
export async function tidy(url: string): Promise<void> {
  if (url.startsWith('sqlite:')) {
    await finished(createReadStream(url.slice('sqlite:'.length)).resume());
    return;
  }
  const client = new Client({ connectionString: url });
  await client.connect();
  await client.query('vacuum analyze');
  await client.query('checkpoint');
  await client.end();
}

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
/** Text of twelve digits, for the end of a uuid. */
const twelve = (number: string): string => `substr(cast(1000000000000 + ${number} as text), 2)`;

/** The date so many days after the first. */
const DATE = {
  sqlite: (first: string, days: string) => `date('${first}', ${days} || ' days')`,
  postgres: (first: string, days: string) => `'${first}'::date + (${days})::integer`,
};

/** Booking n lies in space n modulo spaces. */
function insertBookings(
  { count, spaces, firstDate, day, hour, isCancelled }: Bookings,
  date: (typeof DATE)['sqlite'],
) {
  const startsAt = `${Date.parse(firstDate)} + day * ${DAY_MS} + hour * ${HOUR_MS}`;
  return write(`
    with recursive numbers (n) as (select 0 union all select n + 1 from numbers where n < ${count - 1}),
    placed as (
      select n, n % ${spaces} as space, cast(${day} as bigint) as day, ${hour} as hour, ${isCancelled} as is_cancelled from numbers
    )
    insert into bookings (host_id, id, environment, space_id, status, source, date, start_hour, end_hour, timezone,
      starts_at, ends_at, guest_name, guest_email, guest_key, price_per_hour, total_price, currency,
      commission_millionths, settlement_mode, payment_status, idempotency_key, request_hash, cancelled_at, created_at,
      updated_at)
    select s.host_id, ('01800000-0000-7000-8000-' || ${twelve('n')})::uuid, s.environment, s.id,
      case when is_cancelled then 'cancelled' when ${startsAt} < $1::bigint then 'completed' else 'confirmed' end, 'api', ${date(firstDate, 'day')}, hour,
      hour + 2, s.timezone, ${startsAt}, ${startsAt} + ${2 * HOUR_MS}, 'Ada Miller', 'stored-' || (n / 5) || '@example.com',
      'stored-' || (n / 5) || '@example.com', s.price_per_hour, s.price_per_hour * 2, 'USD', 100000, 'host_settled',
      'host_collected', 'stored-' || n, 'none', case when is_cancelled then ${startsAt} end, ${startsAt} - ${7 * DAY_MS},
      ${startsAt} - ${7 * DAY_MS}
    from placed join spaces s
      on s.id = ('${SPACE_ID_PREFIX}' || ${twelve('space')})::uuid
    order by n`);
}

const HOLDING = `bookings where status <> 'cancelled'`;

const insertHours = write(`
  insert into hours (host_id, space_id, date, hour, booking_id)
  select host_id, space_id, date, start_hour, id from ${HOLDING} union all
  select host_id, space_id, date, start_hour + 1, id from ${HOLDING} order by 1, 2, 3, 4`);
