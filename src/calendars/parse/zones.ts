import { isTimezone } from '../../time/zones.ts';
import type { Budget } from './budget.ts';
import { definedZone } from './defined-zone.ts';
import { readLine, readLines, unescaped } from './line.ts';
import type { SievedZone } from './sieve.ts';
import { type Wall, ianaZone, type Zone } from '../../time/wall-clock.ts';
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
