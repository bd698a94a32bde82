import { PLANNED_EACH_TIME, read, write } from '../db/database.ts';
import { COMMISSION_SQL } from '../money/commission.ts';
import type { Sums } from '../money/sums.ts';
import { LAST_DATE } from '../time/dates.ts';

/** The sums of one space over all time, or of some spaces in one month. */
export type EarnedRow = EarnedSpace | (Sums & { kind: 'month'; name: string; title: null });
export type EarnedSpace = Sums & { kind: 'space'; name: string; title: string };

/** Stands for all months of a space together. */
export const ALL_MONTHS = '0000-00';

// Money is added up in integers and handed over as a double, which is what a number in JavaScript is. An integer past
// 2^53 would be refused by SQLite's driver.
const asNumbers = (expression: (column: string) => string): string =>
  `cast(${expression('bookings')} as bigint) as bookings, cast(${expression('hours')} as bigint) as hours,
  cast(${expression('gross')} as double precision) as gross, cast(${expression('commission')} as double precision) as commission`;

const OF_SPACES = 'e.host_id = $1 and e.environment = $2 and e.space_id = s.id and e.month';

/** So many spaces are read by one statement: half a millisecond on SQLite, where everybody waits for it. */
export const SPACES_PER_PART = 40;

const NEXT_SPACES = `(
    select id, title from spaces where host_id = $1 and environment = $2 and id > $4 order by id limit ${SPACES_PER_PART})`;

/**
 * The next spaces after $4, with or without earnings, and what they earned in each month since $3 that has some. One statement,
 * so that both are read from one snapshot. "cross join" makes SQLite begin with the spaces and look up their last months: a long
 * past is not read.
 */
export const selectEarned = read<EarnedRow>(`
  select 'space' as kind, cast(s.id as text) as name, s.title, ${asNumbers((column) => `coalesce(e.${column}, 0)`)}
  from ${NEXT_SPACES} s left join monthly_earnings e on ${OF_SPACES} = '${ALL_MONTHS}'
  union all
  select 'month', e.month, null, ${asNumbers((column) => `sum(e.${column})`)}
  from ${NEXT_SPACES} s cross join monthly_earnings e
  where ${OF_SPACES} >= $3 group by e.month
  order by 1, 2`);

/** Adds to the sums of a space's month. */
export const addToMonth = write(`
  insert into monthly_earnings (host_id, environment, space_id, month, bookings, hours, gross, commission)
  values ($1, $2, $3, $4, $5, $6, $7, $8)
  on conflict (host_id, environment, space_id, month) do update set
    bookings = monthly_earnings.bookings + excluded.bookings,
    hours = monthly_earnings.hours + excluded.hours,
    gross = monthly_earnings.gross + excluded.gross,
    commission = monthly_earnings.commission + excluded.commission`);

/**
 * The host's oldest booking that has ended and is not completed. There is one only while the worker is behind, so the
 * index of what is due is nearly empty.
 */
export const firstOverdue = read<{ ends_at: number }>(
  `
  select ends_at from bookings
  where unindexed(host_id) = $1 and unindexed(environment) = $2 and status = 'confirmed' and ends_at <= $3
  order by ends_at limit 1`,
  PLANNED_EACH_TIME,
);

/** About how many bookings one statement adds up: less than a millisecond, since on SQLite everybody waits for it. */
const UPCOMING_ROWS = 500;

const UPCOMING = `from bookings where host_id = $1 and environment = $2 and status = 'confirmed' and date > $3`;

/**
 * The sums of the next upcoming bookings after date $3: whole dates, until there are enough of them. `last` is
 * the last of these dates, or LAST_DATE at the end.
 */
export const sumUpcoming = read<Sums & { last: string }>(
  `
  with slice as (
    select coalesce((
      select date ${UPCOMING} order by date limit 1 offset ${UPCOMING_ROWS - 1}), '${LAST_DATE}'::date) as last
  )
  select (select last from slice) as last, count(*) as bookings,
    cast(coalesce(sum(end_hour - start_hour), 0) as bigint) as hours,
    cast(coalesce(sum(total_price), 0) as double precision) as gross,
    cast(coalesce(sum(${COMMISSION_SQL}), 0) as double precision) as commission
  ${UPCOMING} and date <= (select last from slice)`,
  PLANNED_EACH_TIME,
);
