import { read } from '../db/database.ts';
import { keyStatus } from '../ids/api-key.ts';
import { type Admission, type Admit, type KeyRow, type Limiting, WINDOW_MS } from './rule.ts';

export function admitInMemory({ db, clock, config }: Limiting): Admit {
  const windows = new MemoryWindows();
  return async (keyHash) => {
    const key = await db.get(findKeyByHash, [keyHash]);
    if (key === undefined) return undefined;
    const at = clock.now();
    const limit = config.rateLimits[key.environment];
    const counts = limit > 0 && keyStatus(key, at) === 'active' && key.deactivated_at === null;
    return { key, ...(counts ? windows.admit(key.id, limit, at) : { at }) };
  };
}

/** Finds a key without counting the request. */
export function findKey({ db, clock }: Pick<Limiting, 'db' | 'clock'>): Admit {
  return async (keyHash) => {
    const key = await db.get(findKeyByHash, [keyHash]);
    return key && { key, at: clock.now() };
  };
}

const findKeyByHash = read<KeyRow>(`
  select k.id, k.host_id, k.environment, k.scopes, k.expires_at, k.revoked_at, h.deactivated_at, k.last_used_at
  from api_keys k join hosts h on h.id = k.host_id where k.hash = $1`);

/** The admissions of the last minute, oldest first, and when the last request came. */
interface Window {
  times: number[];
  latest: number;
}

/** The sliding windows of one process, by key or address. */
export class MemoryWindows {
  readonly #windows: Map<string, Window>;

  constructor(windows = new Map<string, Window>()) {
    this.#windows = windows;
  }

  admit(keyId: string, limit: number, at: number): Required<Pick<Admission, 'at' | 'rate'>> {
    let window = this.#find(keyId, at);
    if (window === undefined) this.#windows.set(keyId, (window = { times: [], latest: -Infinity }));
    const { times } = window;
    // A clock that steps back must not let a second hundred through.
    const now = (window.latest = Math.max(at, window.latest));
    while (times.length > 0 && times[0]! <= now - WINDOW_MS) times.shift();
    const admitted = times.length < limit;
    if (admitted) times.push(now);
    return {
      at: now,
      rate: { admitted, limit, remaining: limit - times.length, resetsAt: times[0]! + WINDOW_MS },
    };
  }

  /** When the next one would be admitted; undefined: at once. Counts nothing. */
  closedUntil(keyId: string, limit: number, at: number): number | undefined {
    const window = this.#find(keyId, at);
    if (window === undefined || window.times.length < limit) return undefined;
    const opensAt = window.times[0]! + WINDOW_MS;
    return opensAt > Math.max(at, window.latest) ? opensAt : undefined;
  }

  /** A clock that was ahead for a while must not lock the key out until that time: its window is dropped. */
  #find(keyId: string, at: number): Window | undefined {
    const window = this.#windows.get(keyId);
    return window === undefined || window.latest > at + WINDOW_MS ? undefined : window;
  }
}
