import { isTimezone } from '../../time/zones.ts';
import { NotUnderstood, type Budget } from './limits.ts';
import { readLine, readLines, unescaped, type Line } from './line.ts';
import { occurrences } from './recurrence.ts';
import { readRule } from './rule.ts';
import type { SievedZone } from './sieve.ts';
import { type Wall, ianaZone, type Zone } from '../../time/wall-clock.ts';
import { readOffset, readTime } from './value.ts';
import { displayedZone, windowsZone } from './windows-zones.ts';

/**
 * The zones of one calendar by TZID. An IANA name, also behind a vendor's prefix, beats the calendar's own definition of it, which is
 * often cut down to this year's rule. For other names the calendar's definition (VTIMEZONE) counts. Without one, Windows' names are
 * known. Any other name is taken for the zone of the space, where its host's calendar is most likely kept.
 */
export class Zones {
  readonly #definitions: ReadonlyMap<string | undefined, SievedZone>;
  readonly #known = new Map<string, Zone>();
  /** The space's own, for times without a zone and for names that nobody knows. */
  readonly space: Zone;
  readonly #until: Wall;
  readonly #budget: Budget;

  /** `until`: nobody asks about later times. */
  constructor(definitions: readonly SievedZone[], spaceTimezone: string, until: Wall, budget: Budget) {
    this.#definitions = new Map(definitions.map((definition) => [nameOf(definition), definition]));
    this.space = ianaZone(spaceTimezone);
    this.#known.set(spaceTimezone, this.space);
    this.#until = until;
    this.#budget = budget;
  }

  get(tzid: string): Zone {
    return this.#known.getOrInsertComputed(tzid.trim(), (name) => this.#find(name));
  }

  #find(tzid: string): Zone {
    const iana = ianaName(tzid);
    if (iana !== undefined) return ianaZone(iana);
    try {
      const definition = this.#definitions.get(tzid);
      if (definition !== undefined) return definedZone(definition, this.#until, this.#budget);
    } catch {
      // It cannot be read. Perhaps the name alone is enough.
    }
    const name = windowsZone(tzid) ?? displayedZone(tzid);
    return name === undefined ? this.space : ianaZone(name);
  }
}

function nameOf({ lines }: SievedZone): string | undefined {
  const [tzid] = readLines(lines);
  return tzid && unescaped(tzid.value);
}

/** As a whole, or at the end of a name such as `/mozilla.org/20050126_1/Europe/Berlin`. */
function ianaName(tzid: string): string | undefined {
  const parts = tzid.split('/').filter((part) => part !== '');
  return [tzid, ...[-3, -2, -1].map((from) => parts.slice(from).join('/'))].find(isTimezone);
}

/** From an instant on, clocks that were `before` ahead of UTC are `after` ahead. */
interface Change {
  readonly at: number;
  readonly before: number;
  readonly after: number;
}

/**
 * The zone that a VTIMEZONE describes: each of its parts begins at its DTSTART, at every RDATE, and whenever its
 * rule says. Throws when it cannot be read whole.
 */
function definedZone({ parts }: SievedZone, until: Wall, budget: Budget): Zone {
  const changes = parts
    .flatMap((part) => changesOf(part.map(readLine), until, budget))
    .toSorted((one, other) => one.at - other.at);
  const [first] = changes;
  if (first === undefined) throw new NotUnderstood('no change of the clocks');
  return {
    // A reading belongs to the new offset when it is past the change on the old clock and on the new one. Otherwise it is
    // before the change, or is skipped or repeated by it, and the old offset counts.
    toInstant: (wall) => {
      const last = changes.findLast(({ at, before, after }) => at + Math.max(before, after) <= wall);
      return wall - (last?.after ?? first.before);
    },
    toWall: (instant) => instant + (changes.findLast(({ at }) => at <= instant)?.after ?? first.before),
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
  if (rules.some(({ FREQ }) => FREQ !== 'YEARLY' && FREQ !== 'MONTHLY')) throw new NotUnderstood('RRULE');
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
