import type { BookingStatus } from '../bookings/schemas.ts';
import { read } from '../db/database.ts';
import type { SettlementMode } from '../hosts/hosts.ts';

export interface AccountRow {
  currency: string;
  timezone: string;
  /** Null for a host without spaces in this environment. */
  space_timezone: string | null;
}

/** One row for each timezone in which the host has spaces. */
export const selectAccount = read<AccountRow>(`
  select h.currency, h.timezone, s.timezone as space_timezone
  from hosts h left join spaces s on s.host_id = h.id and s.environment = $2
  where h.id = $1
  group by h.currency, h.timezone, s.timezone`);

export interface SettledRow {
  id: string;
  space_id: string;
  space_title: string;
  status: BookingStatus;
  source: 'api' | 'platform';
  date: string;
  start_hour: number;
  end_hour: number;
  total_price: number;
  commission_millionths: number;
  settlement_mode: SettlementMode;
  payment_status: 'host_collected' | 'pending' | 'confirmed';
}

/**
 * A page takes well under a millisecond of the event loop on the embedded engine, where reading is synchronous.
 * Pages of 1000 took the same time in all but made other requests wait for several milliseconds.
 */
export const PAGE_ROWS = 100;

/**
 * The next bookings after (date, start_hour, id), in the order of the index. Bookings of every source and status:
 * leaving them out here would let one page wade through any number of rows. The limit is part of the text, since
 * PostgreSQL plans a limit it does not know as a tenth of the table, and then sorts.
 */
export const selectPage = read<SettledRow>(`
  select b.id, b.space_id, s.title as space_title, b.status, b.source, b.date, b.start_hour, b.end_hour,
    b.total_price, b.commission_millionths, b.settlement_mode, b.payment_status
  from bookings b join spaces s on s.id = b.space_id
  where b.host_id = $1 and b.environment = $2 and (b.date, b.start_hour, b.id) > ($3, $4, $5) and b.date <= $6
  order by b.date, b.start_hour, b.id limit ${PAGE_ROWS}`);
