/** Where the service gets its time from. Epoch milliseconds, so that tests can hand in any moment. */
export interface Clock {
  now(): number;
}

export const systemClock: Clock = { now: () => Date.now() };

/** The last one that a record can tell: years have four digits there. */
export const LAST_INSTANT = Date.UTC(9999, 11, 31, 23, 59, 59, 999);

/**
 * RFC 3339 in UTC with milliseconds: how every instant appears in a record. What Date.toISOString answers, at half
 * its price; written digit by digit for the reason that ids are (ids/uuid.ts).
 */
export function toTimestamp(epochMs: number): string {
  const date = new Date(epochMs);
  if (!(epochMs >= 0 && epochMs <= LAST_INSTANT)) return date.toISOString();
  write(0, 4, date.getUTCFullYear());
  write(5, 2, date.getUTCMonth() + 1);
  write(8, 2, date.getUTCDate());
  write(11, 2, date.getUTCHours());
  write(14, 2, date.getUTCMinutes());
  write(17, 2, date.getUTCSeconds());
  write(20, 3, date.getUTCMilliseconds());
  return text.toString('latin1');
}

const text = Buffer.from('0000-00-00T00:00:00.000Z');

function write(at: number, digits: number, value: number): void {
  let rest = value;
  for (let i = at + digits - 1; i >= at; i--) {
    text[i] = 48 + (rest % 10);
    rest = Math.floor(rest / 10);
  }
}
