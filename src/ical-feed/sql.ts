import { merged } from '../bookings/merged.ts';
import { read } from '../db/database.ts';

/** Reads nothing about the guest, so that the feed cannot tell anything about them. */
export interface BookedRow {
  id: string;
  date: string;
  start_hour: number;
  starts_at: number;
  ends_at: number;
  created_at: number;
}

/** Reading and writing them takes about half a millisecond on SQLite, where nothing else runs meanwhile. */
export const PAGE_ROWS = 100;

const COLUMNS = 'id, date, start_hour, starts_at, ends_at, created_at';

const ofStatus = (status: 'confirmed' | 'completed'): string => `
  select ${COLUMNS} from bookings
  where on_postgres(host_id = $1 and) space_id = $2 and status = '${status}' and (date, start_hour, id) > ($3, $4, $5)`;

/** The next bookings after (date $3, start hour $4, id $5) that were not cancelled. */
export const selectBooked = read<BookedRow>(
  `${merged(COLUMNS, [ofStatus('confirmed'), ofStatus('completed')], String(PAGE_ROWS))} limit ${PAGE_ROWS}`,
);
