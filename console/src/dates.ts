import { currentLocale } from './locale.ts';

// Civil dates as the API writes them, YYYY-MM-DD: no clock and no zone, so arithmetic in UTC is exact.

export type CivilDate = string;

export function addDays(date: CivilDate, days: number): CivilDate {
  const moved = noonOf(date);
  moved.setUTCDate(moved.getUTCDate() + days);
  return moved.toISOString().slice(0, 10);
}

export function addMonths(month: string, months: number): string {
  const [year = 0, number = 1] = month.split('-').map(Number);
  return new Date(Date.UTC(year, number - 1 + months, 1)).toISOString().slice(0, 7);
}

/** From the first day of the week, as the language has it, to its last. */
export function weekOf(date: CivilDate): CivilDate[] {
  const back = (noonOf(date).getUTCDay() - firstWeekday() + 7) % 7;
  return Array.from({ length: 7 }, (_, day) => addDays(date, day - back));
}

export function isDate(text: string): boolean {
  return /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(noonOf(text).getTime());
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
