import { DAY_MS } from './units.ts';

/**
 * What a clock on a wall shows, as the milliseconds of the instant at which a clock in UTC shows the same. So readings
 * can be compared and shifted as numbers; which instant one is, only a zone can say.
 */
export type Wall = number;

/** The calendar day of a reading, as a number of days. */
export function dayOf(wall: Wall): number {
  return Math.floor(wall / DAY_MS);
}

/** Turns readings of a wall clock into instants and back. */
export interface Zone {
  /**
   * A reading that comes twice, when the clocks go back, is the first of the two. One that the clocks skip is as long
   * after the jump as it claims to be: 2:30 becomes 3:30.
   */
  toInstant(wall: Wall): number;
  toWall(instant: number): Wall;
}

export const utc: Zone = { toInstant: (wall) => wall, toWall: (instant) => instant };

/** No change of the clocks moves them further than this: Samoa left out a whole day in 2011. */
export const LARGEST_CHANGE_MS = DAY_MS;

/**
 * A zone of the IANA database. Temporal takes 10 µs to place a reading, and a calendar may have 200 000 occurrences. So
 * the time between two changes of the clocks is remembered: there, all readings have the same offset.
 */
export function ianaZone(name: string): Zone {
  let calm = { from: Infinity, to: -Infinity, offset: 0 };
  return {
    toInstant: (wall) => {
      if (wall > calm.from && wall < calm.to) return wall - calm.offset;
      const there = Temporal.Instant.fromEpochMilliseconds(wall)
        .toZonedDateTimeISO('UTC')
        .toPlainDateTime()
        .toZonedDateTime(name);
      calm = calmAround(there);
      return there.epochMilliseconds;
    },
    toWall: (instant) => {
      const there = Temporal.Instant.fromEpochMilliseconds(instant).toZonedDateTimeISO(name);
      return instant + offsetOf(there);
    },
  };
}

/** The readings between the last change of the clocks and the next, without those that a change may repeat or skip. */
function calmAround(there: Temporal.ZonedDateTime): { from: Wall; to: Wall; offset: number } {
  const offset = offsetOf(there);
  // A millisecond later: at the very moment of a change, that change is the last one.
  const last =
    there.add({ milliseconds: 1 }).getTimeZoneTransition('previous')?.epochMilliseconds ?? -Infinity;
  const next = there.getTimeZoneTransition('next')?.epochMilliseconds ?? Infinity;
  return { from: last + offset + LARGEST_CHANGE_MS, to: next + offset - LARGEST_CHANGE_MS, offset };
}

function offsetOf(there: Temporal.ZonedDateTime): number {
  return there.offsetNanoseconds / 1_000_000;
}
