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

/** The service is asked again so often while it is away. */
const AWAY_MS = 3000;

/**
 * Waits while the key's limit is reached, and goes on by itself. Reads also wait for a service that is away; a write
 * that got no answer is the person's to repeat, since they may want to look first.
 */
export async function patiently<T>(
  work: () => Promise<T>,
  options: { waitWhileAway?: boolean; signal?: AbortSignal } = {},
): Promise<T> {
  for (;;) {
    await untilAllowed(options.signal);
    try {
      const answer = await work();
      if (trouble.get()?.kind === 'away') trouble.set(undefined);
      return answer;
    } catch (error) {
      if (!(error instanceof HourkeepError)) throw error;
      if (error.code === 'RATE_LIMIT_EXCEEDED') stop('limit', error, (error.retryAfter ?? 1) * 1000);
      else if (options.waitWhileAway === true && isAway(error)) stop('away', error, AWAY_MS);
      else throw error;
    }
  }
}

export function forgetTrouble(): void {
  trouble.set(undefined);
}

function isAway({ status, code }: HourkeepError): boolean {
  return (
    code === 'CONNECTION_LOST' || code === 'TIMEOUT' || status === 502 || status === 503 || status === 504
  );
}

function stop(kind: Trouble['kind'], error: HourkeepError, ms: number): void {
  const until = Date.now() + ms;
  const now = trouble.get();
  // One countdown for all that wait: the latest end.
  if (now === undefined || now.until < until) trouble.set({ kind, error, until });
}

/** Returns when nothing keeps requests waiting any more. */
async function untilAllowed(signal: AbortSignal | undefined): Promise<void> {
  for (;;) {
    const now = trouble.get();
    const wait = now === undefined ? 0 : now.until - Date.now();
    if (wait <= 0) {
      if (now?.kind === 'limit') trouble.set(undefined);
      return;
    }
    await sleep(wait, signal);
  }
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
