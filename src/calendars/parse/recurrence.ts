import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../../time/units.ts';
import { dayOf, utc, type Wall } from '../../time/wall-clock.ts';
import { MAX_OCCURRENCES_PER_RULE, NotUnderstood, type Budget } from './limits.ts';
import { WEEKDAYS, type Frequency, type Rule } from './rule.ts';
import type { When } from './value.ts';

/** How long a period of each frequency lasts at least. */
const UNIT_MS: Readonly<Record<Frequency, number>> = {
  SECONDLY: SECOND_MS,
  MINUTELY: MINUTE_MS,
  HOURLY: HOUR_MS,
  DAILY: DAY_MS,
  WEEKLY: 7 * DAY_MS,
  MONTHLY: 28 * DAY_MS,
  YEARLY: 365 * DAY_MS,
};

/**
 * The occurrences of a rule from one reading of the wall clock to another. The event's start belongs to the
 * series whether or not the rule makes it.
 */
export function* occurrences(
  rule: Rule,
  start: When,
  range: { from: Wall; to: Wall },
  budget: Budget,
): Generator<Wall> {
  budget.spend(0);
  const { BYHOUR: _h, BYMINUTE: _m, BYSECOND: _s, ...ofDays } = rule;
  let left = rule.COUNT ?? Infinity;
  let leftInRange = MAX_OCCURRENCES_PER_RULE;
  const from = left === Infinity ? Math.max(start.wall, range.from) : start.wall;
  const to = Math.floor(Math.min(range.to, lastByUntil(rule, start)));
  for (const wall of expand(start.isDate ? ofDays : rule, start.wall, { from, to }, budget)) {
    if (wall >= range.from) {
      if (--leftInRange < 0) throw new NotUnderstood('it recurs too often');
      budget.spend(1);
      yield start.isDate ? dayOf(wall) * DAY_MS : wall;
    }
    if (--left === 0) return;
  }
}

/** The last reading of the event's clock that UNTIL admits. */
function lastByUntil({ UNTIL }: Rule, start: When): Wall {
  if (UNTIL === undefined) return Infinity;
  const { wall, isDate, isUtc } = UNTIL;
  if (!start.isDate) {
    if (isDate) return endOfDay(wall);
    return isUtc && start.zone !== utc ? start.zone.toWall(wall) : wall;
  }
  // An UNTIL in UTC of whole days may mean the date in UTC or the date at the space. The later one counts: better an hour
  // too many blocked than one sold twice.
  return endOfDay(isUtc ? Math.max(wall, start.zone.toWall(wall)) : wall);
}

function endOfDay(wall: Wall): Wall {
  return (dayOf(wall) + 1) * DAY_MS - 1;
}

/**
 * The occurrences of a rule from one reading of the wall clock to another, in order. A rule picks days and times within every
 * INTERVALth period of its FREQ, and BYSETPOS chooses among these. Periods shorter than a day are looked for day by day, so that a
 * day that does not fit is passed over. The caller applies COUNT and UNTIL.
 */
function* expand(rule: Rule, start: Wall, range: { from: Wall; to: Wall }, budget: Budget): Generator<Wall> {
  const { FREQ, INTERVAL, WKST } = rule;
  const unit = UNIT_MS[FREQ];
  const isOfDays = unit >= DAY_MS;
  const { numberOf, beginOf } = periodsOf(isOfDays ? FREQ : 'DAILY', WKST);
  const step = isOfDays ? INTERVAL : 1;
  const isInStep = (begin: Wall): boolean =>
    (Math.floor(begin / unit) - Math.floor(start / unit)) % INTERVAL === 0;
  const fits = dayFilter(rule, start);
  const parts = clockParts(rule, start);
  const begins = timesOf(parts.filter((part) => part.unit >= unit).map(({ given, all }) => given ?? all));
  const times = timesOf(parts.filter((part) => part.unit < unit).map(({ given, shown }) => given ?? shown));

  /** The days of a period together, or each period within them. */
  function* setsOf(days: readonly Wall[]): Generator<readonly Wall[]> {
    if (isOfDays) yield days;
    else for (const day of days) for (const time of begins) if (isInStep(day + time)) yield [day + time];
  }

  const first = numberOf(start);
  const last = numberOf(range.to);
  const skipped = Math.max(0, Math.ceil((numberOf(range.from) - first) / step));
  for (let period = first + skipped * step; period <= last; period += step) {
    budget.spend(0);
    const days = daysWithin(beginOf(period), beginOf(period + 1)).filter(fits);
    for (const set of setsOf(days)) {
      for (const position of positions(rule, set.length * times.length)) {
        const wall = set[Math.floor(position / times.length)]! + times[position % times.length]!;
        if (wall > range.to) return;
        if (wall >= Math.max(start, range.from)) yield wall;
      }
    }
  }
}

/** The periods of a day or more have numbers: that of the period in which a reading lies, and when a period begins. */
function periodsOf(frequency: Frequency, weekStart: Rule['WKST'] = 'MO') {
  if (frequency === 'YEARLY' || frequency === 'MONTHLY') {
    const months = frequency === 'YEARLY' ? 12 : 1;
    const monthOf = (at: Date): number => at.getUTCFullYear() * 12 + at.getUTCMonth();
    return {
      numberOf: (wall: Wall): number => Math.floor(monthOf(new Date(wall)) / months),
      beginOf: (period: number): Wall => new Date(0).setUTCFullYear(0, period * months, 1),
    };
  }
  const unit = UNIT_MS[frequency];
  // The first of January 1970 was a Thursday.
  const offset = frequency === 'WEEKLY' ? (WEEKDAYS.indexOf(weekStart) - WEEKDAYS.indexOf('TH')) * DAY_MS : 0;
  return {
    numberOf: (wall: Wall): number => Math.floor((wall - offset) / unit),
    beginOf: (period: number): Wall => period * unit + offset,
  };
}

