import type { Budget } from './budget.ts';
import { firstWhere } from './first-where.ts';
import { NotUnderstood } from './limits.ts';
import type { Line } from './line.ts';
import { occurrences } from './recurrence.ts';
import { readRule } from './rule.ts';
import { readOffset, readTime } from './value.ts';
import type { Wall, Zone } from '../../time/wall-clock.ts';

/** From an instant on, clocks that were `before` ahead of UTC are `after` ahead. */
interface Change {
  readonly at: number;
  readonly before: number;
  readonly after: number;
}

/**
 * The zone that a VTIMEZONE describes: each of its parts begins at its DTSTART, at every RDATE, and whenever its
 * rule says. Throws NotUnderstood when it cannot be read whole.
 */
export function definedZone(parts: readonly (readonly Line[])[], until: Wall, budget: Budget): Zone {
  const changes = parts
    .flatMap((part) => changesOf(part, until, budget))
    .toSorted((one, other) => one.at - other.at);
  const [first] = changes;
  if (first === undefined) throw new NotUnderstood('no change of the clocks');
  return {
    // A reading belongs to the new offset when it is past the change on the old clock and on the new one. Otherwise it is
    // before the change, or is skipped or repeated by it, and the old offset counts.
    toInstant: (wall) => {
      const next = firstWhere(changes, ({ at, before, after }) => at + Math.max(before, after) > wall);
      return wall - (changes[next - 1]?.after ?? first.before);
    },
    toWall: (instant) => {
      const next = firstWhere(changes, ({ at }) => at > instant);
      return instant + (changes[next - 1]?.after ?? first.before);
    },
  };
}

function changesOf(part: readonly Line[], until: Wall, budget: Budget): Change[] {
  const values = (name: string): string[] =>
    part.filter((line) => line.name === name && line.value !== '').map(({ value }) => value);
  const one = (name: string): string => values(name)[0] ?? '';
  const [before, after] = [readOffset(one('TZOFFSETFROM')), readOffset(one('TZOFFSETTO'))];
  const zone: Zone = { toInstant: (wall) => wall - before, toWall: (instant) => instant + before };
  const start = { ...readTime(one('DTSTART')), isDate: false, zone };
  const rules = values('RRULE').map(readRule);
  // Clocks change at most a few times a year; a rule that says otherwise would only cost time.
  if (rules.some(({ freq }) => freq !== 'YEARLY' && freq !== 'MONTHLY')) throw new NotUnderstood('RRULE');
  const dates = values('RDATE').flatMap((value) => value.split(','));
  const walls = [
    start.wall,
    ...dates
      .map((date) => readTime(date.split('/')[0]!))
      .map(({ wall, isUtc }) => (isUtc ? wall + before : wall)),
    ...rules.flatMap((rule) => [...occurrences(rule, start, { from: start.wall, to: until }, budget)]),
  ];
  return walls.map((wall) => ({ at: zone.toInstant(wall), before, after }));
}
