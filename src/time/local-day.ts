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
 * Kept in memory once computed: the 48 conversions of a day cost several hundred microseconds, more than the rest of a
 * request, and their result never changes.
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

/** One hour, for callers that need only a few of a day: it costs a twenty-fourth of the day. NaN where it is skipped. */
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
