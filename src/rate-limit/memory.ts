import { read } from '../db/database.ts';
import { isLive, keyOf, type Admission, type Admit, type KeyRow, type Limiting, WINDOW_MS } from './rule.ts';

export function admitInMemory({ db, clock, config }: Limiting): Admit {
  const windows = new MemoryWindows();
  return async (keyHash) => {
    const row = await db.get(findKeyByHash, [keyHash]);
    if (row === undefined) return undefined;
    const at = clock.now();
    const limit = config.rateLimits[row.environment];
    const counts = limit > 0 && isLive(row, at) && row.deactivated_at === null;
    const decision = counts ? windows.admit(row.id, limit, at) : { at };
    return { ...keyOf(row), ...decision };
  };
}

/** Finds a key without counting the request. */
export function findKey({ db, clock }: Pick<Limiting, 'db' | 'clock'>): Admit {
  return async (keyHash) => {
    const row = await db.get(findKeyByHash, [keyHash]);
    return row && { ...keyOf(row), at: clock.now() };
  };
}

const findKeyByHash = read<KeyRow>(`
  select k.id, k.host_id, k.environment, k.scopes, k.expires_at, k.revoked_at, h.deactivated_at, k.last_used_at
  from api_keys k join hosts h on h.id = k.host_id where k.hash = $1`);

interface Ring {
  times: Float64Array;
  next: number;
  latest: number;
}

/**
 * The sliding windows of one process: the last admissions of each key or address, in a ring as
 * long as the limit. A request is admitted when the slot it would overwrite has left the window.
 */
export class MemoryWindows {
  readonly #rings: Map<string, Ring>;

  constructor(rings = new Map<string, Ring>()) {
    this.#rings = rings;
  }

  admit(keyId: string, limit: number, at: number): Required<Pick<Admission, 'at' | 'rate'>> {
    let ring = this.#rings.get(keyId);
    // A clock that was ahead for a while must not lock the key out until that time: its window is dropped.
    if (ring === undefined || ring.times.length !== limit || ring.latest > at + WINDOW_MS) {
      ring = { times: new Float64Array(limit).fill(-Infinity), next: 0, latest: -Infinity };
      this.#rings.set(keyId, ring);
    }
    // A clock that steps back by less must not let a second hundred through.
    const now = Math.max(at, ring.latest);
    const admitted = ring.times[ring.next]! <= now - WINDOW_MS;
    if (admitted) {
      ring.times[ring.next] = now;
      ring.next = (ring.next + 1) % limit;
    }
    ring.latest = now;
    return { at: now, rate: { admitted, limit, ...this.#usage(ring.times, ring.next, now) } };
  }

  /** When the next one would be admitted; undefined: at once. Counts nothing. */
  closedUntil(keyId: string, limit: number, at: number): number | undefined {
    const ring = this.#rings.get(keyId);
    if (ring === undefined || ring.times.length !== limit || ring.latest > at + WINDOW_MS) return undefined;
    const opensAt = ring.times[ring.next]! + WINDOW_MS;
    return opensAt > Math.max(at, ring.latest) ? opensAt : undefined;
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
