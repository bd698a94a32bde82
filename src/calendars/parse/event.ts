import { DAY_MS, HOUR_MS } from '../../time/units.ts';
import { NotUnderstood } from './limits.ts';
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

export interface Period {
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
  const blocks = !says(lines, 'STATUS', 'CANCELLED') && !says(lines, 'TRANSP', 'TRANSPARENT');
  const reader = new Reader(lines, zones, (line, hides) => report(line, hides && blocks));
  const start = reader.start();
  if (start === undefined) return undefined;
  const length = reader.length(start);
  const uid = uidOf(lines);
  const { isUnknown, replaces, andFollowing } = reader.replaced();
  return {
    uid,
    isAlone: uid === '' || isUnknown,
    sequence: Number(firstValue(lines, 'SEQUENCE')) || 0,
    replaces,
    andFollowing,
    blocks,
    start,
    length,
    rules: reader.rules(),
    extraDates: reader.extraDates(start, length),
    exceptDates: reader.exceptDates(start),
  };
}

/** What one VFREEBUSY says: its busy periods, and how many periods it calls free or has in all. */
export function readFreeBusy(
  lines: readonly Line[],
  zones: Zones,
  report: Report,
): { busy: Period[]; free: number; periods: number } {
  const all = lines.filter(({ name }) => name === 'FREEBUSY');
  const isFree = ({ params }: Line): boolean => params['fbtype']?.toUpperCase() === 'FREE';
  const busyLines = all.filter((line) => !isFree(line));
  return {
    busy: new Reader(busyLines, zones, report).busyPeriods(),
    free: listLength(all.filter(isFree)),
    periods: listLength(all),
  };
}

function listLength(lines: readonly Line[]): number {
  return lines.reduce((sum, { value }) => sum + value.split(',').length, 0);
}

export function uidOf(lines: readonly Line[]): string {
  const value = firstValue(lines, 'UID');
  return value === NONSENSE ? '' : unescaped(value);
}

function says(lines: readonly Line[], name: string, word: string): boolean {
  return firstValue(lines, name).toUpperCase() === word;
}

function firstValue(lines: readonly Line[], wanted: string): string {
  return lines.find(({ name }) => name === wanted)?.value ?? '';
}

class Reader {
  readonly #lines: readonly Line[];
  readonly #zones: Zones;
  readonly #report: Report;

  constructor(lines: readonly Line[], zones: Zones, report: Report) {
    this.#lines = lines;
    this.#zones = zones;
    this.#report = report;
  }

  /** Of several DTSTART lines the first that can be read counts. So it is with DTEND and DURATION. */
  start(): When | undefined {
    const lines = this.#named('DTSTART');
    if (lines.length === 0) this.#report('DTSTART', true);
    // A start without a zone is in the zone of the end, where that has one. An end with a Z has none, whatever its TZID says.
    const end = this.#named('DTEND')[0];
    const floating = /Z$/i.test(end?.value ?? '') ? this.#zones.space : this.#zoneOf(end, this.#zones.space);
    return this.#firstOf(lines, (line) => this.#wholeOrTime(line, line.value, floating, Math.floor));
  }

  /**
   * By DTEND, or else by DURATION. An event that has neither lasts a day when it starts with a date, and no time at all
   * when it starts with a time. Where they are there and cannot be read, it lasts an hour.
   */
  length(start: When): Length {
    const ends = this.#named('DTEND');
    const durations = this.#named('DURATION');
    const read =
      this.#firstOf(ends, (line) =>
        lengthBetween(start, this.#wholeOrTime(line, line.value, start.zone, Math.ceil)),
      ) ?? this.#firstOf(durations, ({ value }) => asLength(readDuration(value), start.isDate));
    if (read !== undefined) return read;
    if (start.isDate) return ONE_DAY;
    return ends.length + durations.length > 0 ? ONE_HOUR : NO_TIME;
  }

