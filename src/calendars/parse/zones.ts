import { isTimezone } from '../../time/zones.ts';
import { firstWhere } from './first-where.ts';
import { NotUnderstood, type Budget } from './limits.ts';
import { readLine, readLines, unescaped, type Line } from './line.ts';
import { occurrences } from './recurrence.ts';
import { readRule } from './rule.ts';
import type { SievedZone } from './sieve.ts';
import { type Wall, ianaZone, type Zone } from '../../time/wall-clock.ts';
import { readOffset, readTime } from './value.ts';
import { displayedZone, windowsZone } from './windows-zones.ts';

/**
 * The zones of one calendar by TZID. An IANA name beats the calendar's own definition of it, which is often cut down to
 * this year's rule. For other names the calendar's definition (VTIMEZONE) counts. Without one, Windows' names and IANA
 * names behind a vendor's prefix are known. Any other name is taken for the zone of the space, where its host's calendar
 * is most likely kept.
 */
export class Zones {
  readonly #definitions = new Map<string, SievedZone>();
  readonly #known = new Map<string, Zone>();
  /** The space's own, for times without a zone and for names that nobody knows. */
  readonly space: Zone;
  readonly #until: Wall;
  readonly #budget: Budget;

  /** `until`: nobody asks about later times. */
  constructor(definitions: readonly SievedZone[], spaceTimezone: string, until: Wall, budget: Budget) {
    for (const definition of definitions) {
      const tzid = textOf(definition, 'TZID');
      if (tzid !== undefined) this.#definitions.set(tzid, definition);
    }
    this.space = ianaZone(spaceTimezone);
    this.#known.set(spaceTimezone, this.space);
    this.#until = until;
    this.#budget = budget;
  }

  get(tzid: string): Zone {
    return this.#known.getOrInsertComputed(tzid.trim(), (name) => this.#find(name));
  }

  #find(tzid: string): Zone {
    if (isTimezone(tzid)) return ianaZone(tzid);
    const definition = this.#definitions.get(tzid);
    if (definition !== undefined) {
      const location = textOf(definition, 'X-LIC-LOCATION');
      if (location !== undefined && isTimezone(location)) return ianaZone(location);
      const defined = this.#define(definition);
      if (defined !== undefined) return defined;
    }
    const name = windowsZone(tzid) ?? prefixedIanaName(tzid) ?? displayedZone(tzid) ?? offsetZone(tzid);
    return name === undefined ? this.space : ianaZone(name);
  }

  /** Undefined for a definition that cannot be read: perhaps the name alone is enough. */
  #define({ parts }: SievedZone): Zone | undefined {
    try {
      return definedZone(
        parts.map((lines) => lines.map(readLine)),
        this.#until,
        this.#budget,
      );
    } catch {
      return undefined;
    }
  }
}

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
function definedZone(parts: readonly (readonly Line[])[], until: Wall, budget: Budget): Zone {
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

function textOf({ lines }: SievedZone, name: string): string | undefined {
  const line = readLines(lines).find((one) => one.name === name);
  return line === undefined ? undefined : unescaped(line.value);
}

/** The IANA name at the end of one such as `/mozilla.org/20050126_1/Europe/Berlin`. */
function prefixedIanaName(tzid: string): string | undefined {
  const parts = tzid.split('/').filter((part) => part !== '');
  for (let from = Math.max(0, parts.length - 3); from < parts.length - 1; from++) {
    const name = parts.slice(from).join('/');
    if (isTimezone(name)) return name;
  }
  return undefined;
}

/** `GMT+0100`, `UTC-5`, and the `(UTC+01:00)` in front of Outlook's descriptions. */
function offsetZone(tzid: string): string | undefined {
  const match = /^\(?(?:UTC|GMT)([+-])(\d{1,2})(?:[:.]?(\d{2}))?(?:\)|$)/i.exec(tzid);
  if (match === null) return undefined;
  const [, sign, hours = '', minutes = '00'] = match;
  return Number(hours) < 24 ? `${sign}${hours.padStart(2, '0')}:${minutes}` : undefined;
}
