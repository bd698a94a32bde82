import { DAY_MS, HOUR_MS } from '../../time/units.ts';
import { NONSENSE, unescaped, type Line } from './line.ts';
import { readRule, type Rule } from './rule.ts';
import { readDuration, readTime, type Length, type When } from './value.ts';
import { utc, type Zone } from '../../time/wall-clock.ts';
import type { Zones } from './zones.ts';

export interface CalendarEvent {
  readonly uid: string;
  /** It has no UID, or a RECURRENCE-ID that cannot be read: other events with the same UID have nothing to do with it. */
  readonly isAlone: boolean;
  readonly sequence: number;
  /** Which occurrence of the event with the same UID this one stands for. */
  readonly replaces: OccurrenceId | undefined;
  /** It also stands for all occurrences after that one (RANGE=THISANDFUTURE). */
  readonly andFollowing: boolean;
  /** Cancelled events and those marked as free time block nothing. */
  readonly blocks: boolean;
  readonly start: When;
  readonly length: Length;
  readonly rules: readonly Rule[];
  readonly extraDates: readonly Period[];
  readonly exceptDates: readonly When[];
}

/** A RECURRENCE-ID. One that is written without a zone is on the clock of its series. */
export type OccurrenceId = Omit<When, 'zone'> & { readonly zone: Zone | undefined };

interface Period {
  readonly start: When;
  readonly length: Length;
}

/** Told of each line that cannot be used; `hides` when hours may be missing for it. */
export type Report = (line: string, hides: boolean) => void;

/**
 * Reads the lines of one VEVENT. A line that cannot be understood is reported, and the others still count. An event
 * without a start is undefined.
 */
export function readEvent(lines: readonly Line[], zones: Zones, report: Report): CalendarEvent | undefined {
  const named = (name: string): Line | undefined => lines.find((line) => line.name === name);
  const says = (name: string, word: string): boolean => named(name)?.value.toUpperCase() === word;
  const blocks = !says('STATUS', 'CANCELLED') && !says('TRANSP', 'TRANSPARENT');
  const reader = new Reader(lines, zones, (line, hides) => report(line, hides && blocks));

  const end = named('DTEND');
  if (named('DTSTART') === undefined) report('DTSTART', blocks);
  // A start without a zone is in the zone of the end, where that has one. An end with a Z has none, whatever its TZID says.
  const floating = /Z$/i.test(end?.value ?? '') ? zones.space : reader.zoneOf(end, zones.space);
  const [start] = reader.all('DTSTART', (line) => reader.wholeOrTime(line, floating, Math.floor));
  if (start === undefined) return undefined;

  // An event without an end and a duration lasts a day when it starts with a date, and no time at all when it starts with
  // a time. Where they are there and cannot be read, it lasts an hour.
  const withoutEnd = end === undefined && named('DURATION') === undefined ? NO_TIME : ONE_HOUR;
  const length =
    reader.all('DTEND', (line) => lengthBetween(start, reader.wholeOrTime(line, start.zone, Math.ceil)))[0] ??
    reader.all('DURATION', ({ value }) => asLength(readDuration(value), start.isDate))[0] ??
    (start.isDate ? ONE_DAY : withoutEnd);

  // Where the RECURRENCE-ID cannot be read, the series keeps all its occurrences, and this event blocks beside them.
  const replaced = named('RECURRENCE-ID');
  const [replaces] = reader.all('RECURRENCE-ID', (line) => reader.when(line, undefined));
  const uid = uidOf(lines);
  return {
    uid,
    isAlone: uid === '' || (replaced !== undefined && replaces === undefined),
    sequence: Number(named('SEQUENCE')?.value) || 0,
    replaces,
    andFollowing: replaced?.params['range']?.toUpperCase() === 'THISANDFUTURE',
    blocks,
    start,
    length,
    rules: reader.all('RRULE', ({ value }) => readRule(value)),
    extraDates: reader.all('RDATE', (line) => reader.period(line, start.zone, length)),
    exceptDates: reader.all('EXDATE', (line) => reader.when(line, start.zone)),
  };
}

/** The busy periods of one VFREEBUSY. */
export function busyPeriods(lines: readonly Line[], zones: Zones, report: Report): Period[] {
  const busy = lines.filter(({ params }) => params['fbtype']?.toUpperCase() !== 'FREE');
  const reader = new Reader(busy, zones, report);
  return reader.all('FREEBUSY', (line) => {
    if (!line.value.includes('/')) report('FREEBUSY', true);
    return reader.period(line, zones.space, ONE_HOUR);
  });
}

