import { rightNow } from './clock.ts';
import { addDays, type CivilDate } from './dates.ts';

const QUARTER = 15 * 60_000;
const HOUR = 60 * 60_000;

interface WallClock {
  date: CivilDate;
  hour: number;
  minute: number;
}

/** What a clock on the wall in this zone shows. */
export function wallClock(timezone: string, instant: number = rightNow()): WallClock {
  const parts = new Map(
    formatter(timezone)
      .formatToParts(instant)
      .map(({ type, value }) => [type, value]),
  );
  const part = (type: Intl.DateTimeFormatPartTypes): string => parts.get(type) ?? '';
  return {
    date: `${part('year').padStart(4, '0')}-${part('month')}-${part('day')}`,
    hour: Number(part('hour')),
    minute: Number(part('minute')),
  };
}

export interface ClockChange {
  skipped: ReadonlySet<number>;
  repeated: ReadonlySet<number>;
}

const NO_CHANGE: ClockChange = { skipped: new Set(), repeated: new Set() };
const changes = new Map<string, ClockChange>();

/** The hours of a date that do not exist, and those that come twice, because clocks are changed. */
export function clockChange(timezone: string, date: CivilDate): ClockChange {
  const key = `${timezone} ${date}`;
  let change = changes.get(key);
  if (change === undefined) {
    change = findChange(timezone, date);
    changes.set(key, change);
  }
  return change;
}

function findChange(timezone: string, date: CivilDate): ClockChange {
  const from = Date.parse(`${addDays(date, -1)}T00:00:00Z`);
  const to = Date.parse(`${addDays(date, 2)}T00:00:00Z`);
  if (offsetAt(timezone, from) === offsetAt(timezone, to)) return NO_CHANGE;
  const quarters = Array.from({ length: 24 }, () => 0);
  for (let instant = from; instant < to; instant += QUARTER) {
    const clock = wallClock(timezone, instant);
    if (clock.date === date) quarters[clock.hour]! += 1;
  }
  const hours = (test: (count: number) => boolean): Set<number> =>
    new Set(quarters.flatMap((count, hour) => (test(count) ? hour : [])));
  return { skipped: hours((count) => count === 0), repeated: hours((count) => count > 4) };
}

function offsetAt(timezone: string, instant: number): number {
  const { date, hour, minute } = wallClock(timezone, instant);
  return Date.parse(`${date}T00:00:00Z`) + hour * HOUR + minute * 60_000 - instant;
}

const formatters = new Map<string, Intl.DateTimeFormat>();

function formatter(timezone: string): Intl.DateTimeFormat {
  let made = formatters.get(timezone);
  if (made === undefined) {
    made = new Intl.DateTimeFormat('en-US', {
      timeZone: timezone,
      calendar: 'iso8601',
      hourCycle: 'h23',
      year: 'numeric',
      month: '2-digit',
      day: '2-digit',
      hour: '2-digit',
      minute: '2-digit',
    });
    formatters.set(timezone, made);
  }
  return made;
}
