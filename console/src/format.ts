import { noonOf, type CivilDate } from './dates.ts';

// Dates and money in the browser's language; hours as the API and the calendar's rows count them.

const language = (): string => navigator.language;

/** Thursday, March 18, 2027 */
export const longDate = (date: CivilDate): string =>
  dateFormat({ weekday: 'long', year: 'numeric', month: 'long', day: 'numeric' }).format(noonOf(date));

/** Thu, Mar 18, 2027 */
export const mediumDate = (date: CivilDate): string =>
  dateFormat({ weekday: 'short', year: 'numeric', month: 'short', day: 'numeric' }).format(noonOf(date));

/** Thu, Mar 18 */
export const shortDate = (date: CivilDate): string =>
  dateFormat({ weekday: 'short', month: 'short', day: 'numeric' }).format(noonOf(date));

export const weekday = (date: CivilDate): string => dateFormat({ weekday: 'short' }).format(noonOf(date));

export const dayAndMonth = (date: CivilDate): string =>
  dateFormat({ month: 'short', day: 'numeric' }).format(noonOf(date));

/** March 2027 */
export const monthAndYear = (month: string): string =>
  dateFormat({ month: 'long', year: 'numeric' }).format(noonOf(`${month}-01`));

export const shortMonth = (month: string): string =>
  dateFormat({ month: 'short' }).format(noonOf(`${month}-01`));

/** 10:00 */
export const clock = (hour: number): string => `${String(hour).padStart(2, '0')}:00`;

/** 10:00–12:00 */
export const hourRange = (range: { start_hour: number; end_hour: number }): string =>
  `${clock(range.start_hour)}–${clock(range.end_hour)}`;

/** A moment on the reader's own clock: 14:20 today, otherwise with its date. */
export function moment(instant: string): string {
  const at = new Date(instant);
  const today = at.toDateString() === new Date().toDateString();
  const options: Intl.DateTimeFormatOptions = today
    ? { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' }
    : { month: 'short', day: 'numeric', hour: '2-digit', minute: '2-digit', hourCycle: 'h23' };
  return new Intl.DateTimeFormat(language(), options).format(at);
}

/** $213.50 */
export const money = (amount: number, currency: string): string =>
  numberFormat({ style: 'currency', currency }).format(amount);

/** 213.50 USD: for sentences, where no sign may be taken for another currency's. */
export function plainMoney(amount: number, currency: string): string {
  return `${numberFormat({ minimumFractionDigits: decimals(currency), maximumFractionDigits: decimals(currency) }).format(amount)} ${currency}`;
}

export const count = (number: number): string => numberFormat({}).format(number);

const decimals = (currency: string): number =>
  numberFormat({ style: 'currency', currency }).resolvedOptions().maximumFractionDigits ?? 2;

/** Noon in UTC is the same date in UTC, whatever the reader's zone. */
const dateFormat = (options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat =>
  cached(
    `date ${JSON.stringify(options)}`,
    () => new Intl.DateTimeFormat(language(), { ...options, timeZone: 'UTC' }),
  );

const numberFormat = (options: Intl.NumberFormatOptions): Intl.NumberFormat =>
  cached(`number ${JSON.stringify(options)}`, () => new Intl.NumberFormat(language(), options));

const formats = new Map<string, unknown>();

/** A week has 168 cells with a date each; making a format costs more than using it. */
function cached<T>(key: string, make: () => T): T {
  if (!formats.has(key)) formats.set(key, make());
  return formats.get(key) as T;
}
