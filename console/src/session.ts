import { focusManager, QueryClient } from '@tanstack/react-query';
import { Hourkeep, HourkeepError } from '@hourkeep/client';
import { forgetTrouble, patiently, tryNow } from './api.ts';
import { learnClock } from './clock.ts';
import { newKey } from './invitation.ts';
import { forget, keep, keepAccount, readKept, type Account } from './kept.ts';
import { ask, sendWithSession } from './own-calls.ts';
import { apiUrl, consolePath } from './router.ts';
import { rescueSecret } from './secrets.ts';
import { createStore } from './store.ts';

// Who is signed in is a matter between the browser's cookie, which no script can read, and the service. The page knows the
// account alone; the key is sent once and kept nowhere.

export interface Session {
  readonly account: Account;
  readonly environment: 'Live' | 'Test';
  readonly hk: Hourkeep;
  readonly queries: QueryClient;
}

const SIGNED_OUT = `hourkeep.signed-out ${consolePath}`;
/** So long the start waits for a service that does not answer; then it shows what is kept. */
const START_MS = 8000;
/** So often the service is asked for while offline. */
const PROBE_MS = 5000;
const MEMORY_MS = 30 * 60_000;
/** Coming back to the window twice within this time asks once. */
const FRESH_MS = 1000;

export const session = createStore<Session | undefined>(undefined);
/** Whether it is known yet who is signed in; away where the service does not answer and nothing is kept. */
export const start = createStore<'pending' | 'away' | 'known'>('pending');
/** Why the last session ended, for the sign-in page. */
export const ended = createStore<HourkeepError | undefined>(undefined);
/** Only on a device that stays signed in: there is something to read. Elsewhere the page waits. */
export const offline = createStore(false);

/** Other tabs share the cookie: when it changes, they are somebody else's. */
const tabs = new BroadcastChannel(`hourkeep ${consolePath}`);

/** Throws what the service refused with. */
export async function signIn(key: string, remember: boolean): Promise<void> {
  const account = await patiently(() => ask<Account>('POST', 'session', { key, remember }));
  markSignedOut(false);
  ended.set(undefined);
  tellTabs();
  await enter(account);
}

/** Without a connection too: then the service learns it with the next one. */
export async function signOut(): Promise<void> {
  markSignedOut(true);
  newKey.set(undefined);
  const left = leave();
  await endSession().catch(() => undefined);
  tellTabs();
  await left;
}

function tellTabs(): void {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a channel has none: it is of this origin alone
  tabs.postMessage('changed');
}

/** What is kept of the account goes with the session. */
export async function leave(why?: HourkeepError): Promise<void> {
  if (why !== undefined) rescueSecret();
  session.get()?.queries.clear();
  session.set(undefined);
  offline.set(false);
  ended.set(why);
  forgetTrouble();
  await forget();
}

function markSignedOut(is: boolean): void {
  try {
    if (is) localStorage.setItem(SIGNED_OUT, '1');
    else localStorage.removeItem(SIGNED_OUT);
  } catch {
    // A browser that keeps nothing has no session either.
  }
}

function isSignedOut(): boolean {
  try {
    return localStorage.getItem(SIGNED_OUT) !== null;
  } catch {
    return false;
  }
}

async function endSession(): Promise<void> {
  await ask('DELETE', 'session').catch((error: unknown) => {
    if (!(error instanceof HourkeepError && error.status === 401)) throw error;
  });
  markSignedOut(false);
}

/** Asks who is signed in: at the start, when another tab has changed it, and while offline. */
export async function findSession(): Promise<void> {
  try {
    if (isSignedOut()) await endSession();
    await enter(await ask<Account>('GET', 'session', undefined, START_MS));
  } catch (error) {
    if (error instanceof HourkeepError && error.status === 401) await leave(reasonOf(error));
    else await goOffline();
  }
  if (start.get() === 'pending') start.set('known');
}

