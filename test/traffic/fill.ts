import { createReadStream } from 'node:fs';
import { finished } from 'node:stream/promises';
import type { Context } from '../../src/context.ts';
import { read, write, type Db, type Engine } from '../../src/db/database.ts';
import { ALL_MONTHS } from '../../src/earnings/sql.ts';
import { onServer } from '../support/citus.ts';
import { addHosts, datesFrom, withDatabase, type BenchHost } from './world.ts';

/** Two years of business: from so many days ago to the last day before the bookings of the benchmark. */
const DAYS_BACK = 700;
const DAYS = 731;

export const filledDates = (): string[] => datesFrom(-DAYS_BACK, DAYS);
/** The first of the days that `fill` leaves free. */
export const FIRST_FREE_DAY = DAYS - DAYS_BACK;

/**
 * Stores bookings past every rule, spread evenly over all spaces and so many days, with their hours: two hours
 * each, a guest comes five times. What is over is completed, so that the worker has nothing to do.
 */
export async function fill(
  ctx: Context,
  hosts: readonly BenchHost[],
  count: number,
  days = DAYS,
  isCancelled = 'n < 0',
  reference = 'null',
): Promise<void> {
  const spaces = spacesOf(hosts);
  const insert = insertBookings(ctx.db.engine, count, spaces, days, isCancelled, reference);
  await inBulk(ctx.db, () =>
    ctx.db.migration(async (tx) => {
      // Every booking has another host than the one before. Without room for all pages each of them is read from the file again.
      if (ctx.db.engine === 'sqlite') await tx.script('pragma cache_size = -2000000');
      await tx.run(insert, [ctx.clock.now()]);
      await tx.run(insertHours);
    }),
  );
}

/** Bookings of a space on each day of a long business. */
const A_DAY = 2;

/**
 * Stores so many days of business up to the last day before the bookings of the benchmark: the same bookings around today
 * however long the business has been running. One in ten is cancelled. Each has a reference of its own. With the sums that completing them writes.
 */
export async function fillDays(ctx: Context, hosts: readonly BenchHost[], days: number): Promise<void> {
  const spaces = spacesOf(hosts);
  await fill(ctx, hosts, days * A_DAY * spaces, days, `(n + n / ${spaces}) % 10 = 9`, `'PMS-' || n`);
  await ctx.db.migration((tx) => tx.run(sumCompleted));
}

/** How many days of business make so many bookings. */
export function daysFor(count: number, spaces: number): number {
  return Math.round(count / A_DAY / spaces);
}

function spacesOf(hosts: readonly BenchHost[]): number {
  return hosts.length * hosts[0]!.spaces.length;
}

/**
 * Hosts with so many bookings, in a database as it would be after a while. Another checkout does so with its own code; with
 * `fillDays` it is so many days.
 */
export async function addFilledHosts(
  url: string,
  hosts: number,
  spacesEach: number,
  count: number,
  code = { withDatabase, addHosts, fill },
): Promise<BenchHost[]> {
  const added = await code.withDatabase(url, async (ctx) => {
    const added = await code.addHosts(ctx, hosts, spacesEach);
    await code.fill(ctx, added, count);
    return added;
  });
  await tidy(url);
  return added;
}

/**
 * Brings a filled database where it would be after a while. On PostgreSQL autovacuum would have passed; before that, plans and
 * visibility are those of empty tables. The embedded engine's file would be in the machine's memory, if there is room.
 */
export async function tidy(url: string): Promise<void> {
  if (url.startsWith('sqlite:')) await finished(createReadStream(url.slice('sqlite:'.length)).resume());
  else await onServer(url, ['vacuum analyze', 'checkpoint']);
}

/**
 * A million rows find their places in an index faster all at once than one by one. And all of them refer to what is there:
 * on PostgreSQL checking each would take longer than the rest.
 */
export async function inBulk(db: Db, work: () => Promise<void>): Promise<void> {
  const indexes = await db.all(INDEXES[db.engine]);
  const checks = (state: 'enable' | 'disable'): string[] =>
    db.engine === 'postgres'
      ? ['bookings', 'hours'].map((table) => `alter table ${table} ${state} trigger all;`)
      : [];
  const script = (lines: readonly string[]) => db.migration((tx) => tx.script(lines.join('\n')));
  await script([...checks('disable'), ...indexes.map(({ name }) => `drop index ${name};`)]);
  await work();
  await script([...checks('enable'), ...indexes.map(({ definition }) => `${definition};`)]);
}

