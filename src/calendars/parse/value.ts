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
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = numbers(match.slice(1, 7));
  // Date.UTC takes the years 0 to 99 for those of the last century; this does not.
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  const time = hour * HOUR_MS + minute * MINUTE_MS + second * SECOND_MS;
  // 24:00 is how some write the end of a day. Second 60 is a leap second.
  const exists = date.getUTCMonth() === month - 1 && minute <= 59 && second <= 60;
  if (!exists || (hour > 23 && time !== DAY_MS)) throw new NotUnderstood('not a time');
  const isDate = match[4] === undefined;
  return { wall: date.getTime() + time, isDate, isUtc: !isDate && match[7] !== undefined };
}

function numbers(parts: readonly (string | undefined)[]): number[] {
  return parts.map((part) => Number(part ?? 0));
}

const DURATION = /^([+-])?P(?:(\d+)W)?(?:(\d+)D)?(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)S)?$/i;

/** Reads `PT1H30M`, `P2D` or `P1W`. Exporters misplace or forget the T. Some write negative ones, which count as no time. */
export function readDuration(text: string): Length {
  const match = DURATION.exec(text.trim().replace(/T/i, ''));
  if (match === null || !/\d/.test(text)) throw new NotUnderstood('not a duration');
  if (match[1] === '-') return { days: 0, ms: 0 };
  const [weeks = 0, days = 0, hours = 0, minutes = 0, seconds = 0] = numbers(match.slice(2, 7));
  return { days: weeks * 7 + days, ms: hours * HOUR_MS + minutes * MINUTE_MS + seconds * SECOND_MS };
}

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
