/** The calendar of this service: the years that both engines and a four-digit year can hold. */
export const FIRST_DATE = '0001-01-01';
export const LAST_DATE = '9999-12-31';

/** A date that exists, as YYYY-MM-DD. */
export function isCalendarDate(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text) || text < FIRST_DATE) return false;
  try {
    return Temporal.PlainDate.from(text, { overflow: 'reject' }).toString() === text;
  } catch {
    return false;
  }
}

/** Stops at the first and the last date there is. */
export function addDays(date: string, days: number): string {
  const moved = Temporal.PlainDate.from(date).add({ days });
  if (moved.year < 1) return FIRST_DATE;
  return moved.year > 9999 ? LAST_DATE : moved.toString();
}
