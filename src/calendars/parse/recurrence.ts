import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../../time/units.ts';
import type { Budget } from './budget.ts';
import { expand, UNIT_MS } from './periods.ts';
import type { Rule } from './rule.ts';
import { dayOf, utc, type Wall } from '../../time/wall-clock.ts';
import type { When } from './value.ts';

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
