import { focusManager, QueryClient } from '@tanstack/react-query';
import { Hourkeep, HourkeepError } from '@hourkeep/client';
import { forgetTrouble, patiently, tryNow } from './api.ts';
import { newKey } from './invitation.ts';
import { learnClock } from './clock.ts';
import { apiUrl } from './router.ts';
import { createStore } from './store.ts';

export interface Session {
  readonly environment: 'Live' | 'Test';
  readonly hk: Hourkeep;
  readonly queries: QueryClient;
}

/** Why the last session ended, for the sign-in page: nobody used it, or the API said that the key is no good any more. */
export type Ended = 'idle' | HourkeepError;

const KEPT_KEY = 'hourkeep.key';
const LAST_USE = 'hourkeep.last-use';
const IDLE_MS = 30 * 60_000;
/** Coming back to the window twice within this time asks once. */
const FRESH_MS = 1000;

export const session = createStore<Session | undefined>(undefined);
export const ended = createStore<Ended | undefined>(undefined);
/** Scopes that the API has said this key does not have. */
export const missingScopes = createStore<ReadonlySet<string>>(new Set());

/** Throws what the API refused with. A key that may not list spaces is a good key all the same. */
export async function signIn(key: string, stay: boolean): Promise<void> {
  const opened = openKey(key);
  const spaces = await patiently(() => opened.hk.spaces.list()).catch((error: unknown) => {
    if (error instanceof HourkeepError && error.code === 'INSUFFICIENT_SCOPE') return undefined;
    throw error;
  });
  if (spaces !== undefined) opened.queries.setQueryData(['spaces'], spaces);
  if (stay) sessionStorage.setItem(KEPT_KEY, key);
  else sessionStorage.removeItem(KEPT_KEY);
  ended.set(undefined);
  missingScopes.set(new Set());
  noteUse();
  session.set(opened);
}

export function signOut(why?: Ended): void {
  sessionStorage.removeItem(KEPT_KEY);
  session.get()?.queries.clear();
  session.set(undefined);
  ended.set(why);
  newKey.set(undefined);
  forgetTrouble();
}

/** Takes up the key that this tab has kept, and signs out when nobody has used the page for half an hour. */
export function watchSession(): void {
  const key = sessionStorage.getItem(KEPT_KEY);
  if (key !== null) {
    lastUse = Number(sessionStorage.getItem(LAST_USE)) || Date.now();
    session.set(open(key));
    signOutWhenIdle();
  }
  for (const event of ['pointerdown', 'keydown', 'wheel', 'touchmove']) {
    window.addEventListener(event, noteUse, { capture: true, passive: true });
  }
  setInterval(signOutWhenIdle, 15_000);
  window.addEventListener('online', tryNow);
  // A laptop that slept ran no timer.
  document.addEventListener('visibilitychange', signOutWhenIdle);
  focusManager.setEventListener((changed) => {
    const look = (): void => {
      if (document.visibilityState === 'visible') changed(true);
    };
    window.addEventListener('focus', look);
    document.addEventListener('visibilitychange', look);
    return () => undefined;
  });
}

export function lacks(scope: string): void {
  missingScopes.set(new Set([...missingScopes.get(), scope]));
}

/** What cannot even be sent is no key, and needs no other words. */
function openKey(key: string): Session {
  try {
    return open(key);
  } catch (cause) {
    throw new HourkeepError('INVALID_API_KEY', 'This text cannot be an API key', { cause });
  }
}

function open(key: string): Session {
  return {
    environment: key.startsWith('hk_live_') ? 'Live' : 'Test',
    // Waiting is done here, where it can be shown.
    hk: new Hourkeep({
      apiKey: key,
      baseUrl: apiUrl,
      maxRetries: 0,
      timeoutMs: 20_000,
      maxWaitMs: 2000,
      onResponse: ({ headers, durationMs }) => learnClock(headers.get('date'), durationMs),
    }),
    queries: new QueryClient({
      defaultOptions: {
        queries: {
          retry: false,
          networkMode: 'always',
          gcTime: IDLE_MS,
          // What others have changed shows when the page is looked at again.
          refetchOnWindowFocus: ({ state }) =>
            Date.now() - state.dataUpdatedAt > FRESH_MS ? 'always' : false,
        },
        mutations: { retry: false, networkMode: 'always' },
      },
    }),
  };
}

let lastUse = Date.now();

function noteUse(): void {
  lastUse = Date.now();
  if (sessionStorage.getItem(KEPT_KEY) !== null) sessionStorage.setItem(LAST_USE, String(lastUse));
}

function signOutWhenIdle(): void {
  if (session.get() !== undefined && Date.now() - lastUse > IDLE_MS) signOut('idle');
}
