import type { Environment } from '../ids/api-key.ts';
import type { Clock } from '../time/clock.ts';
import { read } from './database.ts';

export const WINDOW_MS = 60_000;

/** Requests per minute for a key of each environment; 0 is no limit. */
export type RateLimits = Readonly<Record<Environment, number>>;

/** A key as the database knows it, and what the limiter says about this request. */
export interface Admission {
  readonly keyId: string;
  readonly hostId: string;
  readonly environment: Environment;
  readonly scopes: string;
  readonly expiresAt: number | null;
  readonly revokedAt: number | null;
  readonly lastUsedAt: number | null;
  /** The moment of the decision, by the clock that decided. */
  readonly at: number;
  /** Absent where no limit applies, and for keys that are not valid any more. */
  readonly rate?: RateDecision;
}

export interface RateDecision {
  readonly admitted: boolean;
  readonly limit: number;
  readonly remaining: number;
  /** When the oldest request in the window leaves it. */
  readonly resetsAt: number;
}

export interface KeyRow {
  id: string;
  host_id: string;
  environment: Environment;
  scopes: string;
  expires_at: number | null;
  revoked_at: number | null;
  last_used_at: number | null;
}

export const findKeyByHash = read<KeyRow>(`
  select id, host_id, environment, scopes, expires_at, revoked_at, last_used_at
  from api_keys where hash = $1`);

export function keyOf(row: KeyRow): Omit<Admission, 'at' | 'rate'> {
  return {
    keyId: row.id,
    hostId: row.host_id,
    environment: row.environment,
    scopes: row.scopes,
    expiresAt: row.expires_at,
    revokedAt: row.revoked_at,
    lastUsedAt: row.last_used_at,
  };
}

export function isLive(key: Pick<KeyRow, 'expires_at' | 'revoked_at'>, now: number): boolean {
  return key.revoked_at === null && (key.expires_at === null || key.expires_at > now);
}

/**
 * The sliding windows of a service that is one process: the last admissions of each key, in a ring as
 * long as the limit. A request is admitted when the slot it would overwrite has left the window.
 */
export class MemoryWindows {
  readonly #rings = new Map<string, { times: Float64Array; next: number; latest: number }>();
  readonly #clock: Clock;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  admit(keyId: string, limit: number): RateDecision {
    let ring = this.#rings.get(keyId);
    if (ring === undefined || ring.times.length !== limit) {
      ring = { times: new Float64Array(limit).fill(-Infinity), next: 0, latest: -Infinity };
      this.#rings.set(keyId, ring);
    }
    // A clock that steps back must not let a second hundred through.
    const now = Math.max(this.#clock.now(), ring.latest);
    const admitted = ring.times[ring.next]! <= now - WINDOW_MS;
    if (admitted) {
      ring.times[ring.next] = now;
      ring.next = (ring.next + 1) % limit;
      ring.latest = now;
    }
    return { admitted, limit, ...this.#usage(ring.times, ring.next, now) };
  }

  /** From the oldest slot on; those still in the window are contiguous up to the newest. */
  #usage(times: Float64Array, oldest: number, now: number): { remaining: number; resetsAt: number } {
    let low = 0;
    let high = times.length - 1;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (times[(oldest + middle) % times.length]! > now - WINDOW_MS) high = middle;
      else low = middle + 1;
    }
    return { remaining: low, resetsAt: times[(oldest + low) % times.length]! + WINDOW_MS };
  }
}
