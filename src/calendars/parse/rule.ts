import { NotUnderstood } from './limits.ts';
import { readTime } from './value.ts';

const FREQUENCIES = ['SECONDLY', 'MINUTELY', 'HOURLY', 'DAILY', 'WEEKLY', 'MONTHLY', 'YEARLY'] as const;
export type Frequency = (typeof FREQUENCIES)[number];

export const WEEKDAYS = ['MO', 'TU', 'WE', 'TH', 'FR', 'SA', 'SU'] as const;

/** How the value of each part of an RRULE is read, within the range that RFC 5545 allows. */
const PARTS = {
  FREQ: (value: string) => oneOf(FREQUENCIES, value),
  // Some exporters write 0 for 1.
  INTERVAL: (value: string) => Math.max(1, whole(value)),
  // Some exporters write -1 for no end.
  COUNT: (value: string) => (value === '-1' ? Infinity : within(1, Infinity, whole(value))),
  UNTIL: readTime,
  BYMONTH: (value: string) => list(value, 1, 12),
  BYWEEKNO: (value: string) => list(value, -53, 53),
  BYYEARDAY: (value: string) => list(value, -366, 366),
  BYMONTHDAY: (value: string) => list(value, -31, 31),
  BYDAY: (value: string) => value.split(',').map(weekday),
  BYHOUR: (value: string) => list(value, 0, 23),
  BYMINUTE: (value: string) => list(value, 0, 59),
  // Second 60 is a leap second. It is read as the second before it.
  BYSECOND: (value: string) => list(value, 0, 60).map((second) => Math.min(second, 59)),
  BYSETPOS: (value: string) => list(value, -366, 366),
  WKST: (value: string) => oneOf(WEEKDAYS, value),
  // Rules of other calendars than the Gregorian (RFC 7529) are refused. These two values change nothing.
  RSCALE: (value: string) => oneOf(['GREGORIAN'], value),
  SKIP: (value: string) => oneOf(['OMIT'], value),
};

type Parts = { readonly [Name in keyof typeof PARTS]: ReturnType<(typeof PARTS)[Name]> };
export type Rule = Partial<Parts> & Pick<Parts, 'FREQ' | 'INTERVAL'>;

/**
 * Reads the value of an RRULE. A part that is wrong refuses the rule, and the error names it: without `BYHOUR=25` it would be another
 * rule than the one that was written.
 */
export function readRule(text: string): Rule {
  const read: Record<string, unknown> = {};
  for (const part of text.toUpperCase().split(';')) {
    const [name = '', value = '', ...rest] = part.split('=').map((side) => side.trim());
    if (part.trim() === '' || name.startsWith('X-')) continue;
    if (!(name in PARTS)) throw new NotUnderstood('not a rule');
    if (value === '' || rest.length > 0 || name in read) throw new NotUnderstood(name);
    try {
      read[name] = PARTS[name as keyof Parts](value);
    } catch {
      throw new NotUnderstood(name);
    }
  }
  if (!('FREQ' in read)) throw new NotUnderstood('no FREQ');
  return sensible({ INTERVAL: 1, ...read } as Rule);
}

/**
 * Parts that RFC 5545 forbids for some frequencies. Programs disagree about BYWEEKNO and BYYEARDAY there, so such a rule
 * is refused. A number before a weekday (`FREQ=WEEKLY;BYDAY=1TH`) is ignored, as most programs do.
 */
function sensible(rule: Rule): Rule {
  const { FREQ, BYWEEKNO, BYYEARDAY, BYDAY } = rule;
  if (BYWEEKNO !== undefined && FREQ !== 'YEARLY') throw new NotUnderstood('BYWEEKNO');
  if (BYYEARDAY !== undefined && (FREQ === 'WEEKLY' || FREQ === 'MONTHLY'))
    throw new NotUnderstood('BYYEARDAY');
  if (BYDAY === undefined || FREQ === 'MONTHLY' || FREQ === 'YEARLY') return rule;
  return { ...rule, BYDAY: BYDAY.map((day) => day.slice(-2)) };
}

function oneOf<T extends string>(known: readonly T[], value: string): T {
  const found = known.find((one) => one === value);
  if (found === undefined) throw new NotUnderstood(value);
  return found;
}

function whole(value: string): number {
  if (!/^\d+$/.test(value)) throw new NotUnderstood(value);
  return Number(value);
}

function within(min: number, max: number, value: number): number {
  if (!(value >= min && value <= max)) throw new NotUnderstood(String(value));
  return value;
}

/** A list of whole numbers within a range. Where the range has negative ones, which count from the end, 0 is refused. */
function list(text: string, min: number, max: number): number[] {
  return text.split(',').map((item) => {
    const value = within(min, max, /^\s*[+-]?\d{1,3}\s*$/.test(item) ? Number(item) : NaN);
    if (min < 0 && value === 0) throw new NotUnderstood(item);
    return value;
  });
}

function weekday(text: string): string {
  const [, number, day] = /^\s*([+-]?\d{1,2})?(MO|TU|WE|TH|FR|SA|SU)\s*$/.exec(text) ?? [];
  if (day === undefined) throw new NotUnderstood(text);
  if (number === undefined) return day;
  within(1, 53, Math.abs(Number(number)));
  return `${Number(number)}${day}`;
}
