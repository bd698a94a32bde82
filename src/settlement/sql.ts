import type { BookingStatus, PaymentStatus } from '../bookings/schemas.ts';
import { read } from '../db/database.ts';
import { merged } from '../bookings/merged.ts';
import type { SettlementMode } from '../hosts/hosts.ts';

export interface SettledRow {
  id: string;
  space_id: string;
  space_title: string;
  status: BookingStatus;
  /** 1: a line of its month. Not one of the platform's own site, nor one that was made late. */
  counts: number;
  date: string;
  start_hour: number;
  end_hour: number;
  total_price: number;
  commission_millionths: number;
  settlement_mode: SettlementMode;
  payment_status: PaymentStatus;
  paid_at: number | null;
  refunded_at: number | null;
  as_closed: string | null;
}

/**
 * A page of this size takes about half a millisecond on SQLite, where nothing else runs while it is read. Larger pages
 * made a report no cheaper, and other requests wait longer for them.
 */
export const PAGE_ROWS = 100;

const COLUMNS = `status, date, start_hour, end_hour, total_price, commission_millionths, settlement_mode,
  payment_status, paid_at, refunded_at, as_closed`;

const ofStatus = (status: BookingStatus): string => `
  select id, space_id, (
    select title from spaces where host_id = $1 and environment = $2 and id = bookings.space_id) as space_title,
    case when source = 'api' and is_late = 0 then 1 else 0 end as counts, ${COLUMNS}
  from bookings
  where host_id = $1 and environment = $2 and status = '${status}' and (date, start_hour, id) > ($3, $4, $5) and date <= $6`;

const EVERY_STATUS = [ofStatus('confirmed'), ofStatus('completed'), ofStatus('cancelled')];

/**
 * The next bookings after (date, start_hour, id), merged from the three parts of the index. All sources and statuses are read: with a
 * condition on them, one page might have to pass over any number of rows. The title is a sub-select, and the limit is
 * part of the text, so that PostgreSQL reads the page and no more: with a join or a parameter it may read and sort all.
 */
export const selectPage = read<SettledRow>(
  `${merged(`id, space_id, space_title, counts, ${COLUMNS}`, EVERY_STATUS, String(PAGE_ROWS))} limit ${PAGE_ROWS}`,
);
