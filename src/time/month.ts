import { localDate } from './zones.ts';

/** A calendar month as `YYYY-MM`, as a regular expression. */
export const MONTH_PATTERN = '^\\d{4}-(0[1-9]|1[0-2])$';

export const NOT_A_MONTH = 'must be a month in the form YYYY-MM';

/** The month on the wall clock of a timezone. */
export function monthAt(timezone: string, epochMs: number): string {
  return monthOf(localDate(timezone, epochMs));
}

/** `count` months up to and including this one, oldest first. */
export function monthsUpTo(month: string, count: number): string[] {
  const last = Temporal.PlainYearMonth.from(month);
  return Array.from({ length: count }, (_, i) => last.subtract({ months: count - 1 - i }).toString());
}

/** The month of a date. */
export function monthOf(date: string): string {
  return date.slice(0, 'YYYY-MM'.length);
}

export function monthBefore(month: string): string {
  return monthsUpTo(month, 2)[0]!;
}

export function monthAfter(month: string): string {
  return Temporal.PlainYearMonth.from(month).add({ months: 1 }).toString();
}

export function lastDateOf(month: string): string {
  const { daysInMonth } = Temporal.PlainYearMonth.from(month);
  return `${month}-${daysInMonth}`;
}

/** The first instant that is no longer in the month on the wall clock of a timezone. */
export function monthEndsAt(timezone: string, month: string): number {
  const firstAfter = Temporal.PlainYearMonth.from(month).add({ months: 1 }).toPlainDate({ day: 1 });
  return firstAfter.toZonedDateTime(timezone).epochMilliseconds;
}
