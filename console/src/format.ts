import { isDate, noonOf, type CivilDate } from './dates.ts';
import { currentLocale } from './locale.ts';

// Dates, times and amounts as the chosen language writes them.

/** Thursday, March 18, 2027 */
export const longDate = (date: CivilDate): string =>
  dateFormat({ weekday: 'long', year: 'numeric', month: 'long', day: 'numeric' }).format(noonOf(date));

/** Thu, Mar 18, 2027 */
export const mediumDate = (date: CivilDate): string =>
  dateFormat({ weekday: 'short', year: 'numeric', month: 'short', day: 'numeric' }).format(noonOf(date));

/** Thu, Mar 18 */
export const shortDate = (date: CivilDate): string =>
  dateFormat({ weekday: 'short', month: 'short', day: 'numeric' }).format(noonOf(date));

/** 3/18/2027: as date fields show it */
export const numericDate = (date: CivilDate): string =>
  dateFormat({ year: 'numeric', month: 'numeric', day: 'numeric' }).format(noonOf(date));

/** MM/DD/YYYY: the letters of YYYY-MM-DD in the language's own order */
export function datePattern(iso: string): string {
  const [year, month, day] = iso.split('-');
  const letters: Readonly<Record<string, string | undefined>> = { year, month, day };
  return dateFormat({ year: 'numeric', month: 'numeric', day: 'numeric' })
    .formatToParts(noonOf('2027-03-18'))
    .map(({ type, value }) => letters[type] ?? value)
    .join('');
}

/** Thursday */
export const weekdayName = (date: CivilDate): string => dateFormat({ weekday: 'long' }).format(noonOf(date));

/**
 * A date as a person writes it: 2027-03-18, in the language's own order (3/18/2027), or with the month's name (Mar 18, 2027).
 * Undefined when it cannot be read. The year has four digits: nobody has to guess the century.
 */
export function readDate(text: string): CivilDate | undefined {
  const written = text
    .normalize('NFKC')
    .replaceAll(/[\u200e\u200f\u2066-\u2069]/g, '')
    .trim();
  if (isDate(written)) return written;
  const numbers = written.match(/\d+/g) ?? [];
  const words = written.match(/\p{L}+/gu) ?? [];
  const month = words.map(monthNamed).find((number) => number !== undefined);
  if (words.length > 0 && month === undefined) return undefined;
  const order = dateFormat({ year: 'numeric', month: 'numeric', day: 'numeric' })
    .formatToParts(noonOf('2027-03-18'))
    .map(({ type }) => type)
    .filter((type) => type === 'year' || type === 'day' || (type === 'month' && month === undefined));
  if (numbers.length !== order.length) return undefined;
  // With the name of the month the year is the one of four digits, wherever it stands.
  const year = month === undefined ? order.indexOf('year') : numbers.findIndex(({ length }) => length === 4);
  const day = month === undefined ? order.indexOf('day') : 1 - year;
  const number = month ?? Number(numbers[order.indexOf('month')]);
  if (numbers[year]?.length !== 4 || (numbers[day]?.length ?? 3) > 2) return undefined;
  const two = (value: number | string): string => String(value).padStart(2, '0');
  const date = `${numbers[year]}-${two(number)}-${two(numbers[day]!)}`;
  return isDate(date) ? date : undefined;
}

/** 3 for March, mar and Mar. */
function monthNamed(word: string): number | undefined {
  const asked = word.toLocaleLowerCase(currentLocale());
  for (let month = 1; month <= 12; month++) {
    const date = noonOf(`2027-${String(month).padStart(2, '0')}-18`);
    const names = (['long', 'short'] as const).map((length) =>
      dateFormat({ month: length, day: 'numeric' })
        .formatToParts(date)
        .find(({ type }) => type === 'month'),
    );
    if (names.some((name) => name?.value.toLocaleLowerCase(currentLocale()).replace('.', '') === asked))
      return month;
  }
  return undefined;
}

export const weekday = (date: CivilDate): string => dateFormat({ weekday: 'short' }).format(noonOf(date));

/** March 2027 */
export const monthAndYear = (month: string): string =>
  dateFormat({ month: 'long', year: 'numeric' }).format(noonOf(`${month}-01`));

/** Mar 2027 */
export const shortMonthAndYear = (month: string): string =>
  dateFormat({ month: 'short', year: 'numeric' }).format(noonOf(`${month}-01`));

export const shortMonth = (month: string): string =>
  dateFormat({ month: 'short' }).format(noonOf(`${month}-01`));

/** 10 AM, or 10:00 where a day has 24 hours. A day ends at 12 AM, or at 24:00. */
export function clock(hour: number): string {
  return hasTwelveHours()
    ? dateFormat({ hour: 'numeric' }).format(new Date(Date.UTC(2000, 0, 1, hour)))
    : plainClock(hour);
}

/** 10 AM – 12 PM, 10:00–12:00 */
export const hourRange = (range: Hours): string =>
  [clock(range.start_hour), clock(range.end_hour)].join(hasTwelveHours() ? ' – ' : '–');

