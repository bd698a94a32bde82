import { BoundedMap } from '../bounded-map.ts';
import { DAY_MS, HOUR_MS } from './units.ts';
import { weekdayOf, type Weekday } from './weekdays.ts';
import { LARGEST_CHANGE_MS } from './wall-clock.ts';

/**
 * One calendar day of one timezone, cut into its 24 wall-clock hours.
 *
 * An hour starts at the first instant that reads as that hour and ends after the last one, so the
 * repeated hour of an autumn day is one long hour and a half-skipped hour is a short one. An hour is
 * skipped only when no instant of it exists.
 */
export interface LocalDay {
  /** Epoch milliseconds of each hour's first instant; NaN where the hour is skipped. */
  readonly startsAt: readonly number[];
  /** Epoch milliseconds just after each hour's last instant; NaN where the hour is skipped. */
  readonly endsAt: readonly number[];
  readonly weekday: Weekday;
}

/** Kept in memory once computed: it never changes. */
export function localDay(timezone: string, date: string): LocalDay {
  const key = `${timezone} ${date}`;
  let day = memo.get(key);
  if (day === undefined) {
    day = cutDay(timezone, Temporal.PlainDate.from(date));
    memo.set(key, day);
  }
  return day;
}

export function isSkipped(day: LocalDay, hour: number): boolean {
  return Number.isNaN(day.startsAt[hour]);
}

const memo = new BoundedMap<string, LocalDay>(4096);

/**
 * A day without a change of the clocks is cut by counting: hour by hour, its 48 conversions take 250 µs, more than the rest
 * of a request, and counting takes 15.
 */
function cutDay(timezone: string, date: Temporal.PlainDate): LocalDay {
  const weekday = weekdayOf(date);
  const start = plainStart(timezone, date);
  if (start !== undefined) {
    const startsAt = Array.from({ length: 24 }, (_, hour) => start + hour * HOUR_MS);
    return { startsAt, endsAt: startsAt.map((at) => at + HOUR_MS), weekday };
  }
  const startsAt: number[] = [];
  const endsAt: number[] = [];
  for (let hour = 0; hour < 24; hour++) {
    const cut = cutHour(timezone, date, hour);
    startsAt.push(cut.startsAt);
    endsAt.push(cut.endsAt);
  }
  return { startsAt, endsAt, weekday };
}

/**
 * The first instant of a day that begins at midnight and is touched by no change of the clocks: none on the day itself,
 * and none so soon after it that it could set them back into the day. Undefined for other days.
 */
function plainStart(timezone: string, date: Temporal.PlainDate): number | undefined {
  const start = date.toZonedDateTime(timezone);
  // It begins later where midnight is jumped over, and on the date after where the whole day is.
  if (!start.toPlainDateTime().equals(date.toPlainDateTime())) return undefined;
  const change = start.getTimeZoneTransition('next');
  const isNear =
    change !== null && change.epochMilliseconds < start.epochMilliseconds + DAY_MS + LARGEST_CHANGE_MS;
  return isNear ? undefined : start.epochMilliseconds;
}

function cutHour(
  timezone: string,
  date: Temporal.PlainDate,
  hour: number,
): { startsAt: number; endsAt: number } {
  const first = date.toPlainDateTime({ hour });
  const last = first.with({ minute: 59, second: 59, millisecond: 999 });
  const startsAt = firstInstant(timezone, first, last);
  return { startsAt, endsAt: Number.isNaN(startsAt) ? NaN : lastInstant(timezone, last) + 1 };
}

/** The first instant between two times on the wall clock, NaN when the clocks jump over all of them. */
function firstInstant(timezone: string, first: Temporal.PlainDateTime, last: Temporal.PlainDateTime): number {
  const earlier = first.toZonedDateTime(timezone, { disambiguation: 'earlier' });
  if (earlier.toPlainDateTime().equals(first)) return earlier.epochMilliseconds;
  const landing = jumpAfter(earlier);
  const inHour = Temporal.PlainDateTime.compare(landing.toPlainDateTime(), last) <= 0;
  return inHour ? landing.epochMilliseconds : NaN;
}

function lastInstant(timezone: string, last: Temporal.PlainDateTime): number {
  const later = last.toZonedDateTime(timezone, { disambiguation: 'later' });
  if (later.toPlainDateTime().equals(last)) return later.epochMilliseconds;
  return jumpAfter(last.toZonedDateTime(timezone, { disambiguation: 'earlier' })).epochMilliseconds - 1;
}

/**
 * Where the clocks jump. For a wall-clock time that they skip, disambiguation "earlier" gives an instant before the jump,
 * so that the next transition after it is the jump.
 */
function jumpAfter(before: Temporal.ZonedDateTime): Temporal.ZonedDateTime {
  const jump = before.getTimeZoneTransition('next');
  if (jump === null) throw new Error(`no transition after ${before.toString()}`);
  return jump;
}
