import type { BusyTime, Operation } from '../operation.ts';
import { DAY, HOUR, iso, MINUTE, request, shift, type Account, type Drawing } from './drawing.ts';

export function clock(g: Drawing): Operation {
  const random = g.random;
  const ahead = random.weighted<number>(
    [40, random.between(10, 90) * 1000],
    [25, random.between(2, 59) * MINUTE],
    [20, random.between(1, 12) * HOUR],
    [8, DAY - (g.now % DAY) + random.between(-2, 2) * MINUTE],
    [5, random.between(1, 6) * DAY],
    [1.5, random.between(20, 40) * DAY],
  );
  return clockAt(g, g.now + ahead);
}

/** The clock jumps to this instant, or by the 10 s that are the least. */
export function clockAt(g: Drawing, at: number): Operation {
  g.now = Math.max(g.now + 10_000, at);
  return { kind: 'clock' };
}

/** As many requests as a key may make in a minute, and one more a millisecond before the first is a minute old, or just then. */
export function fillWindow(g: Drawing, account: Account): undefined {
  const limit = g.settings.rateLimit[account.environment];
  if (limit === 0) return undefined;
  const key = g.random.one(account.keys);
  const read = (): Operation => request('GET', '/api-listings/api/v1/spaces', g.requestId(), `Bearer ${key}`);
  let firstAt = 0;
  g.queue.push(
    read,
    // Drawn after the first one's pause, and before its own.
    () => {
      firstAt = g.now;
      return read();
    },
    ...Array.from({ length: limit - 2 }, () => read),
    () => clockAt(g, firstAt + MINUTE - g.random.below(2)),
    read,
  );
  return undefined;
}

export function receiver(g: Drawing): Operation {
  const random = g.random;
  const status = random.weighted<number | 'lost'>(
    [6, 200],
    [3, 500],
    [1, 'lost'],
    [1, 302],
    [0.5, 410],
    [1, 429],
  );
  const later =
    status === 429 || (status === 500 && random.chance(0.3))
      ? { retryAfter: random.one([1, 30, 4000, 90_000]) }
      : {};
  return { kind: 'receiver', url: g.hook(), status, ...later };
}

export function calendar(g: Drawing): Operation {
  const random = g.random;
  const serves = random.weighted<() => BusyTime[] | 'broken' | 'lost' | number>(
    [8, () => Array.from({ length: random.between(1, 3) }, () => busy(g))],
    [1, () => []],
    [1, () => 'broken'],
    [1, () => 'lost'],
    [1, () => random.one([404, 500])],
  )();
  return { kind: 'calendar', url: g.calendarUrl(), serves };
}

function busy(g: Drawing): BusyTime {
  const random = g.random;
  if (random.chance(0.2)) {
    const date = g.date();
    return { start: date, end: shift(date, random.between(1, 2)) };
  }
  const start =
    Math.floor(g.now / HOUR) * HOUR + random.between(-30, 100) * HOUR + random.one([0, 0, 30, 59]) * MINUTE;
  return { start: iso(start), end: iso(start + random.between(1, 200) * MINUTE) };
}