/** As a range these would be 12 AM – 12 AM. */
export const isAllDay = (range: Hours): boolean => range.start_hour === 0 && range.end_hour === 24;

/** 10:00 in every language, as the API counts hours: for names of the calendar's cells. */
export const plainClock = (hour: number): string => `${String(hour).padStart(2, '0')}:00`;

/** 10:00–12:00 in every language: for files. */
export const plainHours = (range: Hours): string =>
  `${plainClock(range.start_hour)}–${plainClock(range.end_hour)}`;

interface Hours {
  start_hour: number;
  end_hour: number;
}

const hasTwelveHours = (): boolean => dateFormat({ hour: 'numeric' }).resolvedOptions().hourCycle === 'h12';

/** A moment on the reader's own clock: 14:20 today, otherwise with its date. */
export function moment(instant: string): string {
  const at = new Date(instant);
  const today = at.toDateString() === new Date().toDateString();
  const time = { hour: 'numeric', minute: '2-digit' } as const;
  return zonedFormat(today ? time : { month: 'short', day: 'numeric', ...time }).format(at);
}

/** March 18, 2027, on the reader's own clock */
export const dayOf = (instant: string): string =>
  zonedFormat({ year: 'numeric', month: 'long', day: 'numeric' }).format(new Date(instant));

/** $213.50 */
export const money = (amount: number, currency: string): string =>
  numberFormat({ style: 'currency', currency }).format(amount);

/** 1.85K, 907, or 1848 where the language has no short word for thousands: where there is room for little */
export const shortAmount = (amount: number): string =>
  numberFormat({
    notation: 'compact',
    maximumFractionDigits: 0,
    maximumSignificantDigits: 3,
    roundingPriority: 'morePrecision',
  }).format(amount);

/** 1250.50 in every language: for files. There is no amount of -0. */
export const paddedAmount = (amount: number, currency: string): string =>
  (amount || 0).toFixed(decimals(currency));

/** 1,250.50 or 1,250: for a field, where the currency stands beside it. */
export const amountText = (amount: number, currency: string): string =>
  numberFormat({
    minimumFractionDigits: decimals(currency),
    maximumFractionDigits: decimals(currency),
    trailingZeroDisplay: 'stripIfInteger',
  }).format(amount);

/**
 * An amount as the language writes it: groups of three where it has any, and no more decimals than the currency has.
 * Undefined for everything else, so that nobody's 1,250 is taken for 1.25.
 */
export function readAmount(text: string, currency: string): number | undefined {
  const parts = numberFormat({ minimumFractionDigits: 1 }).formatToParts(1_234_567.5);
  const sign = (type: string): string => parts.find((part) => part.type === type)?.value ?? '';
  const [group, decimal] = [sign('group'), sign('decimal')];
  const fraction = decimals(currency) === 0 ? '' : `(?:[${decimal}]\\d{1,${decimals(currency)}})?`;
  // Any white space stands for another, and so does any apostrophe: nobody can type the narrow ones.
  const between = /\s/.test(group) ? '\\s' : /['’]/.test(group) ? "['’]" : `[${group}]`;
  const whole = group === '' ? '\\d+' : `(?:\\d+|\\d{1,3}(?:${between}\\d{3})+)`;
  if (!new RegExp(`^${whole}${fraction}$`).test(text.trim())) return undefined;
  const [units, rest] = text.trim().split(decimal);
  return Number(`${units!.replaceAll(/\D/g, '')}.${rest ?? '0'}`);
}

/** Digits, or null for an empty text. Undefined for everything else. */
export function readCount(text: string): number | null | undefined {
  const digits = text.trim();
  if (digits === '') return null;
  return /^\d+$/.test(digits) ? Number(digits) : undefined;
}

/** A walk-in without an address has one that leads nowhere: nobody should write to it. */
export const emailOf = ({ guest_email: email }: { guest_email: string }): string | null =>
  email === 'walk-in@walk-in.invalid' ? null : email;

export const count = (number: number): string => numberFormat({}).format(number);

const decimals = (currency: string): number =>
  numberFormat({ style: 'currency', currency }).resolvedOptions().maximumFractionDigits ?? 2;

/** 1 hour, 1,250 hours */
export const many = (number: number, one: string, more: string): string =>
  `${count(number)} ${number === 1 ? one : more}`;

/** Noon in UTC is the same date in UTC, whatever the reader's zone. */
const dateFormat = (options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat =>
  zonedFormat({ ...options, timeZone: 'UTC' });

const zonedFormat = (options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat =>
  cached('date', options, (locale) => new Intl.DateTimeFormat(locale, options));

const numberFormat = (options: Intl.NumberFormatOptions): Intl.NumberFormat =>
  cached('number', options, (locale) => new Intl.NumberFormat(locale, options));

const formats = new Map<string, unknown>();

/** A week has 168 cells with a date each; making a format costs more than using it. */
function cached<T>(kind: string, options: object, make: (locale: string) => T): T {
  const locale = currentLocale();
  const key = `${kind} ${locale} ${JSON.stringify(options)}`;
  if (!formats.has(key)) formats.set(key, make(locale));
  return formats.get(key) as T;
}
