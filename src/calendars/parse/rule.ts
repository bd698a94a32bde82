import { NotUnderstood } from './limits.ts';
import { readTime, type Reading } from './value.ts';

const FREQUENCIES = ['SECONDLY', 'MINUTELY', 'HOURLY', 'DAILY', 'WEEKLY', 'MONTHLY', 'YEARLY'] as const;
export type Frequency = (typeof FREQUENCIES)[number];

export const WEEKDAYS = ['MO', 'TU', 'WE', 'TH', 'FR', 'SA', 'SU'] as const;
type Weekday = (typeof WEEKDAYS)[number];

/** The parts of an RRULE, each within the range that RFC 5545 allows. */
export interface Rule {
  readonly freq: Frequency;
  readonly interval: number;
  readonly count?: number;
  readonly until?: Reading;
  readonly byMonth?: number[];
  readonly byWeekNo?: number[];
  readonly byYearDay?: number[];
  readonly byMonthDay?: number[];
  readonly byDay?: string[];
  readonly byHour?: number[];
  readonly byMinute?: number[];
  readonly bySecond?: number[];
  readonly bySetPos?: number[];
  readonly wkst?: Weekday;
}

/**
 * Reads the value of an RRULE. A part that is wrong refuses the rule, and the error names it: without `BYHOUR=25` it would be another
 * rule than the one that was written.
 */
export function readRule(text: string): Rule {
  const rule: Partial<Rule> = {};
  const seen = new Set<string>();
  for (const part of text.toUpperCase().split(';')) {
    if (part.trim() === '') continue;
    const [name = '', value = '', ...rest] = part.split('=').map((side) => side.trim());
    if (name.startsWith('X-')) continue;
    const read = PARTS[name];
    if (read === undefined) throw new NotUnderstood('not a rule');
    try {
      if (value === '' || rest.length > 0 || seen.has(name)) throw new NotUnderstood(name);
      Object.assign(rule, read(value));
      seen.add(name);
    } catch {
      throw new NotUnderstood(name);
    }
  }
  const { freq, interval = 1 } = rule;
  if (freq === undefined) throw new NotUnderstood('no FREQ');
  return sensible({ ...rule, freq, interval });
}

/**
 * Parts that RFC 5545 forbids for some frequencies. Programs disagree about BYWEEKNO and BYYEARDAY there, so such a rule
 * is refused. A number before a weekday (`FREQ=WEEKLY;BYDAY=1TH`) is ignored, as most programs do.
 */
function sensible(rule: Rule): Rule {
  const { freq, byWeekNo, byYearDay, byDay } = rule;
  if (byWeekNo !== undefined && freq !== 'YEARLY') throw new NotUnderstood('BYWEEKNO');
  if (byYearDay !== undefined && (freq === 'WEEKLY' || freq === 'MONTHLY'))
    throw new NotUnderstood('BYYEARDAY');
  if (byDay === undefined || freq === 'MONTHLY' || freq === 'YEARLY') return rule;
  return { ...rule, byDay: byDay.map((day) => day.slice(-2)) };
}

const PARTS: Readonly<Record<string, (value: string) => Partial<Rule>>> = {
  FREQ: (value) => ({ freq: oneOf(FREQUENCIES, value) }),
  // Some exporters write 0 for 1.
  INTERVAL: (value) => ({ interval: Math.max(1, whole(value)) }),
  // Some exporters write -1 for no end.
  COUNT: (value) => (value === '-1' ? {} : { count: within(1, Infinity, whole(value)) }),
  UNTIL: (value) => ({ until: readTime(value) }),
  BYMONTH: (value) => ({ byMonth: list(value, 1, 12) }),
  BYWEEKNO: (value) => ({ byWeekNo: list(value, -53, 53) }),
  BYYEARDAY: (value) => ({ byYearDay: list(value, -366, 366) }),
  BYMONTHDAY: (value) => ({ byMonthDay: list(value, -31, 31) }),
  BYDAY: (value) => ({ byDay: value.split(',').map(weekday) }),
  BYHOUR: (value) => ({ byHour: list(value, 0, 23) }),
  BYMINUTE: (value) => ({ byMinute: list(value, 0, 59) }),
  // Second 60 is a leap second. It is read as the second before it.
  BYSECOND: (value) => ({ bySecond: list(value, 0, 60).map((second) => Math.min(second, 59)) }),
  BYSETPOS: (value) => ({ bySetPos: list(value, -366, 366) }),
  WKST: (value) => ({ wkst: oneOf(WEEKDAYS, value) }),
  // Rules of other calendars than the Gregorian (RFC 7529) are refused. These two values change nothing.
  RSCALE: (value) => nothing(oneOf(['GREGORIAN'], value)),
  SKIP: (value) => nothing(oneOf(['OMIT'], value)),
};

function oneOf<T extends string>(known: readonly T[], value: string): T {
  const found = known.find((one) => one === value);
  if (found === undefined) throw new NotUnderstood(value);
  return found;
}

function nothing(_said: string): Partial<Rule> {
  return {};
}

function whole(value: string): number {
  if (!/^\d+$/.test(value)) throw new NotUnderstood(value);
  return Number(value);
}

function within(min: number, max: number, value: number): number {
  if (value < min || value > max) throw new NotUnderstood(String(value));
  return value;
}

/** A list of whole numbers within a range. Where the range has negative ones, which count from the end, 0 is refused. */
function list(text: string, min: number, max: number): number[] {
  return text.split(',').map((item) => {
    const value = /^\s*[+-]?\d{1,3}\s*$/.test(item) ? Number(item) : NaN;
    if (!(value >= min && value <= max) || (min < 0 && value === 0)) throw new NotUnderstood(item);
    return value;
  });
}

function weekday(text: string): string {
  const match = /^\s*([+-]?\d{1,2})?(MO|TU|WE|TH|FR|SA|SU)\s*$/.exec(text);
  if (match === null) throw new NotUnderstood(text);
  const [, number, day = ''] = match;
  if (number === undefined) return day;
  const value = Math.abs(Number(number));
  return `${within(1, 53, value) * Math.sign(Number(number))}${day}`;
}
