import ICAL from 'ical.js';
import { DAY_MS } from '../../time/units.ts';

/**
 * A reading of a wall clock, as the milliseconds of an instant that reads the same in UTC. Readings can be
 * compared and shifted as numbers; only a zone makes an instant of one.
 */
export type Wall = number;

export const SECOND_MS = 1000;

export function wallOf(time: ICAL.Time): Wall {
  const wall = Date.UTC(time.year, time.month - 1, time.day, time.hour, time.minute, time.second);
  // Date.UTC takes the years 0 to 99 for those of the last century.
  return time.year < 100 ? NaN : wall;
}

/** Without a zone, which is how rules are expanded: on the wall clock. */
export function toIcalTime(wall: Wall, isDate: boolean): ICAL.Time {
  const at = new Date(wall);
  return ICAL.Time.fromData({
    year: at.getUTCFullYear(),
    month: at.getUTCMonth() + 1,
    day: at.getUTCDate(),
    hour: at.getUTCHours(),
    minute: at.getUTCMinutes(),
    second: at.getUTCSeconds(),
    isDate,
  });
}

/** The calendar day of a reading, as a number of days. */
export function dayOf(wall: Wall): number {
  return Math.floor(wall / DAY_MS);
}
