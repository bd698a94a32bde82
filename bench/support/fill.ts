import { Client } from 'pg';
import type { Context } from '../../src/context.ts';
import { write } from '../../src/db/database.ts';
import { withoutIndexes } from '../money-data.ts';
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
  const spaces = hosts.length * hosts[0]!.spaces.length;
  await withoutIndexes(ctx.db, () =>
    ctx.db.exclusive(async (tx) => {
      // All of them refer to what is there; checking each would take longer than the rest.
      if (ctx.db.engine === 'postgres') await tx.script('set local session_replication_role = replica');
      await tx.run(insertBookings(filledDates()), [count, spaces, ctx.clock.now()]);
      await tx.run(insertHours);
    }),
  );
}

/** What autovacuum would have done in a while; before that, plans and visibility are those of empty tables. */
export async function tidy(postgresUrl: string): Promise<void> {
  const client = new Client({ connectionString: postgresUrl });
  await client.connect();
  await client.query('vacuum analyze');
  await client.query('checkpoint');
  await client.end();
}

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
const DIGIT = '(values (0), (1), (2), (3), (4), (5), (6), (7), (8), (9))';

/** Text of twelve digits, for the end of a uuid. */
const twelve = (number: string): string => `substr(cast(1000000000000 + ${number} as text), 2)`;

/** Booking n lies in space n modulo spaces; those of one space lie 73 days apart, modulo the days there are. */
function insertBookings(dates: readonly string[]) {
  const startsAt = `${Date.parse(dates[0]!)} + day * ${DAY_MS} + hour * ${HOUR_MS}`;
  return write(`
    with digits (digit) as ${DIGIT},
    numbers (n) as (
      select a.digit + 10 * (b.digit + 10 * (c.digit + 10 * (d.digit + 10 * (e.digit + 10 * f.digit))))
      from digits f cross join digits e cross join digits d cross join digits c cross join digits b cross join digits a
    ),
    days (day, date) as (values ${dates.map((date, day) => `(cast(${day} as bigint), '${date}'::date)`).join(', ')}),
    placed as (
      select n, n % cast($2 as integer) as space, n / cast($2 as integer) * 73 % ${dates.length} as day,
        8 + 4 * (n / cast($2 as integer) / ${dates.length}) as hour
      from numbers where n < cast($1 as integer)
    )
    insert into bookings (host_id, id, environment, space_id, status, source, date, start_hour, end_hour, timezone,
      starts_at, ends_at, guest_name, guest_email, guest_key, price_per_hour, total_price, currency,
      commission_millionths, settlement_mode, payment_status, idempotency_key, request_hash, created_at, updated_at)
    select s.host_id, ('01800000-0000-7000-8000-' || ${twelve('n')})::uuid, s.environment, s.id,
      case when ${startsAt} < cast($3 as bigint) then 'completed' else 'confirmed' end, 'api', date, hour, hour + 2,
      s.timezone, ${startsAt}, ${startsAt} + ${2 * HOUR_MS}, 'Ada Miller', 'stored-' || (n / 5) || '@example.com',
      'stored-' || (n / 5) || '@example.com', s.price_per_hour, s.price_per_hour * 2, 'USD', 100000, 'host_settled',
      'host_collected', 'stored-' || n, 'none', ${startsAt} - ${7 * DAY_MS}, ${startsAt} - ${7 * DAY_MS}
    from placed join days using (day) join spaces s
      on s.id = ('${SPACE_ID_PREFIX}' || ${twelve('space')})::uuid
    order by n`);
}

const insertHours = write(`
  insert into hours (host_id, space_id, date, hour, booking_id)
  select host_id, space_id, date, start_hour, id from bookings union all
  select host_id, space_id, date, start_hour + 1, id from bookings order by 1, 2, 3, 4`);
