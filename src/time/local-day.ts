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
}

/**
 * Memoised: 48 conversions of a day cost several hundred microseconds, more than the whole request
 * that asks for them, and the answer never changes.
 */
export function localDay(timezone: string, date: string): LocalDay {
  const key = `${timezone} ${date}`;
  let day = memo.get(key);
  if (day === undefined) {
    day = cutDay(timezone, Temporal.PlainDate.from(date));
    if (memo.size >= MEMO_SIZE) memo.clear();
    memo.set(key, day);
  }
  return day;
}

/** One hour alone, at a twenty-fourth of the day's price: for the edges of a range. NaN where it is skipped. */
export function localHour(
  timezone: string,
  date: string,
  hour: number,
): { startsAt: number; endsAt: number } {
  return cutHour(timezone, Temporal.PlainDate.from(date), hour);
}

export function isSkipped(day: LocalDay, hour: number): boolean {
  return Number.isNaN(day.startsAt[hour]);
}

const MEMO_SIZE = 4096;
const memo = new Map<string, LocalDay>();

function cutDay(timezone: string, date: Temporal.PlainDate): LocalDay {
  const startsAt: number[] = [];
  const endsAt: number[] = [];
  for (let hour = 0; hour < 24; hour++) {
    const cut = cutHour(timezone, date, hour);
    startsAt.push(cut.startsAt);
    endsAt.push(cut.endsAt);
  }
  return { startsAt, endsAt };
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

/** The first instant of [first, last] on the wall clock, NaN when the clocks jump over all of it. */
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

/** In a gap, disambiguation "earlier" lands before the jump: the next transition is the jump itself. */
function jumpAfter(before: Temporal.ZonedDateTime): Temporal.ZonedDateTime {
  const jump = before.getTimeZoneTransition('next');
  if (jump === null) throw new Error(`no transition after ${before.toString()}`);
  return jump;
}
