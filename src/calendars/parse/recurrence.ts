import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../../time/units.ts';
import { dayOf, utc, type Wall } from '../../time/wall-clock.ts';
import { NotUnderstood, type Budget } from './limits.ts';
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
  budget.beginRule();
  const { count, parts } = withoutEnd(rule, start);
  const lastCounted = lastByCount(parts, count, start.wall);
  const last = Math.floor(Math.min(range.to, lastByUntil(rule, start), lastCounted));
  if (!(last >= Math.max(range.from, start.wall))) return;

  // A COUNT that cannot be reached before the last reading need not be counted.
  const most = mostPerDay(parts) * ((last - start.wall) / DAY_MS + 2);
  const isCounted = count !== undefined && lastCounted === Infinity && count < most;
  let left = isCounted ? count : Infinity;
  const from = isCounted ? start.wall : Math.max(start.wall, range.from);
  for (const wall of expand(parts, start.wall, { from, to: last }, budget)) {
    budget.spendOccurrence();
    if (wall >= range.from) yield start.isDate ? dayOf(wall) * DAY_MS : wall;
    if (--left === 0) return;
  }
}

type Endless = Omit<Rule, 'count' | 'until'>;

function withoutEnd(rule: Rule, start: When): { count: number | undefined; parts: Endless } {
  const { count, until: _until, ...parts } = rule;
  if (start.isDate) {
    for (const name of ['byHour', 'byMinute', 'bySecond'] as const) delete parts[name];
  }
  return { count, parts };
}

