import type { QueryKey } from '@tanstack/react-query';
import { consolePath } from './router.ts';

// What can be read without a connection, on a device that stays signed in: the answers that the page was given, one by one. It
// is kept where the service worker keeps the page, and for one account at a time.

/** Who is signed in, as `/console/session` says it. */
export interface Account {
  readonly host: { readonly id: string; readonly name: string };
  readonly environment: 'production' | 'sandbox';
  readonly key: { readonly id: string; readonly name: string };
  readonly scopes: readonly string[];
  readonly remember: boolean;
  readonly expires_at: string;
}

interface Entry {
  readonly key: QueryKey;
  readonly data: unknown;
  readonly at: number;
}

const OLDEST_MS = 30 * 86_400_000;
/** With the version of its form: what another version has kept is not read. */
const STORES = `hourkeep.kept 1 ${consolePath} `;
const ACCOUNT = 'account';
const WHEN = 'kept-at';
/** What says who comes and when, and the figure that stands beside it on Today. */
const KINDS: readonly unknown[] = ['spaces', 'day', 'bookings', 'earnings'];

/** Browsers have none on plain http, but for this machine's own address. */
const storage = (window as { caches?: CacheStorage }).caches;
const storeOf = ({ key }: Account): string => STORES + key.id;
const urlOf = (name: string): string => new URL(`kept/${encodeURIComponent(name)}`, document.baseURI).href;

/** Begins to keep, or goes on. Deletes what is too old, and what another account has left. */
export async function keepAccount(account: Account): Promise<void> {
  if (storage === undefined) return;
  await forget(storeOf(account));
  const store = await storage.open(storeOf(account));
  await put(store, ACCOUNT, { account }, Date.now());
  void deleteOld(store);
}

/** Only where there is a store: a tab that has not learned yet that another one has signed out does not bring it back. */
export async function keep(account: Account, { key, data, at }: Entry): Promise<void> {
  if (!KINDS.includes(key[0]) || !(await storage?.has(storeOf(account)))) return;
  await put(await storage!.open(storeOf(account)), JSON.stringify(key), { key, data }, at);
}

/** The account that was signed in last, with everything that is not too old. */
export async function readKept(): Promise<{ account: Account; entries: Entry[] } | undefined> {
  const name = (await storage?.keys())?.find((each) => each.startsWith(STORES));
  if (name === undefined) return undefined;
  const store = await storage!.open(name);
  await deleteOld(store);
  let account: Account | undefined;
  const entries: Entry[] = [];
  for (const answer of await store.matchAll()) {
    const kept = (await answer.json()) as { account: Account } | Omit<Entry, 'at'>;
    if ('account' in kept) account = kept.account;
    else entries.push({ ...kept, at: whenOf(answer) });
  }
  if (account !== undefined) return { account, entries };
  await forget();
  return undefined;
}

/** Everything, but for the store that is named. */
export async function forget(but?: string): Promise<void> {
  const names = (await storage?.keys()) ?? [];
  const others = names.filter((name) => name.startsWith(STORES) && name !== but);
  await Promise.all(others.map((name) => storage!.delete(name)));
}

async function put(store: Cache, name: string, value: object, at: number): Promise<void> {
  await store.put(urlOf(name), new Response(JSON.stringify(value), { headers: { [WHEN]: String(at) } }));
}

async function deleteOld(store: Cache): Promise<void> {
  for (const request of await store.keys()) {
    const answer = await store.match(request);
    if (answer !== undefined && Date.now() - whenOf(answer) > OLDEST_MS) await store.delete(request);
  }
}

const whenOf = ({ headers }: Response): number => Number(headers.get(WHEN));
