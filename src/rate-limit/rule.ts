import { keyStatus, type Environment } from '../ids/api-key.ts';

/** In any span of this length a key has at most its limit of requests admitted. */
export const WINDOW_MS = 60_000;
/** The greatest limit an operator can set. An admission costs the same up to here. */
export const MAX_RATE_LIMIT = 10_000;

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
  /** Since when the key's host is not active; null while it is. */
  readonly deactivatedAt: number | null;
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

/** Finds the key with this hash and counts one request against its limit. Undefined: there is no such key. */
export type Admit = (keyHash: string) => Promise<Admission | undefined>;

export interface KeyRow {
  id: string;
  host_id: string;
  environment: Environment;
  scopes: string;
  expires_at: number | null;
  revoked_at: number | null;
  deactivated_at: number | null;
  last_used_at: number | null;
}

export function keyOf(row: KeyRow): Omit<Admission, 'at' | 'rate'> {
  return {
    keyId: row.id,
    hostId: row.host_id,
    environment: row.environment,
    scopes: row.scopes,
    expiresAt: row.expires_at,
    revokedAt: row.revoked_at,
    deactivatedAt: row.deactivated_at,
    lastUsedAt: row.last_used_at,
  };
}

export function isLive(key: Pick<KeyRow, 'expires_at' | 'revoked_at'>, now: number): boolean {
  return keyStatus(key, now) === 'active';
}
