import type { Environment } from '../ids/api-key.ts';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** How long after each failed attempt the next one comes; after the last of these it is given up. */
const RETRIES: Record<Environment, readonly number[]> = {
  production: [5 * SECOND, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 5 * HOUR, 10 * HOUR, 10 * HOUR],
  sandbox: [5 * SECOND, 5 * MINUTE, 30 * MINUTE],
};

/** Spreads what failed together; only ever later, so that nobody is called before they asked to be. */
const JITTER = 0.2;
/** Nobody can put their deliveries off for longer than this. */
const LONGEST_RETRY_AFTER = 7 * DAY;

/** Five days of nothing but failure: nobody is there any more. */
export const GIVE_UP_ENDPOINT_AFTER = 5 * DAY;

/** Milliseconds until the next attempt after `attempts` failed ones; undefined when that was the last. */
export function retryDelay(
  environment: Environment,
  attempts: number,
  retryAfter: number,
  random: () => number = Math.random,
): number | undefined {
  const base = RETRIES[environment][attempts - 1];
  if (base === undefined) return undefined;
  return Math.ceil(Math.max(base, retryAfter) * (1 + JITTER * random()));
}

/** The header in milliseconds from now: seconds or a date; 0 when there is none or it makes no sense. */
export function parseRetryAfter(header: string | undefined, now: number): number {
  if (header === undefined) return 0;
  const text = header.trim();
  const wait = /^\d{1,10}$/.test(text) ? Number(text) * SECOND : Date.parse(text) - now;
  return wait > 0 ? Math.min(wait, LONGEST_RETRY_AFTER) : 0;
}
