import type { BookingSource, BookingStatus, PaymentStatus } from '../bookings/schemas.ts';
import { PLANNED_EACH_TIME, read } from '../db/database.ts';
import { merged } from '../bookings/merged.ts';
import type { SettlementMode } from '../hosts/hosts.ts';
import { COMMISSION_SQL } from '../money/commission.ts';
import type { Sums } from '../money/sums.ts';

export interface AccountRow {
  currency: string;
  timezone: string;
  /** Null for a host without spaces in this environment. */
  space_timezone: string | null;
}

/** One row for each timezone in which the host has spaces. */
export const selectAccount = read<AccountRow>(`
  select h.currency, h.timezone, s.timezone as space_timezone
  from hosts h left join spaces s on s.host_id = $1 and s.environment = $2
  where h.id = $1
  group by h.currency, h.timezone, s.timezone`);

export interface SettledRow {
  id: string;
  space_id: string;
  space_title: string;
  status: BookingStatus;
  source: BookingSource;
  date: string;
  start_hour: number;
  end_hour: number;
  total_price: number;
  commission_millionths: number;
  settlement_mode: SettlementMode;
  payment_status: PaymentStatus;
}

/**
 * A page of this size takes about half a millisecond on SQLite, where nothing else runs while it is read. Larger pages
 * made a report no cheaper, and other requests wait longer for them.
 */
export const PAGE_ROWS = 100;

const COLUMNS = `status, source, date, start_hour, end_hour, total_price, commission_millionths, settlement_mode,
  payment_status`;

const ofStatus = (status: BookingStatus): string => `
  select id, space_id, (
    select title from spaces where host_id = $1 and environment = $2 and id = bookings.space_id) as space_title, ${COLUMNS}
  from bookings
  where host_id = $1 and environment = $2 and status = '${status}' and (date, start_hour, id) > ($3, $4, $5) and date <= $6`;

const EVERY_STATUS = [ofStatus('confirmed'), ofStatus('completed'), ofStatus('cancelled')];

/**
 * The next bookings after (date, start_hour, id), merged from the three parts of the index. All sources and statuses are read: with a
 * condition on them, one page might have to pass over any number of rows. The title is a sub-select, and the limit is
 * part of the text, so that PostgreSQL reads the page and no more: with a join or a parameter it may read and sort all.
 */
export const selectPage = read<SettledRow>(
  `${merged(`id, space_id, space_title, ${COLUMNS}`, EVERY_STATUS, String(PAGE_ROWS))} limit ${PAGE_ROWS}`,
);

export type SumsRow = Sums & Pick<SettledRow, 'status' | 'settlement_mode' | 'payment_status'>;

/**
 * What the bookings of a host from date $3 to date $4 add up to, by what makes a difference in a report. Money is handed over as a
 * double, which is what a number in JavaScript is.
 */
export const selectSums = read<SumsRow>(
  `
  select status, settlement_mode, payment_status, cast(count(*) as bigint) as bookings,
    cast(sum(end_hour - start_hour) as bigint) as hours, cast(sum(total_price) as double precision) as gross,
    cast(sum(${COMMISSION_SQL}) as double precision) as commission
  from bookings
  where host_id = $1 and environment = $2 and status in ('confirmed', 'completed', 'cancelled')
    and date >= $3 and date <= $4 and source = 'api'
  group by status, settlement_mode, payment_status`,
  PLANNED_EACH_TIME,
);
