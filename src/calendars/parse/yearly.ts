import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../time/units.ts';
import type { Budget } from './budget.ts';
import type { Rule } from './rule.ts';
import type { Wall } from '../../time/wall-clock.ts';
import { dayOf, SECOND_MS, wallAt } from './wall.ts';

/**
 * Whether the engine would find wrong days for this rule. It does so when a yearly rule picks days in more than one way, such
 * as BYWEEKNO with BYMONTHDAY: a day must fit both, and the engine looks at one only. And when a rule asks for the 53rd of a
 * weekday: most years have none, and the engine takes one of a neighbouring year.
 */
export function engineIsWrong({ freq, byWeekNo, byYearDay, byMonthDay, byDay }: Rule): boolean {
  const ways = [byYearDay, byMonthDay, byDay].filter((way) => way !== undefined).length;
  const has53rd = byDay?.some((day) => Math.abs(Number.parseInt(day, 10)) === 53) ?? false;
  return freq === 'YEARLY' && (byWeekNo !== undefined || ways > 1 || has53rd);
}

/** The occurrences of such a rule from one reading of the wall clock to another, in order. */
export function* yearlyWithoutEngine(
  rule: Rule,
  start: Wall,
  range: { from: Wall; to: Wall },
  budget: Budget,
): Generator<Wall> {
  const times = timesOfDay(rule, start);
  const firstYear = yearOf(start);
  const skipped = Math.max(0, Math.ceil((yearOf(range.from) - firstYear) / rule.interval));
  for (let year = firstYear + skipped * rule.interval; year <= yearOf(range.to); year += rule.interval) {
    budget.checkTime();
    const days = daysOf(rule, year);
    for (const position of positions(rule, days.length * times.length)) {
      const wall = days[Math.floor(position / times.length)]! * DAY_MS + times[position % times.length]!;
      if (wall > range.to) return;
      if (wall >= range.from) yield wall;
    }
  }
}

function timesOfDay({ byHour, byMinute, bySecond }: Rule, start: Wall): number[] {
  const at = new Date(start);
  const hours = inOrder(byHour ?? [at.getUTCHours()]);
  const minutes = inOrder(byMinute ?? [at.getUTCMinutes()]);
  const seconds = inOrder(bySecond ?? [at.getUTCSeconds()]);
  return hours.flatMap((hour) =>
    minutes.flatMap((minute) =>
      seconds.map((second) => hour * HOUR_MS + minute * MINUTE_MS + second * SECOND_MS),
    ),
  );
}

/** Which of a year's occurrences BYSETPOS keeps, as indexes into them; all without BYSETPOS. */
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

/** The days of a year that fit every part of the rule. */
function daysOf(rule: Rule, year: number): number[] {
  const first = firstDay(year);
  const length = firstDay(year + 1) - first;
  const days = Array.from({ length }, (_, index) => first + index);
  const { byMonth, byMonthDay, byYearDay, byWeekNo, byDay } = rule;
  return days.filter((day, index) => {
    const date = new Date(day * DAY_MS);
    const month = monthOf(date);
    return (
      (byMonth === undefined || byMonth.includes(date.getUTCMonth() + 1)) &&
      hasPlace(byYearDay, index, length) &&
      hasPlace(byMonthDay, day - month.first, month.length) &&
      (byWeekNo === undefined || hasWeek(byWeekNo, day, weekday(rule.wkst ?? 'MO'))) &&
      (byDay === undefined || hasWeekday(byDay, day, byMonth === undefined ? { first, length } : month))
    );
  });
}

/** Whether a list such as BYMONTHDAY has the day at an index: it counts from 1, or from -1 at the end. Without a list every day fits. */
function hasPlace(places: readonly number[] | undefined, index: number, length: number): boolean {
  return places === undefined || places.includes(index + 1) || places.includes(index - length);
}

function hasWeekday(
  byDay: readonly string[],
  day: number,
  within: { first: number; length: number },
): boolean {
  const index = day - within.first;
  const fromStart = Math.floor(index / 7) + 1;
  const fromEnd = -Math.floor((within.length - 1 - index) / 7) - 1;
  return byDay.some((text) => {
    const number = Number.parseInt(text, 10);
    const isThatDay = weekday(text.slice(-2)) === weekdayOf(day);
    return isThatDay && (Number.isNaN(number) || number === fromStart || number === fromEnd);
  });
}

/** A week has the number of the year in which most of it lies. */
function hasWeek(byWeekNo: readonly number[], day: number, weekStart: number): boolean {
  const middle = day - ((weekdayOf(day) - weekStart + 7) % 7) + 3;
  const year = yearOf(middle * DAY_MS);
  const weeksBefore = Math.floor((middle - firstDay(year)) / 7);
  const weeksAfter = Math.floor((firstDay(year + 1) - 1 - middle) / 7);
  return byWeekNo.includes(weeksBefore + 1) || byWeekNo.includes(-weeksAfter - 1);
}

function weekday(name: string): number {
  return ['MO', 'TU', 'WE', 'TH', 'FR', 'SA', 'SU'].indexOf(name);
}

/** The first of January 1970 was a Thursday. */
function weekdayOf(day: number): number {
  return (((day + 3) % 7) + 7) % 7;
}

function yearOf(wall: Wall): number {
  return new Date(wall).getUTCFullYear();
}

function firstDay(year: number): number {
  return dayOf(wallAt(year, 1, 1)!);
}

/** The month in which a day lies. */
function monthOf(date: Date): { first: number; length: number } {
  const [year, month] = [date.getUTCFullYear(), date.getUTCMonth() + 1];
  const first = dayOf(wallAt(year, month, 1)!);
  const next = month === 12 ? firstDay(year + 1) : dayOf(wallAt(year, month + 1, 1)!);
  return { first, length: next - first };
}
