import type { Environment } from '../ids/api-key.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../time/units.ts';

/** How long after each failed attempt the next one comes; after the last of these it is given up. */
const RETRIES: Record<Environment, readonly number[]> = {
  production: [
    5 * SECOND_MS,
    5 * MINUTE_MS,
    30 * MINUTE_MS,
    2 * HOUR_MS,
    5 * HOUR_MS,
    10 * HOUR_MS,
    10 * HOUR_MS,
  ],
  sandbox: [5 * SECOND_MS, 5 * MINUTE_MS, 30 * MINUTE_MS],
};

/** Spreads retries that failed together. Only ever later, never earlier than scheduled or asked for. */
const JITTER = 0.2;
/** The longest delay that a receiver's Retry-After can ask for. */
const LONGEST_RETRY_AFTER = 7 * DAY_MS;

/** Five days of nothing but failure: nobody is there any more. */
export const GIVE_UP_ENDPOINT_AFTER = 5 * DAY_MS;

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
  const wait = /^\d{1,10}$/.test(text) ? Number(text) * SECOND_MS : Date.parse(text) - now;
  return wait > 0 ? Math.min(wait, LONGEST_RETRY_AFTER) : 0;
}
