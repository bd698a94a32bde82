import { LAST_INSTANT, toTimestamp } from './clock.ts';
import { DAY_MS } from './units.ts';

/** The calendar of this service: the years that both engines and a four-digit year can hold. */
export const FIRST_DATE = '0001-01-01';
export const LAST_DATE = '9999-12-31';

/** A date that exists, as YYYY-MM-DD. Most requests carry one, and Temporal takes five times as long as Date. */
export function isCalendarDate(text: string): boolean {
  const start = Date.parse(text);
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text) || text < FIRST_DATE || Number.isNaN(start)) return false;
  // Date counts on where a month has not so many days.
  return toTimestamp(start).startsWith(text);
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

/** This date and those after it; undefined where they lead beyond the last date there is. */
export function datesFrom(first: string, count: number): string[] | undefined {
  const start = Date.parse(first);
  if (start + (count - 1) * DAY_MS > LAST_INSTANT) return undefined;
  return Array.from({ length: count }, (_, i) => toTimestamp(start + i * DAY_MS).slice(0, first.length));
}
