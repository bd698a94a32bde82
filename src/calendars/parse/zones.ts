import ICAL from 'ical.js';
import { isTimezone } from '../../time/zones.ts';
import { SECOND_MS, toIcalTime, type Wall } from './wall.ts';
import { windowsZone } from './windows-zones.ts';

/** Turns wall-clock readings into instants and back. */
export interface Zone {
  /** A repeated reading is its first pass; a skipped one is as far after the jump as it claims to be. */
  toInstant(wall: Wall): number;
  toWall(instant: number): Wall;
}

export const utc: Zone = { toInstant: (wall) => wall, toWall: (instant) => instant };

export function ianaZone(name: string): Zone {
  return {
    toInstant: (wall) =>
      Temporal.Instant.fromEpochMilliseconds(wall)
        .toZonedDateTimeISO('UTC')
        .toPlainDateTime()
        .toZonedDateTime(name).epochMilliseconds,
    toWall: (instant) => {
      const there = Temporal.Instant.fromEpochMilliseconds(instant).toZonedDateTimeISO(name);
      return instant + there.offsetNanoseconds / 1_000_000;
    },
  };
}

/**
 * The zones of one calendar by TZID. A name that the runtime knows beats the calendar's own definition, which
 * is often cut down to the present rule. Other names mean what the calendar says they mean; Windows' names,
 * and IANA names behind a vendor's prefix, are understood without a definition. What is left reads as the
 * wall clock of the space: its host's calendar is most likely kept where the space is.
 */
export class Zones {
  readonly #definitions = new Map<string, ICAL.Component>();
  readonly #known = new Map<string, Zone>();
  readonly #fallback: Zone;

  constructor(definitions: readonly ICAL.Component[], fallback: Zone) {
    for (const definition of definitions) {
      const tzid = definition.getFirstPropertyValue('tzid');
      if (typeof tzid === 'string') this.#definitions.set(tzid, definition);
    }
    this.#fallback = fallback;
  }

  get(tzid: string): Zone {
    return this.#known.getOrInsertComputed(tzid, () => this.#find(tzid));
  }

  #find(tzid: string): Zone {
    if (isTimezone(tzid)) return ianaZone(tzid);
    const definition = this.#definitions.get(tzid);
    if (definition !== undefined) {
      const location = definition.getFirstPropertyValue('x-lic-location');
      if (typeof location === 'string' && isTimezone(location)) return ianaZone(location);
      if (isUsable(definition)) return definedZone(definition);
    }
    const name = windowsZone(tzid) ?? prefixedIanaName(tzid) ?? offsetZone(tzid);
    return name === undefined ? this.#fallback : ianaZone(name);
  }
}

/** `/mozilla.org/20050126_1/Europe/Berlin` and its like: the longest end that is a name. */
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
  const match = /^\(?(?:UTC|GMT)([+-])(\d{1,2})(?::?(\d{2}))?(?:\)|$)/i.exec(tzid.trim());
  if (match === null) return undefined;
  const [, sign, hours = '', minutes = '00'] = match;
  return Number(hours) < 24 ? `${sign}${hours.padStart(2, '0')}:${minutes}` : undefined;
}

/** Clocks change at most a few times a year; a rule that says otherwise would only cost time. */
function isUsable(definition: ICAL.Component): boolean {
  const parts = definition.getAllSubcomponents();
  const complete = parts.filter(
    (part) =>
      part.hasProperty('dtstart') && part.hasProperty('tzoffsetfrom') && part.hasProperty('tzoffsetto'),
  );
  const rules = parts.flatMap((part) => part.getAllProperties('rrule')).map((rule) => rule.getFirstValue());
  return (
    complete.length > 0 &&
    rules.every((rule) => rule instanceof ICAL.Recur && (rule.freq === 'YEARLY' || rule.freq === 'MONTHLY'))
  );
}

function definedZone(definition: ICAL.Component): Zone {
  const zone = ICAL.Timezone.fromData({ component: definition });
  const offset = (wall: Wall): number => zone.utcOffset(toIcalTime(wall, false)) * SECOND_MS;
  return {
    toInstant: (wall) => wall - offset(wall),
    // The offset is looked up by wall clock: twice around finds the one that holds at the instant.
    toWall: (instant) => instant + offset(instant + offset(instant)),
  };
}