  /** Where the RECURRENCE-ID cannot be read, the series keeps all its occurrences, and this event blocks beside them. */
  replaced(): Pick<CalendarEvent, 'replaces' | 'andFollowing'> & { isUnknown: boolean } {
    const [line] = this.#named('RECURRENCE-ID');
    if (line === undefined) return { isUnknown: false, replaces: undefined, andFollowing: false };
    try {
      const replaces = this.#when(line, line.value, undefined);
      const andFollowing = line.params['range']?.toUpperCase() === 'THISANDFUTURE';
      return { isUnknown: false, replaces, andFollowing };
    } catch {
      this.#report('RECURRENCE-ID', false);
      return { isUnknown: true, replaces: undefined, andFollowing: false };
    }
  }

  rules(): Rule[] {
    return this.#named('RRULE').flatMap(({ value }) => {
      try {
        return [readRule(value)];
      } catch (error) {
        this.#report(`RRULE (${error instanceof NotUnderstood ? error.message : 'unknown'})`, true);
        return [];
      }
    });
  }

  extraDates(start: When, length: Length): Period[] {
    return this.#values('RDATE', true, (line, value) => this.#period(line, value, start.zone, length));
  }

  busyPeriods(): Period[] {
    return this.#values('FREEBUSY', true, (line, value) => {
      if (!value.includes('/')) this.#report('FREEBUSY', true);
      return this.#period(line, value, this.#zones.space, ONE_HOUR);
    });
  }

  exceptDates(start: When): When[] {
    return this.#values('EXDATE', false, (line, value) => this.#when(line, value, start.zone));
  }

  #named(name: string): Line[] {
    return this.#lines.filter((line) => line.name === name);
  }

  #firstOf<T>(lines: readonly Line[], read: (line: Line) => T): T | undefined {
    for (const line of lines) {
      try {
        return read(line);
      } catch {
        this.#report(line.name, true);
      }
    }
    return undefined;
  }

  /** The values of all lines of a name, each of which is a list. A value that is there twice counts once. */
  #values<T>(name: string, hides: boolean, read: (line: Line, value: string) => T): T[] {
    return this.#named(name).flatMap((line) =>
      [...new Set(line.value.split(','))].flatMap((value) => {
        try {
          return value.trim() === '' ? [] : [read(line, value)];
        } catch {
          this.#report(name, hides);
          return [];
        }
      }),
    );
  }

  /** `VALUE=DATE` with a time contradicts itself. It is read as the whole day, which blocks more than the time would. */
  #wholeOrTime(line: Line, value: string, floating: Zone, round: (days: number) => number): When {
    const when = this.#when(line, value, floating);
    if (when.isDate || line.params['value'] !== 'DATE') return when;
    const wall = round(when.wall / DAY_MS) * DAY_MS;
    // A time in another zone may lie on another day at the space: then hours may be missing.
    if (wall !== when.wall) this.#report(line.name, when.zone !== this.#zones.space);
    return { wall, isDate: true, zone: this.#zones.space };
  }

  /** A start and, behind a slash, its end or its length. Without one that can be read it is as long as `length`. */
  #period(line: Line, value: string, floating: Zone, length: Length): Period {
    const [from = '', to] = value.split('/');
    const start = this.#wholeOrTime(line, from, floating, Math.floor);
    if (to === undefined) return { start, length };
    try {
      const own = /^[+-]?P/i.test(to)
        ? asLength(readDuration(to), start.isDate)
        : lengthBetween(start, this.#when(line, to, start.zone));
      return { start, length: own };
    } catch {
      this.#report(line.name, true);
      return { start, length };
    }
  }

  /** `floating` is the zone of a time that is written without one. */
  #when<Floating extends Zone | undefined>(
    line: Line,
    value: string,
    floating: Floating,
  ): Omit<When, 'zone'> & { readonly zone: Zone | Floating } {
    const { wall, isDate, isUtc } = readTime(value);
    if (isDate) return { wall, isDate, zone: this.#zones.space };
    return { wall, isDate, zone: isUtc ? utc : this.#zoneOf(line, floating) };
  }

  #zoneOf<Floating>(line: Line | undefined, floating: Floating): Zone | Floating {
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
