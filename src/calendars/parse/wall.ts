import { DAY_MS } from '../../time/units.ts';
import type { Wall } from '../../time/wall-clock.ts';

export const SECOND_MS = 1000;

/** Midnight of a date; undefined when the calendar has no such day. */
export function wallAt(year: number, month: number, day: number): Wall | undefined {
  // Date.UTC takes the years 0 to 99 for those of the last century; this does not.
  const at = new Date(0);
  at.setUTCFullYear(year, month - 1, day);
  return at.getUTCMonth() === month - 1 && at.getUTCDate() === day ? at.getTime() : undefined;
}

/** The calendar day of a reading, as a number of days. */
export function dayOf(wall: Wall): number {
  return Math.floor(wall / DAY_MS);
}