/** The last reading of the event's clock that UNTIL admits. */
function lastByUntil({ until }: Rule, start: When): Wall {
  if (until === undefined) return Infinity;
  const { wall, isDate, isUtc } = until;
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

/** The last occurrence by COUNT where all steps have the same length, as in `FREQ=HOURLY;INTERVAL=3`. Infinity for others. */
function lastByCount(parts: Endless, count: number | undefined, start: Wall): Wall {
  const { freq, interval, wkst: _wkst, ...others } = parts;
  if (count === undefined || Object.keys(others).length > 0) return Infinity;
  if (freq === 'MONTHLY' || freq === 'YEARLY') return Infinity;
  return start + (count - 1) * interval * UNIT_MS[freq];
}

/** How many occurrences a day has at most. */
export function mostPerDay({ freq, interval, byHour, byMinute, bySecond }: Endless): number {
  const ofHours = byHour?.length ?? (UNIT_MS[freq] <= HOUR_MS ? 24 : 1);
  const ofMinutes = byMinute?.length ?? (UNIT_MS[freq] <= MINUTE_MS ? 60 : 1);
  const ofSeconds = bySecond?.length ?? (UNIT_MS[freq] <= SECOND_MS ? 60 : 1);
  const slots = ofHours * ofMinutes * ofSeconds;
  const isBare = byHour === undefined && byMinute === undefined && bySecond === undefined;
  return isBare && slots > 1 ? Math.max(1, slots / interval) : slots;
}

/** So many periods in a row without an occurrence end the search. */
const MAX_PERIODS_IN_VAIN = 200_000;

/**
 * The occurrences of a rule from one reading of the wall clock to another, in order. A rule picks days and times within every
 * INTERVALth period of its FREQ, and BYSETPOS chooses among these. The caller applies COUNT and UNTIL.
 */
function* expand(rule: Rule, start: Wall, range: { from: Wall; to: Wall }, budget: Budget): Generator<Wall> {
  const { numberOf, beginOf } = periodsOf(rule);
  const [first, last] = [numberOf(start), numberOf(range.to)];
  const reach = (wall: Wall): number =>
    first + Math.max(0, Math.ceil((numberOf(wall) - first) / rule.interval)) * rule.interval;
  const fits = dayFilter(rule, start);
  const times = timesWithin(rule, start);
  const isOfDays = UNIT_MS[rule.freq] >= DAY_MS;
  let [steps, lastFound] = [0, 0];
  for (let period = reach(range.from), next; period <= last; period = next) {
    if (steps++ % 100 === 0) budget.checkTime();
    if (steps - lastFound > MAX_PERIODS_IN_VAIN) throw new NotUnderstood('it takes too long');
    const begin = beginOf(period);
    const misfitsUntil = isOfDays ? undefined : endOfMisfit(rule, begin, fits);
    next = misfitsUntil === undefined ? period + rule.interval : reach(misfitsUntil);
    if (misfitsUntil !== undefined) continue;
    const bases = isOfDays ? daysWithin(begin, beginOf(period + 1)).filter(fits) : [begin];
    for (const position of positions(rule, bases.length * times.length)) {
      const wall = bases[Math.floor(position / times.length)]! + times[position % times.length]!;
      if (wall > range.to) return;
      if (wall < Math.max(start, range.from)) continue;
      lastFound = steps;
      yield wall;
    }
  }
}

/** The periods of a frequency have numbers: that of the period in which a reading lies, and when a period begins. */
function periodsOf({ freq, wkst = 'MO' }: Rule) {
  if (freq === 'YEARLY' || freq === 'MONTHLY') {
    const months = freq === 'YEARLY' ? 12 : 1;
    const monthOf = (at: Date): number => at.getUTCFullYear() * 12 + at.getUTCMonth();
    return {
      numberOf: (wall: Wall): number => Math.floor(monthOf(new Date(wall)) / months),
      beginOf: (period: number): Wall => new Date(0).setUTCFullYear(0, period * months, 1),
    };
  }
  // The first of January 1970 was a Thursday.
  const offset = freq === 'WEEKLY' ? (WEEKDAYS.indexOf(wkst) - WEEKDAYS.indexOf('TH')) * DAY_MS : 0;
  return {
    numberOf: (wall: Wall): number => Math.floor((wall - offset) / UNIT_MS[freq]),
    beginOf: (period: number): Wall => period * UNIT_MS[freq] + offset,
  };
}

/** What a rule says of hours, minutes and seconds, and what the clock shows. */
function clockParts({ byHour, byMinute, bySecond }: Rule, wall: Wall) {
  const at = new Date(wall);
  return [
    { unit: HOUR_MS, list: byHour, shown: at.getUTCHours() },
    { unit: MINUTE_MS, list: byMinute, shown: at.getUTCMinutes() },
    { unit: SECOND_MS, list: bySecond, shown: at.getUTCSeconds() },
  ];
}

/** When the day, hour, minute or second ends that keeps a period shorter than a day from fitting. */
function endOfMisfit(rule: Rule, begin: Wall, fits: (day: Wall) => boolean): Wall | undefined {
  const endOf = (unit: number): Wall => (Math.floor(begin / unit) + 1) * unit;
  if (!fits(dayOf(begin) * DAY_MS)) return endOf(DAY_MS);
  const misfit = clockParts(rule, begin).find(
    ({ unit, list, shown }) => unit >= UNIT_MS[rule.freq] && list?.includes(shown) === false,
  );
  return misfit && endOf(misfit.unit);
}

function daysWithin(begin: Wall, end: Wall): Wall[] {
  return Array.from({ length: (end - begin) / DAY_MS }, (_, index) => begin + index * DAY_MS);
}

/** The times of a day, or of a shorter period, counted from its beginning. */
function timesWithin(rule: Rule, start: Wall): number[] {
  return clockParts(rule, start)
    .filter(({ unit }) => unit < UNIT_MS[rule.freq])
    .reduce<number[]>(
      (times, { unit, list, shown }) => {
        const values = inOrder(list ?? [shown]);
        return times.flatMap((time) => values.map((value) => time + value * unit));
      },
      [0],
    );
}

/** Which of a period's occurrences BYSETPOS keeps, as indexes into them; all without BYSETPOS. */
function* positions({ bySetPos }: Rule, length: number): Generator<number> {
  if (bySetPos === undefined) {
    for (let position = 0; position < length; position++) yield position;
  } else {
    const chosen = bySetPos.map((place) => (place > 0 ? place - 1 : length + place));
    yield* inOrder(chosen).filter((position) => position >= 0 && position < length);
  }
}

function inOrder(numbers: readonly number[]): number[] {
  return [...new Set(numbers)].toSorted((one, other) => one - other);
}

/** Whether a day, by its midnight, fits every part of the rule. */
function dayFilter(rule: Rule, start: Wall): (day: Wall) => boolean {
  const { freq, byMonth, byYearDay, byWeekNo, byMonthDay, byDay, wkst = 'MO' } = withDays(rule, start);
  const fits = (day: Wall): boolean => {
    const at = new Date(day);
    if (byMonth?.includes(at.getUTCMonth() + 1) === false) return false;
    const date = new Temporal.PlainDate(at.getUTCFullYear(), at.getUTCMonth() + 1, at.getUTCDate());
    const weekday = WEEKDAYS[date.dayOfWeek - 1]!;
    // A week has the number of the year in which its middle lies.
    const daysIntoWeek = (date.dayOfWeek + 6 - WEEKDAYS.indexOf(wkst)) % 7;
    const isInWeek = (): boolean => {
      const middle = date.add({ days: 3 - daysIntoWeek });
      return has(byWeekNo, weeksOf(middle.dayOfYear, middle.daysInYear));
    };
    // A number before a weekday counts within the month, or within the year of a yearly rule without months.
    const countsInMonth = freq === 'MONTHLY' || byMonth !== undefined;
    const isNth = (text: string): boolean => {
      const [place, length] = countsInMonth
        ? [date.day, date.daysInMonth]
        : [date.dayOfYear, date.daysInYear];
      return text === weekday || has([Number.parseInt(text, 10)], weeksOf(place, length));
    };
    return (
      byDay?.some((text) => text.endsWith(weekday) && isNth(text)) !== false &&
      has(byMonthDay, [date.day, date.day - date.daysInMonth - 1]) &&
      has(byYearDay, [date.dayOfYear, date.dayOfYear - date.daysInYear - 1]) &&
      (byWeekNo === undefined || isInWeek())
    );
  };
  // Periods shorter than a day ask for the same day again and again.
  let known = { day: NaN, fits: false };
  return (day) => (known.day === day ? known : (known = { day, fits: fits(day) })).fits;
}

/** A rule that picks no days recurs on the day of its start. */
function withDays(rule: Rule, start: Wall): Rule {
  const { freq, byMonth, byWeekNo, byYearDay, byMonthDay, byDay } = rule;
  if ((byWeekNo ?? byYearDay ?? byMonthDay ?? byDay) !== undefined) return rule;
  const at = new Date(start);
  if (freq === 'WEEKLY') return { ...rule, byDay: [WEEKDAYS[(at.getUTCDay() + 6) % 7]!] };
  if (freq === 'MONTHLY') return { ...rule, byMonthDay: [at.getUTCDate()] };
  if (freq !== 'YEARLY') return rule;
  return { ...rule, byMonth: byMonth ?? [at.getUTCMonth() + 1], byMonthDay: [at.getUTCDate()] };
}

/** Whether a list has a place, counted from the start or, by a negative number, from the end. Without a list every place fits. */
function has(list: readonly number[] | undefined, places: readonly number[]): boolean {
  return list === undefined || places.some((place) => list.includes(place));
}

/** In which week of a year or month its nth day lies, counted from the start and from the end. */
function weeksOf(day: number, length: number): [number, number] {
  return [Math.ceil(day / 7), -Math.ceil((length - day + 1) / 7)];
}