export function uidOf(lines: readonly Line[]): string {
  const value = lines.find(({ name }) => name === 'UID')?.value ?? '';
  return value === NONSENSE ? '' : unescaped(value);
}

/** Lines without which the event only blocks more. */
const HIDES_NOTHING = new Set(['RECURRENCE-ID', 'EXDATE']);

class Reader {
  readonly #lines: readonly Line[];
  readonly #zones: Zones;
  readonly #report: Report;

  constructor(lines: readonly Line[], zones: Zones, report: Report) {
    this.#lines = lines;
    this.#zones = zones;
    this.#report = report;
  }

  /** What can be read of all lines of a name, and of each value of a list. One that is there twice counts once. */
  all<T>(name: string, read: (line: Line) => T): T[] {
    const lines = this.#lines.filter((line) => line.name === name);
    return lines.flatMap((line) => {
      const list = name === 'RRULE' ? null : line.value.match(/[^,]+/g);
      return [...new Set(list ?? [line.value])].flatMap((value) => {
        try {
          return [read({ ...line, value })];
        } catch (error) {
          const why = name === 'RRULE' ? ` (${(error as Error).message})` : '';
          this.#report(name + why, !HIDES_NOTHING.has(name));
          return [];
        }
      });
    });
  }

  /** `VALUE=DATE` with a time contradicts itself. It is read as the whole day, which blocks more than the time would. */
  wholeOrTime(line: Line, floating: Zone, round: (days: number) => number): When {
    const when = this.when(line, floating);
    if (when.isDate || line.params['value'] !== 'DATE') return when;
    const wall = round(when.wall / DAY_MS) * DAY_MS;
    // A time in another zone may lie on another day at the space: then hours may be missing.
    if (wall !== when.wall) this.#report(line.name, when.zone !== this.#zones.space);
    return { wall, isDate: true, zone: this.#zones.space };
  }

  /** A start and, behind a slash, its end or its length. Without one that can be read it is as long as `length`. */
  period(line: Line, floating: Zone, length: Length): Period {
    const [from = '', to] = line.value.split('/');
    const start = this.wholeOrTime({ ...line, value: from }, floating, Math.floor);
    if (to === undefined) return { start, length };
    try {
      const own = /^[+-]?P/i.test(to)
        ? asLength(readDuration(to), start.isDate)
        : lengthBetween(start, this.when({ ...line, value: to }, start.zone));
      return { start, length: own };
    } catch {
      this.#report(line.name, true);
      return { start, length };
    }
  }

  /** `floating` is the zone of a time that is written without one. */
  when<Floating extends Zone | undefined>(
    line: Line,
    floating: Floating,
  ): Omit<When, 'zone'> & { readonly zone: Zone | Floating } {
    const { wall, isDate, isUtc } = readTime(line.value);
    if (isDate) return { wall, isDate, zone: this.#zones.space };
    return { wall, isDate, zone: isUtc ? utc : this.zoneOf(line, floating) };
  }

  zoneOf<Floating>(line: Line | undefined, floating: Floating): Zone | Floating {
    const tzid = line?.params['tzid'] ?? '';
    return tzid === '' ? floating : this.#zones.get(tzid);
  }
}

const ONE_DAY: Length = { days: 1, ms: 0 };
const ONE_HOUR: Length = { days: 0, ms: HOUR_MS };
const NO_TIME: Length = { days: 0, ms: 0 };

/** Some exporters write an end before the start. Such an event has no length. */
function lengthBetween(start: When, end: When): Length {
  if (start.isDate) return { days: Math.max(1, Math.ceil((end.wall - start.wall) / DAY_MS)), ms: 0 };
  const from = start.zone.toInstant(start.wall);
  // Where a date ends an event that starts with a time, it ends at the beginning of that day.
  const to = (end.isDate ? start.zone : end.zone).toInstant(end.wall);
  return { days: 0, ms: Math.max(0, to - from) };
}

function asLength({ days, ms }: Length, wholeDays: boolean): Length {
  return wholeDays ? { days: Math.max(1, days + Math.ceil(ms / DAY_MS)), ms: 0 } : { days, ms };
}
