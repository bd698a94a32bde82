import { DAY_MS } from '../../time/units.ts';
import type { Wall } from './wall.ts';

/** Turns wall-clock readings into instants and back. */
export interface Zone {
  /** A repeated reading is its first pass; a skipped one is as far after the jump as it claims to be. */
  toInstant(wall: Wall): number;
  toWall(instant: number): Wall;
}

/** A time as an event writes it: a reading of a clock somewhere, or a whole day wherever the space is. */
export interface When {
  readonly wall: Wall;
  readonly isDate: boolean;
  readonly zone: Zone;
}

export const utc: Zone = { toInstant: (wall) => wall, toWall: (instant) => instant };

/** Most questions are about days on which the clocks stay as they are: one look at those days answers all of them. */
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

/** The readings from a day after the last change of the clocks to a day before the next. */
function calmAround(there: Temporal.ZonedDateTime): { from: Wall; to: Wall; offset: number } {
  const offset = offsetOf(there);
  // At the very moment of a change, that change is the last one.
  const last =
    there.add({ milliseconds: 1 }).getTimeZoneTransition('previous')?.epochMilliseconds ?? -Infinity;
  const next = there.getTimeZoneTransition('next')?.epochMilliseconds ?? Infinity;
  return { from: last + offset + DAY_MS, to: next + offset - DAY_MS, offset };
}

function offsetOf(there: Temporal.ZonedDateTime): number {
  return there.offsetNanoseconds / 1_000_000;
}
