import { HourkeepError } from '@hourkeep/client';
import { createStore } from './store.ts';

/** What keeps requests waiting just now, for the line on top of the page. */
export interface Trouble {
  readonly kind: 'limit' | 'away';
  readonly error: HourkeepError;
  /** When it goes on by itself. */
  readonly until: number;
}

export const trouble = createStore<Trouble | undefined>(undefined);
/** Refusals in sight that say that the service is away: then nothing else needs to say it. */
export const toldAway = createStore(0);

/** The service is asked again so often while it is away. */
const AWAY_MS = 3000;

/** What keeps requests waiting; none is sent before its end. */
let stop: Trouble | undefined;
/** So many of them go on by themselves then. Without any, nothing is told: it would not be true. */
let waiting = 0;
let tell = (): void => undefined;
let asked = new Promise<void>((resolve) => (tell = resolve));

/**
 * Waits while the key's limit is reached, and goes on by itself. Reads also wait for a service that is away; a write
 * that got no answer is the person's to repeat, since they may want to look first.
 */
export async function patiently<T>(
  work: () => Promise<T>,
  options: { waitWhileAway?: boolean; signal?: AbortSignal } = {},
): Promise<T> {
  let waits = false;
  try {
    for (;;) {
      for (let ms = waitMs(); ms > 0; ms = waitMs()) {
        if (!waits) waiting += 1;
        waits = true;
        trouble.set(stop);
        await Promise.race([sleep(ms, options.signal), asked]);
      }
      if (trouble.get()?.kind === 'limit') trouble.set(undefined);
      try {
        const answer = await work();
        if (stop?.kind === 'away') forgetTrouble();
        return answer;
      } catch (error) {
        if (!(error instanceof HourkeepError)) throw error;
        const away = options.waitWhileAway === true && isAway(error);
        if (error.code !== 'RATE_LIMIT_EXCEEDED' && !away) throw error;
        const until = Date.now() + (away ? AWAY_MS : (error.retryAfter ?? 1) * 1000);
        // One countdown for all that wait: the latest end.
        if (stop === undefined || stop.until < until) stop = { kind: away ? 'away' : 'limit', error, until };
      }
    }
  } finally {
    if (waits) waiting -= 1;
    if (waiting === 0) trouble.set(undefined);
  }
}

/** A person, or a browser that is online again, does not want to wait for the end. */
export function tryNow(): void {
  stop = undefined;
  tell();
  asked = new Promise((resolve) => (tell = resolve));
}

export function forgetTrouble(): void {
  stop = undefined;
  trouble.set(undefined);
}

const waitMs = (): number => (stop === undefined ? 0 : stop.until - Date.now());

export function isAway(error: unknown): boolean {
  return (
    error instanceof HourkeepError &&
    (['CONNECTION_LOST', 'TIMEOUT'].includes(error.code) || [502, 503, 504].includes(error.status))
  );
}

export async function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  signal?.throwIfAborted();
  await new Promise<void>((resolve, reject) => {
    const abort = (): void => {
      clearTimeout(timer);
      reject(signal?.reason as Error);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', abort);
      resolve();
    }, ms);
    signal?.addEventListener('abort', abort, { once: true });
  });
}