interface IndexRow {
  name: string;
  definition: string;
}

const INDEXES = {
  sqlite: read<IndexRow>(`
    select name, sql as definition from sqlite_master
    where type = 'index' and tbl_name = 'bookings' and sql is not null`),
  postgres: read<IndexRow>(`
    select indexname as name, indexdef as definition from pg_indexes
    where tablename = 'bookings' and indexname <> 'bookings_pkey'`),
};

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;

/** The date so many days after the first. */
const DATE = {
  sqlite: (first: string, days: string) => `date('${first}', ${days} || ' days')`,
  postgres: (first: string, days: string) => `'${first}'::date + (${days})::integer`,
};

/** Booking n lies in space n modulo spaces. Those of one space follow each other in time, at two hours of a day in turns. */
function insertBookings(
  engine: Engine,
  count: number,
  spaces: number,
  days: number,
  isCancelled: string,
  reference: string,
) {
  const firstDate = datesFrom(FIRST_FREE_DAY - days, 1)[0]!;
  const day = `cast(n / ${spaces} as bigint) * ${days} / ${Math.ceil(count / spaces)}`;
  const hour = `8 + 4 * (n / ${spaces} % 2)`;
  const startsAt = `${Date.parse(firstDate)} + day * ${DAY_MS} + hour * ${HOUR_MS}`;
  return write(`
    with recursive numbers (n) as (select 0 union all select n + 1 from numbers where n < ${count - 1}),
    placed as (
      select n, n % ${spaces} as space, ${day} as day, ${hour} as hour, ${isCancelled} as is_cancelled from numbers
    )
    insert into bookings (host_id, id, environment, space_id, status, source, date, start_hour, end_hour, timezone,
      starts_at, ends_at, guest_name, guest_email, guest_key, price_per_hour, total_price, currency,
      commission_millionths, settlement_mode, payment_status, idempotency_key, request_hash, cancelled_at, created_at,
      updated_at, reference)
    select s.host_id, ('01800000-0000-7000-8000-' || substr(cast(1000000000000 + n as text), 2))::uuid, s.environment, s.id,
      case when is_cancelled then 'cancelled' when ${startsAt} < $1::bigint then 'completed' else 'confirmed' end, 'api', ${DATE[engine](firstDate, 'day')}, hour,
      hour + 2, s.timezone, ${startsAt}, ${startsAt} + ${2 * HOUR_MS}, 'Ada Miller', 'stored-' || (n / 5) || '@example.com',
      'stored-' || (n / 5) || '@example.com', s.price_per_hour, s.price_per_hour * 2, 'USD', 100000, 'host_settled',
      'host_collected', 'stored-' || n, 'none', case when is_cancelled then ${startsAt} end, ${startsAt} - ${7 * DAY_MS},
      ${startsAt} - ${7 * DAY_MS}, ${reference}
    from placed join (select s.*, row_number() over (order by id) - 1 as number from spaces s) as s on s.number = space
    order by n`);
}

const HOLDING = `bookings where status <> 'cancelled'`;

const insertHours = write(`
  insert into hours (host_id, space_id, date, hour, booking_id)
  select host_id, space_id, date, start_hour, id from ${HOLDING} union all
  select host_id, space_id, date, start_hour + 1, id from ${HOLDING} order by 1, 2, 3, 4`);

/** Rounded half up another way than the service does it. */
const COMMISSION = 'cast(floor(total_price * commission_millionths / 1000000.0 + 0.5) as bigint)';

const sumsBy = (month: string): string => `
  select host_id, environment, space_id, ${month}, count(*), sum(end_hour - start_hour), sum(total_price), sum(${COMMISSION})
  from bookings where status = 'completed' group by 1, 2, 3, 4`;

/** What completing them one by one would have written. */
export const sumCompleted = write(`
  insert into monthly_earnings (host_id, environment, space_id, month, bookings, hours, gross, commission)
  ${sumsBy('substr(cast(date as text), 1, 7)')} union all ${sumsBy(`'${ALL_MONTHS}'`)}`);

interface TableSize {
  name: string;
  bytes: number;
}

/** Bytes on disk, indexes included. */
export const TABLE_SIZES = {
  sqlite: read<TableSize>(`
    select m.tbl_name as name, sum(s.pgsize) as bytes
    from dbstat s join sqlite_schema m on m.name = s.name group by m.tbl_name`),
  postgres: read<TableSize>(`
    select relname as name, pg_total_relation_size(relid) as bytes from pg_stat_user_tables`),
};
