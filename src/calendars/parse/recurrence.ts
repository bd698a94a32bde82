import { RRuleTemporal } from 'rrule-temporal';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../time/units.ts';
import type { Budget } from './budget.ts';
import { NotUnderstood } from './limits.ts';
import type { Frequency, Rule } from './rule.ts';
import { utc, type Wall } from '../../time/wall-clock.ts';
import { dayOf, SECOND_MS } from './wall.ts';
import { engineIsWrong, yearlyWithoutEngine } from './yearly.ts';
import type { When } from './value.ts';

/** At most so much is asked of the engine (rrule-temporal) in one call: it answers with whole lists and cannot be stopped. */
const DAYS_AT_ONCE = 400;
const OCCURRENCES_AT_ONCE = 2000;

/**
 * The occurrences of a rule from one reading of the wall clock to another. The event's start belongs to the
 * series whether or not the rule makes it.
 *
 * The engine is told that the clock shows UTC, whatever the zone. In the real zone it would leave out occurrences in the
 * hour that a change of the clocks skips. COUNT is counted here: the engine counts from the first occurrence in one call,
 * and gives up on a daily rule that began in 1990.
 */
export function* occurrences(
  rule: Rule,
  start: When,
  range: { from: Wall; to: Wall },
  budget: Budget,
): Generator<Wall> {
  budget.beginRule();
  const { count, parts } = engineParts(rule, start);
  const lastCounted = lastByCount(parts, count, start.wall);
  const last = Math.floor(Math.min(range.to, lastByUntil(rule, start), lastCounted));
  if (!(last >= Math.max(range.from, start.wall))) return;

  // A COUNT that cannot be reached before the last reading need not be counted.
  const most = mostPerDay(parts) * ((last - start.wall) / DAY_MS + 2);
  const isCounted = count !== undefined && lastCounted === Infinity && count < most;
  let left = isCounted ? count : Infinity;
  const from = isCounted ? start.wall : Math.max(start.wall, range.from);
  const make = engineIsWrong(parts) ? yearlyWithoutEngine : askEngine;
  for (const wall of make(parts, start.wall, { from, to: last }, budget)) {
    budget.spendOccurrence();
    if (wall >= range.from) yield start.isDate ? dayOf(wall) * DAY_MS : wall;
    if (--left === 0) return;
  }
}

/** Asks the engine for one stretch of the range after the other, and looks at the time in between. */
function* askEngine(
  parts: EngineParts,
  start: Wall,
  range: { from: Wall; to: Wall },
  budget: Budget,
): Generator<Wall> {
  const engine = new RRuleTemporal({
    ...parts,
    // The engine fails on intervals of millennia. Any that steps over the end of the range gives the same answer.
    interval: Math.min(parts.interval, Math.ceil((range.to - start) / UNIT_MS[parts.freq]) + 1),
    dtstart: asIfUtc(start),
    until: asIfUtc(range.to),
  });
  const stretch = Math.floor(Math.min(DAYS_AT_ONCE, OCCURRENCES_AT_ONCE / mostPerDay(parts)) * DAY_MS);
  let { from } = range;
  while (from <= range.to) {
    budget.checkTime();
    const to = Math.min(from + stretch, range.to);
    const found = ask(() => engine.between(new Date(from), new Date(to), true));
    for (const { epochMilliseconds } of found) yield epochMilliseconds;
    // After an empty stretch the engine names the next occurrence. Otherwise `FREQ=SECONDLY;BYMONTH=12` from January on would
    // be asked for in thousands of empty stretches of half an hour.
    const next = found.length > 0 ? undefined : ask(() => engine.next(new Date(to)));
    if (next === null) return;
    from = next?.epochMilliseconds ?? to + 1;
  }
}

/** The engine throws when it has looked at 10 000 periods in vain. */
function ask<T>(question: () => T): T {
  try {
    return question();
  } catch {
    throw new NotUnderstood('it takes too long');
  }
}

function asIfUtc(wall: Wall): Temporal.ZonedDateTime {
  return Temporal.Instant.fromEpochMilliseconds(wall).toZonedDateTimeISO('UTC');
}

type EngineParts = Omit<Rule, 'count' | 'until'>;

function engineParts(rule: Rule, start: When): { count: number | undefined; parts: EngineParts } {
  const { count, until: _until, ...parts } = rule;
  if (start.isDate) {
    for (const name of ['byHour', 'byMinute', 'bySecond'] as const) delete parts[name];
  }
  return { count, parts };
}

/** How long a step of each frequency lasts at least. */
const UNIT_MS: Readonly<Record<Frequency, number>> = {
  SECONDLY: SECOND_MS,
  MINUTELY: MINUTE_MS,
  HOURLY: HOUR_MS,
  DAILY: DAY_MS,
  WEEKLY: 7 * DAY_MS,
  MONTHLY: 28 * DAY_MS,
  YEARLY: 365 * DAY_MS,
};

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
function lastByCount(parts: EngineParts, count: number | undefined, start: Wall): Wall {
  const { freq, interval, wkst: _wkst, ...others } = parts;
  if (count === undefined || Object.keys(others).length > 0) return Infinity;
  if (freq === 'MONTHLY' || freq === 'YEARLY') return Infinity;
  return start + (count - 1) * interval * UNIT_MS[freq];
}

/** How many occurrences a day has at most. */
export function mostPerDay({ freq, interval, byHour, byMinute, bySecond }: EngineParts): number {
  const ofHours = byHour?.length ?? (UNIT_MS[freq] <= HOUR_MS ? 24 : 1);
  const ofMinutes = byMinute?.length ?? (UNIT_MS[freq] <= MINUTE_MS ? 60 : 1);
  const ofSeconds = bySecond?.length ?? (UNIT_MS[freq] <= SECOND_MS ? 60 : 1);
  const slots = ofHours * ofMinutes * ofSeconds;
  const isBare = byHour === undefined && byMinute === undefined && bySecond === undefined;
  return isBare && slots > 1 ? Math.max(1, slots / interval) : slots;
}
