import { NO_ID } from '../ids/uuid.ts';
import { isCalendarDate } from '../time/dates.ts';
import { isId } from './cursor.ts';
import type { BookingFilter } from './schemas.ts';
import * as sql from './sql.ts';

/** A place in a list by date: the next page begins after this booking. */
export type Position = [date: string, startHour: number, id: string];

export const start = (from: string): Position => [from, -1, NO_ID];

export function positionOf(row: sql.PositionRow): Position {
  return [row.date, row.start_hour, row.id];
}

/** The forms that its three fields have in a cursor. */
export const POSITION_FORMS = [isCalendarDate, (hour: string) => /^\d{1,2}$/.test(hour), isId];

export function readPosition([date, hour, id]: readonly string[]): Position {
  return [date!, Number(hour), id!];
}

/** The statements for these filters, and the values of the filters. */
export function statementsFor({ space_id, status }: BookingFilter) {
  if (space_id !== undefined && status !== undefined) {
    return { statements: sql.lists.bySpaceAndStatus, values: [space_id.toLowerCase(), status] };
  }
  if (space_id !== undefined) return { statements: sql.lists.bySpace, values: [space_id.toLowerCase()] };
  if (status !== undefined) return { statements: sql.lists.byStatus, values: [status] };
  return { statements: sql.lists.all, values: [] };
}
