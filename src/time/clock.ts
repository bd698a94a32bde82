/** Where the service gets the time from, so that a test can set it. In epoch milliseconds. */
export interface Clock {
  now(): number;
}

export const systemClock: Clock = { now: () => Date.now() };

/** The last instant that a record can show: its years have four digits. */
export const LAST_INSTANT = Date.UTC(9999, 11, 31, 23, 59, 59, 999);

/** RFC 3339 in UTC with milliseconds: how every instant appears in a record. */
export function toTimestamp(epochMs: number): string {
  return new Date(epochMs).toISOString();
}
