import { read, write } from '../db/database.ts';
import type { Sums } from '../money/sums.ts';

export interface EarnedRow extends Sums {
  space_id: string;
  title: string;
  /** Empty: all months before the first one asked for, and a space that has earned nothing. */
  month: string;
}

/**
 * What every space has earned since month $3, month by month, and before it in one row: the same rows for all that
 * a summary says, so that its parts agree.
 */
export const selectEarned = read<EarnedRow>(`
  select s.id as space_id, s.title, case when e.month >= $3 then e.month else '' end as month,
    cast(coalesce(sum(e.bookings), 0) as bigint) as bookings, cast(coalesce(sum(e.hours), 0) as bigint) as hours,
    cast(coalesce(sum(e.gross), 0) as bigint) as gross,
    cast(coalesce(sum(e.commission), 0) as bigint) as commission
  from spaces s left join monthly_earnings e on e.space_id = s.id
  where s.host_id = $1 and s.environment = $2
  group by s.id, s.title, case when e.month >= $3 then e.month else '' end
  order by s.id`);

/** Adds to what a space has earned in a month. */
export const addToMonth = write(`
  insert into monthly_earnings (space_id, month, bookings, hours, gross, commission)
  values ($1, $2, $3, $4, $5, $6)
  on conflict (space_id, month) do update set
    bookings = monthly_earnings.bookings + excluded.bookings,
    hours = monthly_earnings.hours + excluded.hours,
    gross = monthly_earnings.gross + excluded.gross,
    commission = monthly_earnings.commission + excluded.commission`);

/** About as many bookings as one statement adds up: some two milliseconds where reading is synchronous. */
const UPCOMING_ROWS = 1000;
export const LAST_DATE = '9999-12-31';

const UPCOMING = `from bookings where host_id = $1 and environment = $2 and status = 'confirmed' and date > $3`;

/**
 * The sums of the next upcoming bookings after date $3: whole dates, until there are enough of them. `last` is
 * the last of these dates, or LAST_DATE at the end. The commission is commissionOf() in SQL.
 */
export const sumUpcoming = read<Sums & { last: string }>(`
  with slice as (
    select coalesce((select date ${UPCOMING} order by date limit 1 offset ${UPCOMING_ROWS - 1}), '${LAST_DATE}') as last
  )
  select (select last from slice) as last, count(*) as bookings,
    cast(coalesce(sum(end_hour - start_hour), 0) as bigint) as hours,
    cast(coalesce(sum(total_price), 0) as bigint) as gross,
    cast(coalesce(sum(total_price / 1000000 * commission_millionths
      + (total_price % 1000000 * commission_millionths + 500000) / 1000000), 0) as bigint) as commission
  ${UPCOMING} and date <= (select last from slice)`);
