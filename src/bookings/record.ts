import type { HourRange } from '../hours/hours.ts';
import type { BookingRow } from './fields.ts';

/** Its hours. A cancelled booking no longer holds them. */
export function rangeOf(row: BookingRow): HourRange {
  return {
    hostId: row.host_id,
    spaceId: row.space_id,
    date: row.date,
    startHour: row.start_hour,
    endHour: row.end_hour,
  };
}
