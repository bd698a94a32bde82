import { BoundedMap } from '../bounded-map.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from './units.ts';

/** Where the service gets the time from, so that a test can set it. In epoch milliseconds. */
export interface Clock {
  now(): number;
}

export const systemClock: Clock = { now: () => Date.now() };

/** How far apart the clocks of two processes may be. `doctor` fails where this machine's is farther from PostgreSQL's. */
export const CLOCKS_DIFFER_MS = 5000;

/** The last instant that a record can show: its years have four digits. */
export const LAST_INSTANT = Date.UTC(9999, 11, 31, 23, 59, 59, 999);

/** RFC 3339 in UTC with milliseconds: how every instant appears in a record. */
export function toTimestamp(epochMs: number): string {
  const day = Math.floor(epochMs / DAY_MS);
  let date = dates.get(day);
  if (date === undefined) {
    date = new Date(epochMs).toISOString().slice(0, -'HH:MM:SS.mmmZ'.length);
    dates.set(day, date);
  }
  const ms = Math.trunc(epochMs - day * DAY_MS);
  const hour = TWO_DIGITS[Math.trunc(ms / HOUR_MS)];
  const minute = TWO_DIGITS[Math.trunc(ms / MINUTE_MS) % 60];
  const second = TWO_DIGITS[Math.trunc(ms / 1000) % 60];
  return `${date}${hour}:${minute}:${second}.${String(1000 + (ms % 1000)).slice(1)}Z`;
}

export function timestampOrNull(epochMs: number | null): string | null {
  return epochMs === null ? null : toTimestamp(epochMs);
}

/** Of days seen lately. A page of bookings has 200 timestamps; Date alone takes seven times as long for each. */
const dates = new BoundedMap<number, string>(4096);
const TWO_DIGITS = Array.from({ length: 60 }, (_, number) => String(number).padStart(2, '0'));