/** Nobody was signed in: that needs no words. */
function reasonOf(error: HourkeepError): HourkeepError | undefined {
  return session.get() !== undefined || error.code === 'API_KEY_REVOKED' ? error : undefined;
}

async function enter(account: Account): Promise<void> {
  // First: what is asked for from now on is kept.
  await (account.remember ? keepAccount(account) : forget()).catch(() => undefined);
  const now = session.get();
  const isSame = now?.account.key.id === account.key.id && now.account.remember === account.remember;
  if (!isSame) {
    now?.queries.clear();
    session.set(open(account));
  } else if (offline.get()) void now.queries.invalidateQueries();
  offline.set(false);
  start.set('known');
}

/** Shows what is kept, where anything is; otherwise requests go on waiting. */
export async function goOffline(): Promise<void> {
  if (offline.get()) return;
  const isOut = isSignedOut();
  const kept = isOut ? undefined : await readKept().catch(() => undefined);
  const now = session.get();
  if (kept === undefined || (now !== undefined && now.account.key.id !== kept.account.key.id)) {
    if (now === undefined) start.set(isOut ? 'known' : 'away');
    return;
  }
  const shown = now ?? open(kept.account);
  quietly(() => {
    for (const { key, data, at } of kept.entries) {
      if ((shown.queries.getQueryState(key)?.dataUpdatedAt ?? 0) < at) {
        shown.queries.setQueryData(key, data, { updatedAt: at });
      }
    }
  });
  start.set('known');
  offline.set(true);
  session.set(shown);
}

let isQuiet = false;

/** What comes from what is kept need not be kept again. */
export function quietly(work: () => void): void {
  isQuiet = true;
  work();
  isQuiet = false;
}

export function watchSession(): void {
  // A version before this one kept the key here.
  try {
    sessionStorage.removeItem('hourkeep.key');
  } catch {
    // Then it has kept none.
  }
  void findSession();
  tabs.addEventListener('message', () => void findSession());
  const probe = (): void => {
    if (offline.get() && document.visibilityState === 'visible') void findSession();
  };
  setInterval(probe, PROBE_MS);
  document.addEventListener('visibilitychange', probe);
  window.addEventListener('offline', () => {
    if (session.get()?.account.remember === true) void goOffline();
  });
  window.addEventListener('online', () => {
    probe();
    tryNow();
  });
  focusManager.setEventListener((changed) => {
    const look = (): void => {
      if (document.visibilityState === 'visible') changed(true);
    };
    window.addEventListener('focus', look);
    document.addEventListener('visibilitychange', look);
    return () => undefined;
  });
}

function open(account: Account): Session {
  const queries = new QueryClient({
    defaultOptions: {
      queries: {
        retry: false,
        networkMode: 'always',
        gcTime: account.remember ? Infinity : MEMORY_MS,
        // What others have changed shows when the page is looked at again.
        refetchOnWindowFocus: ({ state }) => (Date.now() - state.dataUpdatedAt > FRESH_MS ? 'always' : false),
      },
      mutations: { retry: false, networkMode: 'always' },
    },
  });
  if (account.remember) {
    queries.getQueryCache().subscribe((event) => {
      if (isQuiet || event.type !== 'updated' || event.action.type !== 'success') return;
      const { queryKey: key, state } = event.query;
      keep(account, { key, data: state.data, at: state.dataUpdatedAt }).catch(() => undefined);
    });
  }
  return {
    account,
    environment: account.environment === 'production' ? 'Live' : 'Test',
    // Waiting is done here, where it can be shown.
    hk: new Hourkeep({
      apiKey: 'session',
      baseUrl: apiUrl,
      fetch: sendWithSession,
      maxRetries: 0,
      timeoutMs: 20_000,
      maxWaitMs: 2000,
      onResponse: ({ headers, durationMs }) => learnClock(headers.get('date'), durationMs),
    }),
    queries,
  };
}
