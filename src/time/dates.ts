import { LAST_INSTANT, toTimestamp } from './clock.ts';
import { DAY_MS } from './units.ts';

/** The calendar of this service: the years that both engines and a four-digit year can hold. */
export const FIRST_DATE = '0001-01-01';
export const LAST_DATE = '9999-12-31';

const DAYS_IN_MONTH = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/** A date that exists, as YYYY-MM-DD. By hand: most requests carry a date, and Temporal takes five times as long. */
export function isCalendarDate(text: string): boolean {
  const parts = /^(\d{4})-(\d{2})-(\d{2})$/.exec(text);
  if (parts === null) return false;
  const [year, month, day] = [Number(parts[1]), Number(parts[2]), Number(parts[3])];
  const isLeap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  const last = month === 2 && isLeap ? 29 : (DAYS_IN_MONTH[month - 1] ?? 0);
  return year >= 1 && day >= 1 && day <= last;
}

/** Stops at the first and the last date there is. */
export function addDays(date: string, days: number): string {
  const moved = Temporal.PlainDate.from(date).add({ days });
  if (moved.year < 1) return FIRST_DATE;
  return moved.year > 9999 ? LAST_DATE : moved.toString();
}

export function daysBetween(first: string, last: string): number {
  return (Date.parse(last) - Date.parse(first)) / DAY_MS;
}

/** On the last day of February where the other year has no leap day. */
export function addYears(date: string, years: number): string {
  return Temporal.PlainDate.from(date).add({ years }).toString();
}

/** This date and those after it; undefined where they lead beyond the last date there is. */
export function datesFrom(first: string, count: number): string[] | undefined {
  const start = Date.parse(first);
  if (start + (count - 1) * DAY_MS > LAST_INSTANT) return undefined;
  return Array.from({ length: count }, (_, i) => toTimestamp(start + i * DAY_MS).slice(0, first.length));
}