function daysWithin(begin: Wall, end: Wall): Wall[] {
  return Array.from({ length: (end - begin) / DAY_MS }, (_, index) => begin + index * DAY_MS);
}

/** Hours, minutes and seconds, in milliseconds: those that a rule gives, what the clock shows at its start, and all there are. */
function clockParts({ BYHOUR, BYMINUTE, BYSECOND }: Rule, start: Wall) {
  const at = new Date(start);
  return [
    { unit: HOUR_MS, count: 24, shown: at.getUTCHours(), list: BYHOUR },
    { unit: MINUTE_MS, count: 60, shown: at.getUTCMinutes(), list: BYMINUTE },
    { unit: SECOND_MS, count: 60, shown: at.getUTCSeconds(), list: BYSECOND },
  ].map(({ unit, count, shown, list }) => ({
    unit,
    given: list && inOrder(list).map((value) => value * unit),
    shown: [shown * unit],
    all: Array.from({ length: count }, (_, value) => value * unit),
  }));
}

/** Every sum of one value of each list, in order. */
function timesOf(lists: readonly (readonly number[])[]): number[] {
  return lists.reduce<number[]>(
    (times, values) => times.flatMap((time) => values.map((value) => time + value)),
    [0],
  );
}

/** Which of a period's occurrences BYSETPOS keeps, as indexes into them; all without BYSETPOS. */
function* positions({ BYSETPOS }: Rule, length: number): Generator<number> {
  if (BYSETPOS === undefined) {
    for (let position = 0; position < length; position++) yield position;
  } else {
    const chosen = BYSETPOS.map((place) => (place > 0 ? place - 1 : length + place));
    yield* inOrder(chosen).filter((position) => position >= 0 && position < length);
  }
}

function inOrder(numbers: readonly number[]): number[] {
  return [...new Set(numbers)].toSorted((one, other) => one - other);
}

/** Whether a day, by its midnight, fits every part of the rule. */
function dayFilter(rule: Rule, start: Wall): (day: Wall) => boolean {
  const { FREQ, BYMONTH, BYYEARDAY, BYWEEKNO, BYMONTHDAY, BYDAY, WKST = 'MO' } = withDays(rule, start);
  // A number before a weekday counts within the month, or within the year of a yearly rule without months.
  const countsInMonth = FREQ === 'MONTHLY' || BYMONTH !== undefined;
  return (day) => {
    const at = new Date(day);
    if (BYMONTH?.includes(at.getUTCMonth() + 1) === false) return false;
    const date = new Temporal.PlainDate(at.getUTCFullYear(), at.getUTCMonth() + 1, at.getUTCDate());
    const weekday = WEEKDAYS[date.dayOfWeek - 1]!;
    const isNth = (text: string): boolean => {
      const [place, length] = countsInMonth
        ? [date.day, date.daysInMonth]
        : [date.dayOfYear, date.daysInYear];
      return text === weekday || has([Number.parseInt(text, 10)], weeksOf(place, length));
    };
    const isInWeek = (): boolean => {
      // A week has the number of the year in which its middle lies.
      const middle = date.add({ days: 3 - ((date.dayOfWeek + 6 - WEEKDAYS.indexOf(WKST)) % 7) });
      return has(BYWEEKNO, weeksOf(middle.dayOfYear, middle.daysInYear));
    };
    return (
      BYDAY?.some((text) => text.endsWith(weekday) && isNth(text)) !== false &&
      has(BYMONTHDAY, [date.day, date.day - date.daysInMonth - 1]) &&
      has(BYYEARDAY, [date.dayOfYear, date.dayOfYear - date.daysInYear - 1]) &&
      (BYWEEKNO === undefined || isInWeek())
    );
  };
}

/** A rule that picks no days recurs on the day of its start. */
function withDays(rule: Rule, start: Wall): Rule {
  const { FREQ, BYMONTH, BYWEEKNO, BYYEARDAY, BYMONTHDAY, BYDAY } = rule;
  if ((BYWEEKNO ?? BYYEARDAY ?? BYMONTHDAY ?? BYDAY) !== undefined) return rule;
  const at = new Date(start);
  if (FREQ === 'WEEKLY') return { ...rule, BYDAY: [WEEKDAYS[(at.getUTCDay() + 6) % 7]!] };
  if (FREQ === 'MONTHLY') return { ...rule, BYMONTHDAY: [at.getUTCDate()] };
  if (FREQ !== 'YEARLY') return rule;
  return { ...rule, BYMONTH: BYMONTH ?? [at.getUTCMonth() + 1], BYMONTHDAY: [at.getUTCDate()] };
}

/** Whether a list has a place, counted from the start or, by a negative number, from the end. Without a list every place fits. */
function has(list: readonly number[] | undefined, places: readonly number[]): boolean {
  return list === undefined || places.some((place) => list.includes(place));
}

/** In which week of a year or month its nth day lies, counted from the start and from the end. */
function weeksOf(day: number, length: number): [number, number] {
  return [Math.ceil(day / 7), -Math.ceil((length - day + 1) / 7)];
}
