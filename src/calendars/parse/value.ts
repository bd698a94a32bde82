import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../../time/units.ts';
import { NotUnderstood } from './limits.ts';
import type { Wall, Zone } from '../../time/wall-clock.ts';

/** A time as a line writes it. In which zone, other parts of the line say. */
export interface Reading {
  readonly wall: Wall;
  readonly isDate: boolean;
  readonly isUtc: boolean;
}

/** A time of an event: a reading of the clock of a zone, or a whole day at the space. */
export interface When {
  readonly wall: Wall;
  readonly isDate: boolean;
  readonly zone: Zone;
}

/**
 * How long an event lasts: some days of the calendar, and then some milliseconds. They are kept apart because a day on
 * which the clocks change has 23 or 25 hours. Only whole-day events and a DURATION in days have days.
 */
export interface Length {
  readonly days: number;
  readonly ms: number;
}

const TIME = /^(\d{4})(\d{2})(\d{2})(?:T(\d{2})(\d{2})(\d{2})?)?(Z)?$/i;

/** Reads `20270318`, `20270318T100000` or `20270318T100000Z`. A day or a time that does not exist is refused. */
export function readTime(text: string): Reading {
  const match = TIME.exec(text.trim());
  if (match === null) throw new NotUnderstood('not a time');
  const [year, month, day, hour, minute, second] = match.slice(1, 7).map((part) => Number(part ?? 0)) as Six;
  const date = wallAt(year, month, day);
  if (date === undefined || minute > 59 || second > 60) throw new NotUnderstood('not a time');
  // 24:00 is how some write the end of a day.
  if (hour > 23 && hour * 3600 + minute * 60 + second !== 86_400) throw new NotUnderstood('not a time');
  const wall = date + hour * HOUR_MS + minute * MINUTE_MS + second * SECOND_MS;
  return { wall, isDate: match[4] === undefined, isUtc: match[4] !== undefined && match[7] !== undefined };
}

/** Midnight of a date; undefined when the calendar has no such day. */
function wallAt(year: number, month: number, day: number): Wall | undefined {
  // Date.UTC takes the years 0 to 99 for those of the last century; this does not.
  const at = new Date(0);
  at.setUTCFullYear(year, month - 1, day);
  return at.getUTCMonth() === month - 1 && at.getUTCDate() === day ? at.getTime() : undefined;
}

type Six = [number, number, number, number, number, number];

const DURATION = /^([+-])?P(?:(\d+)W)?(?:(\d+)D)?(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)S)?$/i;

/** Reads `PT1H30M`, `P2D` or `P1W`. Exporters misplace or forget the T. Some write negative ones, which count as no time. */
export function readDuration(text: string): Length {
  const match = DURATION.exec(text.trim().replace(/T/i, ''));
  if (match === null || !/\d/.test(text)) throw new NotUnderstood('not a duration');
  if (match[1] === '-') return { days: 0, ms: 0 };
  const [weeks, days, hours, minutes, seconds] = match.slice(2, 7).map((part) => Number(part ?? 0)) as Five;
  return { days: weeks * 7 + days, ms: hours * HOUR_MS + minutes * MINUTE_MS + seconds * SECOND_MS };
}

type Five = [number, number, number, number, number];

const OFFSET = /^([+-])(\d{2})(\d{2})(\d{2})?$/;

/** Reads a UTC offset such as `-0500`, in milliseconds. */
export function readOffset(text: string): number {
  const match = OFFSET.exec(text.trim());
  if (match === null) throw new NotUnderstood('not an offset');
  const [, sign, hours, minutes, seconds = 0] = match;
  const ms = Number(hours) * HOUR_MS + Number(minutes) * MINUTE_MS + Number(seconds) * SECOND_MS;
  if (ms >= DAY_MS) throw new NotUnderstood('not an offset');
  return sign === '-' ? -ms : ms;
}
