import { DAY_MS, HOUR_MS } from './units.ts';

/** Where the service gets its time from. Epoch milliseconds, so that tests can hand in any moment. */
export interface Clock {
  now(): number;
}

export const systemClock: Clock = { now: () => Date.now() };

/** The last one that a record can tell: years have four digits there. */
export const LAST_INSTANT = Date.UTC(9999, 11, 31, 23, 59, 59, 999);

/** RFC 3339 in UTC with milliseconds: how every instant appears in a record. A tenth of Date.toISOString's price. */
export function toTimestamp(epochMs: number): string {
  const day = Math.floor(epochMs / DAY_MS);
  const ms = epochMs - day * DAY_MS;
  const hour = Math.floor(ms / HOUR_MS);
  const minute = Math.floor(ms / 60_000) % 60;
  const second = Math.floor(ms / 1000) % 60;
  return `${dateOf(day)}T${DIGITS[hour]}:${DIGITS[minute]}:${DIGITS[second]}.${String(ms % 1000).padStart(3, '0')}Z`;
}

const DIGITS = Array.from({ length: 60 }, (_, i) => String(i).padStart(2, '0'));
const MEMO_SIZE = 4096;
const memo = new Map<number, string>();

/** The date of a day since the epoch. Most instants of an hour's answers lie on a few hundred days. */
function dateOf(day: number): string {
  let date = memo.get(day);
  if (date === undefined) {
    date = new Date(day * DAY_MS).toISOString().slice(0, 10);
    if (memo.size >= MEMO_SIZE) memo.clear();
    memo.set(day, date);
  }
  return date;
}
