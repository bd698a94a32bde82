import type { BookingSource, BookingStatus, PaymentStatus } from '../bookings/schemas.ts';
import { read, write } from '../db/database.ts';
import { merged } from '../bookings/merged.ts';
import type { SettlementMode } from '../hosts/hosts.ts';
import type { Environment } from '../ids/api-key.ts';

export interface ClosingRow {
  closed_at: number;
  opening_balance: number;
  /** Both null while the figures of the month are being added up. */
  closing_balance: number | null;
  figures: string | null;
}

const CLOSING = 'closed_at, opening_balance, closing_balance, figures';

export const selectClosing = read<ClosingRow>(
  `select ${CLOSING} from closings where host_id = $1 and environment = $2 and month = $3`,
);

/** The balance that was carried forward last before month $4, from month $3 on. */
export const selectCarried = read<{ month: string; closing_balance: number }>(`
  select month, closing_balance from closings
  where host_id = $1 and environment = $2 and month >= $3 and month < $4 and closing_balance is not null
  order by month desc limit 1`);

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
  paid_at: number | null;
  refunded_at: number | null;
  is_late: number;
  as_closed: string | null;
}

/**
 * A page of this size takes about half a millisecond on SQLite, where nothing else runs while it is read. Larger pages
 * made a report no cheaper, and other requests wait longer for them.
 */
export const PAGE_ROWS = 100;

const COLUMNS = `status, source, date, start_hour, end_hour, total_price, commission_millionths, settlement_mode,
  payment_status, paid_at, refunded_at, is_late, as_closed`;

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

/** A booking of a date from $3 to $4 that counts there and may still be cancelled or is to be completed. */
export const selectStanding = read<{ id: string }>(`
  select id from bookings
  where host_id = $1 and environment = $2 and status = 'confirmed' and date >= $3 and date <= $4 and source = 'api' and is_late = 0
  limit 1`);

/** The first date after $3 and before $4 that has a booking of a report. */
export const selectFirstDate = read<{ date: string | null }>(`
  select min(date) as date from bookings
  where host_id = $1 and environment = $2 and status in ('confirmed', 'completed', 'cancelled') and date > $3 and date < $4
    and source = 'api' and is_late = 0`);

export const insertClosing = write(`
  insert into closings (host_id, environment, month, closed_at, opening_balance) values ($1, $2, $3, $4, $5)`);

/** Those whose figures are still to be added up. */
export const selectBegun = read<{ host_id: string; environment: Environment }>(
  'select host_id, environment from closings where of_all_hosts(host_id) and figures is null',
);

export const selectBegunOf = read<{ month: string }>(
  'select month from closings where host_id = $1 and environment = $2 and figures is null order by month',
);

export const saveFigures = write(`
  update closings set figures = $4, closing_balance = opening_balance + $5
  where host_id = $1 and environment = $2 and month = $3 and figures is null`);
