import type { BooksRow } from '../books/books.ts';
import { read, write } from '../db/database.ts';
import type { Owned } from '../caller.ts';

export interface HostRow {
  id: string;
  timezone: string;
}

/** The next $2 hosts after $1. */
export const selectHosts = read<HostRow>('select id, timezone from hosts where id > $1 order by id limit $2');

const OF_HOSTS = `host_id in (select (value ->> 'id')::uuid from rows_of($1))`;

/** Of some hosts: a JSON list of `{id}`. */
export const selectBooksOf = read<BooksRow & Owned>(
  `select host_id, environment, first_month, closed_through from books where ${OF_HOSTS}`,
);

export const selectZonesOf = read<Owned & { timezone: string }>(
  `select distinct host_id, environment, timezone from spaces where ${OF_HOSTS}`,
);

export const saveBooks = write(`
  insert into books (host_id, environment, first_month, closed_through) values ($1, $2, $3, $4)
  on conflict (host_id, environment) do update
  set first_month = excluded.first_month, closed_through = excluded.closed_through`);

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

interface ClosingRow {
  closed_at: number;
  opening_balance: number;
  /** Both null while the figures of the month are being added up. */
  closing_balance: number | null;
  figures: string | null;
}

/** What is recorded of a closed month. */
export const selectClosing = read<ClosingRow>(`
  select closed_at, opening_balance, closing_balance, figures from closings
  where host_id = $1 and environment = $2 and month = $3`);

/** The balance that was carried forward last before month $4, from month $3 on. */
export const selectCarried = read<{ month: string; closing_balance: number | null }>(`
  select month, closing_balance from closings
  where host_id = $1 and environment = $2 and month >= $3 and month < $4 and closing_balance is not null
  order by month desc limit 1`);

export const insertClosing = write(`
  insert into closings (host_id, environment, month, closed_at, opening_balance) values ($1, $2, $3, $4, $5)`);

/** Those whose figures are still to be added up. */
export const selectBegun = read<Owned>('select host_id, environment from closings where figures is null');

export const selectBegunOf = read<{ month: string }>(
  'select month from closings where host_id = $1 and environment = $2 and figures is null order by month',
);

export const saveFigures = write(`
  update closings set figures = $4, closing_balance = opening_balance + $5
  where host_id = $1 and environment = $2 and month = $3 and figures is null`);
