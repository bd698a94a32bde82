import { read } from '../db/database.ts';

/** Reads nothing about the guest, so that the feed cannot tell anything about them. */
export interface BookedRow {
  id: string;
  starts_at: number;
  ends_at: number;
  created_at: number;
}

export const selectBooked = read<BookedRow>(`
  select id, starts_at, ends_at, created_at from bookings
  where host_id = $1 and space_id = $2 and date >= $3 and status <> 'cancelled'
  order by date, start_hour, id`);
