import ICAL from 'ical.js';
import { DAY_MS } from '../../time/units.ts';
import { SECOND_MS, wallOf, type Wall } from './wall.ts';
import { utc, type Zone, type Zones } from './zones.ts';

/** A time as an event writes it: a reading of a clock somewhere, or a whole day wherever the space is. */
export interface When {
  readonly wall: Wall;
  readonly isDate: boolean;
  readonly zone: Zone;
}

/**
 * How long an event lasts: so many days on the calendar, then so much time by the clock. Only a DURATION in
 * days and an all-day event have days; the days across a change of the clocks are not of equal length.
 */
export interface Length {
  readonly days: number;
  readonly ms: number;
}

export interface CalendarEvent {
  readonly uid: string;
  readonly sequence: number;
  /** Which occurrence of the event with the same UID this one stands for. */
  readonly replaces: When | undefined;
  /** It also stands for all occurrences after that one. */
  readonly andFollowing: boolean;
  /** Cancelled events and those marked as free time block nothing. */
  readonly blocks: boolean;
  readonly start: When;
  readonly length: Length;
  readonly rules: readonly ICAL.Recur[];
  readonly extraDates: readonly { readonly start: When; readonly length: Length }[];
  readonly exceptDates: readonly When[];
}

/** Reads one VEVENT; throws when it makes no sense. */
export function readEvent(text: string, zones: Zones, spaceZone: Zone): CalendarEvent {
  const component = new ICAL.Component(ICAL.parse(text));
  const reader = new Reader(component, zones, spaceZone);
  const start = reader.when('dtstart');
  if (start === undefined) throw new Error('an event without a start');
  const length = reader.length(start);
  const replaced = component.getFirstProperty('recurrence-id');
  return {
    uid: reader.text('uid'),
    sequence: Number(component.getFirstPropertyValue('sequence')) || 0,
    replaces: reader.when('recurrence-id'),
    andFollowing: replaced?.getParameter('range') === 'THISANDFUTURE',
    blocks: !reader.says('status', 'CANCELLED') && !reader.says('transp', 'TRANSPARENT'),
    start,
    length,
    rules: reader.rules(),
    extraDates: reader.extraDates(length),
    exceptDates: reader.values('exdate').map(({ value, property }) => reader.toWhen(value, property)),
  };
}

class Reader {
  readonly #component: ICAL.Component;
  readonly #zones: Zones;
  readonly #spaceZone: Zone;

  constructor(component: ICAL.Component, zones: Zones, spaceZone: Zone) {
    this.#component = component;
    this.#zones = zones;
    this.#spaceZone = spaceZone;
  }

  text(name: string): string {
    const value = this.#component.getFirstPropertyValue(name);
    return typeof value === 'string' ? value.trim() : '';
  }

  says(name: string, word: string): boolean {
    return this.text(name).toUpperCase() === word;
  }

  when(name: string): When | undefined {
    const property = this.#component.getFirstProperty(name);
    return property === null ? undefined : this.toWhen(property.getFirstValue(), property);
  }

  toWhen(value: unknown, property: ICAL.Property): When {
    if (!(value instanceof ICAL.Time)) throw new Error('not a time');
    const wall = wallOf(value);
    if (Number.isNaN(wall)) throw new Error('not a time');
    return { wall, isDate: value.isDate, zone: this.#zoneOf(value, property) };
  }

  /** DTEND, or DURATION, or else a whole day for a date and no time at all for a time. */
  length(start: When): Length {
    const end = this.when('dtend');
    if (end !== undefined) return lengthBetween(start, end);
    const duration = this.#component.getFirstPropertyValue('duration');
    if (duration instanceof ICAL.Duration) return lengthOf(duration, start.isDate);
    return start.isDate ? ONE_DAY : NO_TIME;
  }

  rules(): ICAL.Recur[] {
    return this.values('rrule').map(({ value }) => {
      if (!(value instanceof ICAL.Recur) || value.freq === null) throw new Error('not a rule');
      return value;
    });
  }

  extraDates(length: Length): CalendarEvent['extraDates'] {
    return this.values('rdate').map(({ value, property }) => {
      if (!(value instanceof ICAL.Period)) return { start: this.toWhen(value, property), length };
      const start = this.toWhen(value.start, property);
      if (value.end !== null)
        return { start, length: lengthBetween(start, this.toWhen(value.end, property)) };
      return { start, length: value.duration === null ? length : lengthOf(value.duration, start.isDate) };
    });
  }

  values(name: string): { value: unknown; property: ICAL.Property }[] {
    return this.#component
      .getAllProperties(name)
      .flatMap((property) => property.getValues().map((value: unknown) => ({ value, property })));
  }

  #zoneOf(time: ICAL.Time, property: ICAL.Property): Zone {
    if (time.isDate) return this.#spaceZone;
    if (time.zone === ICAL.Timezone.utcTimezone) return utc;
    const tzid: unknown = property.getParameter('tzid');
    return typeof tzid === 'string' && tzid !== '' ? this.#zones.get(tzid) : this.#spaceZone;
  }
}

const ONE_DAY: Length = { days: 1, ms: 0 };
const NO_TIME: Length = { days: 0, ms: 0 };

/** An end before the start, which exporters do write, counts as none. */
function lengthBetween(start: When, end: When): Length {
  if (start.isDate) return { days: Math.max(1, Math.ceil((end.wall - start.wall) / DAY_MS)), ms: 0 };
  const from = start.zone.toInstant(start.wall);
  // A mere date as the end of a time ends with the day before.
  const to = (end.isDate ? start.zone : end.zone).toInstant(end.wall);
  return { days: 0, ms: Math.max(0, to - from) };
}

function lengthOf(duration: ICAL.Duration, wholeDays: boolean): Length {
  if (duration.isNegative) return wholeDays ? ONE_DAY : NO_TIME;
  const days = duration.weeks * 7 + duration.days;
  const ms = ((duration.hours * 60 + duration.minutes) * 60 + duration.seconds) * SECOND_MS;
  return wholeDays ? { days: Math.max(1, days + Math.ceil(ms / DAY_MS)), ms: 0 } : { days, ms };
}
