import { currentLocale } from './locale.ts';

// Civil dates as the API writes them, YYYY-MM-DD: no clock and no zone, so arithmetic in UTC is exact.

export type CivilDate = string;

/** As the API names weekdays; in the order of `getUTCDay`. */
const WEEKDAYS = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'] as const;
export type Weekday = (typeof WEEKDAYS)[number];

export const weekdayOf = (date: CivilDate): Weekday => WEEKDAYS[noonOf(date).getUTCDay()]!;

export function addDays(date: CivilDate, days: number): CivilDate {
  const moved = noonOf(date);
  moved.setUTCDate(moved.getUTCDate() + days);
  return moved.toISOString().slice(0, 10);
}

/** From one date to another; negative when that is earlier. */
export function daysBetween(from: CivilDate, to: CivilDate): number {
  return Math.round((noonOf(to).getTime() - noonOf(from).getTime()) / 86_400_000);
}

export function addMonths(month: string, months: number): string {
  const [year = 0, number = 1] = month.split('-').map(Number);
  return new Date(Date.UTC(year, number - 1 + months, 1)).toISOString().slice(0, 7);
}

/** 2027-02-28 */
export const lastOfMonth = (month: string): CivilDate => addDays(`${addMonths(month, 1)}-01`, -1);

/** The same day of another month, or its last. */
export function sameDayOf(date: CivilDate, months: number): CivilDate {
  const month = addMonths(date.slice(0, 7), months);
  const same = `${month}${date.slice(7)}`;
  return isDate(same) ? same : lastOfMonth(month);
}

/** From the first day of the week, as the language has it, to its last. */
export function weekOf(date: CivilDate): CivilDate[] {
  const back = (noonOf(date).getUTCDay() - firstWeekday() + 7) % 7;
  return Array.from({ length: 7 }, (_, day) => addDays(date, day - back));
}

/** A date of each weekday, for names of weekdays in the order of the language. */
export const anyWeek = (): CivilDate[] => weekOf('2027-03-18');

export function isDate(text: string): boolean {
  if (!/^\d{4}-\d\d-\d\d$/.test(text) || text < '0001') return false;
  const noon = noonOf(text);
  // February 31 would be a day in March.
  return !Number.isNaN(noon.getTime()) && noon.toISOString().startsWith(text);
}

export function isMonth(text: string): boolean {
  return /^\d{4}-(?:0[1-9]|1[0-2])$/.test(text);
}

export function noonOf(date: CivilDate): Date {
  return new Date(`${date}T12:00:00Z`);
}

/** 0 is Sunday, as in `getUTCDay`. */
function firstWeekday(): number {
  const locale = new Intl.Locale(currentLocale()) as Intl.Locale & {
    getWeekInfo?: () => { firstDay: number };
    weekInfo?: { firstDay: number };
  };
  return (locale.getWeekInfo?.() ?? locale.weekInfo ?? { firstDay: 1 }).firstDay % 7;
}
