import ICAL from 'ical.js';
import type { When } from './event.ts';
import { MAX_OCCURRENCES, Unreadable } from './limits.ts';
import { DAY_MS } from '../../time/units.ts';
import { dayOf, SECOND_MS, toIcalTime, wallOf, type Wall } from './wall.ts';
import { utc } from './zones.ts';

/** How many more occurrences the rules of a calendar may make. */
export interface Budget {
  occurrences: number;
}

export function newBudget(): Budget {
  return { occurrences: MAX_OCCURRENCES };
}

/**
 * The occurrences of a rule from one reading of the wall clock to another. The rule's own first one is the
 * event's start, which belongs to the series whether or not the rule would make it.
 */
export function* occurrences(
  rule: ICAL.Recur,
  start: When,
  range: { from: Wall; to: Wall },
  budget: Budget,
): Generator<Wall> {
  const last = Math.min(range.to, lastOf(rule, start));
  if (last < range.from) return;
  // The iterator compares readings only; UNTIL may be in UTC, and has become one in `last`.
  rule.until = toIcalTime(last, start.isDate);
  if (rule.freq === 'YEARLY') sayDate(rule, start.wall);
  const first = rule.count === null ? forwarded(rule, start.wall, range.from) : start.wall;
  const iterator = rule.iterator(toIcalTime(first, start.isDate));
  for (let next = nextOf(iterator); next !== null; next = nextOf(iterator)) {
    if (--budget.occurrences < 0) throw new Unreadable(`its events recur more than ${MAX_OCCURRENCES} times`);
    const wall = wallOf(next);
    if (wall > last) return;
    if (wall >= range.from) yield wall;
  }
}

/** Where a yearly rule leaves its date to the start, ical.js makes 1 March of 29 February in most years. */
function sayDate(rule: ICAL.Recur, start: Wall): void {
  const says = (part: string): boolean => rule.getComponent(part).length > 0;
  if (says('BYDAY') || says('BYMONTHDAY') || says('BYYEARDAY') || says('BYWEEKNO')) return;
  const date = new Date(start);
  rule.setComponent('BYMONTHDAY', [date.getUTCDate()]);
  if (!says('BYMONTH')) rule.setComponent('BYMONTH', [date.getUTCMonth() + 1]);
}

/** Null at the end, which the types of ical.js do not say. */
function nextOf(iterator: ICAL.RecurIterator): ICAL.Time | null {
  return iterator.next();
}

/** The last reading of the event's clock that UNTIL admits. */
function lastOf(rule: ICAL.Recur, start: When): Wall {
  const { until } = rule;
  if (until === null) return Infinity;
  const wall = wallOf(until);
  const isUtc = !until.isDate && until.zone === ICAL.Timezone.utcTimezone;
  if (!start.isDate) {
    if (until.isDate) return endOfDay(wall);
    return isUtc && start.zone !== utc ? start.zone.toWall(wall) : wall;
  }
  // The end of whole days in UTC may be meant as UTC's date or as the date here: the later one, to be safe.
  return endOfDay(isUtc ? Math.max(wall, start.zone.toWall(wall)) : wall);
}

function endOfDay(wall: Wall): Wall {
  return (dayOf(wall) + 1) * DAY_MS - 1;
}

const UNIT_MS: Readonly<Record<string, number>> = {
  SECONDLY: SECOND_MS,
  MINUTELY: 60 * SECOND_MS,
  HOURLY: 3600 * SECOND_MS,
  DAILY: DAY_MS,
  WEEKLY: 7 * DAY_MS,
};

/** The iterator calls any start an occurrence, also one that the rule would not make. */
const RUN_UP_MS = 2 * DAY_MS;

/**
 * A later start of the same series, in step with its interval but close to where the look begins: a daily event
 * of 2010 need not be counted through all its years, at ten microseconds or more each.
 */
function forwarded(rule: ICAL.Recur, start: Wall, lookFrom: Wall): Wall {
  const from = lookFrom - RUN_UP_MS;
  const unit = UNIT_MS[rule.freq ?? ''];
  if (unit !== undefined) {
    const step = unit * rule.interval;
    return start + Math.max(0, Math.floor((from - start) / step)) * step;
  }
  // Years in fours, so that 29 February stays one; and not where the start's weekday matters.
  if (rule.getComponent('BYWEEKNO').length > 0) return start;
  const years = rule.freq === 'MONTHLY' ? lcm(12, rule.interval) / 12 : rule.interval;
  const step = lcm(4, years);
  const date = new Date(start);
  const gap = new Date(from).getUTCFullYear() - 1 - date.getUTCFullYear();
  if (gap < step) return start;
  date.setUTCFullYear(date.getUTCFullYear() + Math.floor(gap / step) * step);
  return date.getUTCDate() === new Date(start).getUTCDate() ? date.getTime() : start;
}

function lcm(a: number, b: number): number {
  let [x, y] = [a, b];
  while (y !== 0) [x, y] = [y, x % y];
  return (a / x) * b;
}
