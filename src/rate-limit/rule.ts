import type { FastifyReply } from 'fastify';
import type { Config } from '../config.ts';
import type { Db } from '../db/database.ts';
import type { Environment } from '../ids/api-key.ts';
import type { Clock } from '../time/clock.ts';

/** In any span of this length a key has at most its limit of requests admitted. */
export const WINDOW_MS = 60_000;

export interface Limiting {
  readonly db: Db;
  readonly clock: Clock;
  readonly config: Pick<Config, 'rateLimits'>;
}

export interface KeyRow {
  id: string;
  host_id: string;
  environment: Environment;
  scopes: string;
  expires_at: number | null;
  revoked_at: number | null;
  /** Since when the key's host is not active; null while it is. */
  deactivated_at: number | null;
  last_used_at: number | null;
}

/** What the limiter says about a request with a key. */
export interface Admission {
  readonly key: KeyRow;
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

/** The two vocabularies clients look for: the IETF draft's fields and the older X- ones. */
export function setRateHeaders(reply: FastifyReply, rate: RateDecision, now: number): number {
  const secondsLeft = Math.max(1, Math.ceil((rate.resetsAt - now) / 1000));
  reply.headers({
    'ratelimit-policy': `"default";q=${rate.limit};w=60`,
    ratelimit: `"default";r=${rate.remaining};t=${secondsLeft}`,
    'x-ratelimit-limit': rate.limit,
    'x-ratelimit-remaining': rate.remaining,
    'x-ratelimit-reset': Math.ceil(rate.resetsAt / 1000),
  });
  return secondsLeft;
}
