import { useLayoutEffect } from 'react';
import {
  keepPreviousData,
  useQueries,
  useQuery,
  useQueryClient,
  type QueryClient,
  type QueryKey,
  type UseQueryOptions,
  type UseQueryResult,
} from '@tanstack/react-query';
import type { Availability, Booking, BookingPage, BookingQuery, Space } from '@hourkeep/client';
import { sleep } from './api.ts';
import { NotKept, read } from './calls.ts';
import type { CivilDate } from './dates.ts';
import { GLANCE_MS, loadDay } from './day-loader.ts';
import { ask } from './own-calls.ts';
import { offline, quietly } from './session.ts';
import { useStore } from './store.ts';

// What the console asks the API for, and remembers. Own changes are written into the memory by changes.ts. Without a connection a
// device that stays signed in has what it was told before, and says of the rest that it is not kept.

export interface BookingRange {
  spaceId?: string | undefined;
  from: CivilDate;
  to: CivilDate;
  /** At most so many bookings, by time; a screen that shows fewer need not read all of a large host's. */
  most?: number;
}

const MINUTE = 60_000;
/** One screen shows what another has just been told. Who comes back to the window is told anew. */
const SHARED_MS = MINUTE;
const LARGEST_PAGE = 200;

export const dayKey = (spaceId: string, date: CivilDate): string[] => ['day', spaceId, date];

const NOT_KEPT = new NotKept();

function told<T>(result: UseQueryResult<T>, isOffline: boolean): UseQueryResult<T> {
  if (!isOffline || result.data !== undefined) return result;
  return { ...result, error: NOT_KEPT, isPending: false } as unknown as UseQueryResult<T>;
}

function useTold<T>(options: UseQueryOptions<T>): UseQueryResult<T> {
  const result = useQuery(options);
  return told(result, useStore(offline));
}

/** Offline, what was kept under other names may say what is asked for. It keeps the time that it is from. */
function useFoundOffline(queryKey: QueryKey, find: () => { data: unknown; at: number } | undefined): void {
  const queries = useQueryClient();
  const isOffline = useStore(offline);
  // Before the picture: nothing is said to be missing that is there.
  useLayoutEffect(() => {
    if (!isOffline || queries.getQueryData(queryKey) !== undefined) return;
    const found = find();
    if (found !== undefined) {
      quietly(() => queries.setQueryData(queryKey, found.data, { updatedAt: found.at }));
    }
  });
}

export function useSpaces(): UseQueryResult<Space[]> {
  return useTold({
    queryKey: ['spaces'],
    queryFn: ({ signal }) => read((hk) => hk.spaces.list({ signal }), signal),
    staleTime: 5 * MINUTE,
  });
}

/** What a space is called. */
export function useTitles(): (id: string) => string {
  const { data = [] } = useSpaces();
  return (id) => data.find((space) => space.id === id)?.title ?? '';
}

/** The days that can be seen; undefined stands for one that cannot. */
export function useDays(
  wanted: readonly ({ spaceId: string; date: CivilDate } | undefined)[],
): (UseQueryResult<Availability> | undefined)[] {
  const results = useQueries({
    queries: wanted
      .filter((day) => day !== undefined)
      .map(({ spaceId, date }) => ({
        queryKey: dayKey(spaceId, date),
        queryFn: ({ signal }: { signal: AbortSignal }): Promise<Availability> =>
          loadDay(spaceId, date, signal),
        staleTime: SHARED_MS,
      })),
  });
  const isOffline = useStore(offline);
  let next = 0;
  return wanted.map((day) => (day === undefined ? undefined : told(results[next++]!, isOffline)));
}

/** Every booking of some days, cancelled ones too. */
export function useBookingsOf(range: BookingRange | undefined): UseQueryResult<Booking[]> {
  const queries = useQueryClient();
  const known = () => (range === undefined ? undefined : within(queries, range));
  const queryKey = ['bookings', 'range', range];
  useFoundOffline(queryKey, known);
  return useTold({
    queryKey,
    enabled: range !== undefined,
    staleTime: SHARED_MS,
    initialData: () => known()?.data,
    initialDataUpdatedAt: () => known()?.at,
    queryFn: async ({ signal, queryKey }) => {
      await sleep(GLANCE_MS, signal);
      const { spaceId, from, to, most } = range!;
      const bookings = await allBookings({ space_id: spaceId, from, to }, signal, undefined, most);
      refreshChangedDays(queries, queries.getQueryData<Booking[]>(queryKey), bookings);
      return bookings;
    },
  });
}

/** Newest first, all bookings of the guest with this address are one page: the API lists from the oldest on. */
export function useBookingPage(query: BookingQuery, newestFirst: boolean): UseQueryResult<BookingPage> {
  const queries = useQueryClient();
  const isOffline = useStore(offline);
  const queryKey = [isOffline ? 'kept-bookings' : 'bookings', 'page', query, newestFirst];
  useFoundOffline(queryKey, () => keptPage(queries, query, newestFirst));
  return useTold({
    queryKey,
    enabled: !isOffline,
    ...(isOffline && { gcTime: 0 }),
    queryFn: async ({ signal }) =>
      newestFirst
        ? wholePage((await allBookings(query, signal)).filter(isFrom(query.guest)).toReversed())
        : read((hk) => hk.bookings.list(query, { signal }), signal),
    // No jump while the next page is on its way.
    placeholderData: keepPreviousData,
  });
}

export function useEarnings() {
  return useTold({
    queryKey: ['earnings'],
    queryFn: ({ signal }) => read((hk) => hk.earnings.get({ signal }), signal),
    staleTime: SHARED_MS,
  });
}

export function useReport(month: string | undefined) {
  return useTold({
    queryKey: ['report', month],
    enabled: month !== undefined,
    queryFn: ({ signal }) => read((hk) => hk.settlement.report(month!, { signal }), signal),
    staleTime: SHARED_MS,
    placeholderData: keepPreviousData,
  });
}

export function useWebhooks() {
  return useTold({
    queryKey: ['webhooks'],
    queryFn: ({ signal }) => read((hk) => hk.webhooks.list({ signal }), signal),
    staleTime: MINUTE / 4,
  });
}

/** A key as the host sees it; its text was shown once. */
export interface Key {
  readonly id: string;
  readonly name: string;
  readonly scopes: readonly string[];
  readonly prefix: string;
  readonly last4: string;
  readonly created_at: string;
  readonly last_used_at: string | null;
  readonly expires_at: string | null;
}

export function useKeys(isAllowed: boolean) {
  return useTold({
    queryKey: ['keys'],
    enabled: isAllowed,
    queryFn: async ({ signal }) => (await read(() => ask<{ keys: Key[] }>('GET', 'keys'), signal)).keys,
    staleTime: MINUTE / 4,
  });
}

/** Page after page; `seen` is told how many there are so far. */
export async function allBookings(
  query: BookingQuery,
  signal?: AbortSignal,
  seen: (count: number) => void = () => undefined,
  most = Infinity,
): Promise<Booking[]> {
  const all: Booking[] = [];
  let next: BookingQuery | undefined = { ...query, limit: LARGEST_PAGE };
  while (next !== undefined && all.length < most) {
    const asked: BookingQuery = next;
    const page: BookingPage = await read(
      (hk) => hk.bookings.list(asked, { ...(signal && { signal }) }),
      signal,
    );
    all.push(...page.bookings);
    seen(all.length);
    next = queryAfter(asked, page);
  }
  return all;
}

/** What asks for the page after this one; undefined after the last. */
export function queryAfter(query: BookingQuery, { pagination }: BookingPage): BookingQuery | undefined {
  const { next_cursor: cursor } = pagination;
  return cursor === null ? undefined : { ...query, cursor };
}

/** What a wider range that was read a moment ago says of this one. */
export function within(
  queries: QueryClient,
  { spaceId, from, to }: BookingRange,
): { data: Booking[]; at: number } | undefined {
  for (const { queryKey, state } of queries.getQueryCache().findAll({ queryKey: ['bookings', 'range'] })) {
    const wider = queryKey[2] as BookingRange | undefined;
    const all = state.data as Booking[] | undefined;
    if (wider === undefined || all === undefined || (state.isInvalidated && !offline.get())) continue;
    const covers =
      (wider.spaceId === undefined || wider.spaceId === spaceId) && wider.from <= from && to <= wider.to;
    if (!covers || all.length >= (wider.most ?? Infinity)) continue;
    const ofRange = ({ space_id, date }: Booking): boolean =>
      (spaceId === undefined || space_id === spaceId) && from <= date && date <= to;
    return { data: all.filter(ofRange), at: state.dataUpdatedAt };
  }
  return undefined;
}

/** The bookings seen last, those of them that are asked for, on one page; undefined where none was ever seen. */
function keptPage(
  queries: QueryClient,
  query: BookingQuery,
  newestFirst: boolean,
): { data: BookingPage; at: number } | undefined {
  const seen = new Map<string, Booking>();
  const lists = queries
    .getQueryCache()
    .findAll({ queryKey: ['bookings'], predicate: ({ state }) => state.data !== undefined })
    .sort((a, b) => a.state.dataUpdatedAt - b.state.dataUpdatedAt);
  if (lists.length === 0) return undefined;
  for (const { state } of lists) {
    const list = state.data as Booking[] | BookingPage;
    for (const booking of Array.isArray(list) ? list : list.bookings) seen.set(booking.id, booking);
  }
  const bookings = [...seen.values()].filter((booking) => isOf(query, booking)).sort(byTime);
  return {
    data: wholePage(newestFirst ? bookings.filter(isFrom(query.guest)).toReversed() : bookings),
    at: lists[0]!.state.dataUpdatedAt,
  };
}

const isFrom =
  (email = '') =>
  ({ guest_email }: Booking): boolean =>
    guest_email.toLowerCase() === email.toLowerCase();

function wholePage(bookings: Booking[]): BookingPage {
  const { length } = bookings;
  const pagination = { limit: length, offset: 0, total: length, total_is_exact: true };
  return { bookings, pagination: { ...pagination, has_more: false, next_cursor: null } };
}

/** As the API filters. */
function isOf({ guest, status, space_id, from, to }: BookingQuery, booking: Booking): boolean {
  const texts = `${booking.guest_name}\n${booking.guest_email}`;
  return (
    (guest === undefined || plain(texts).includes(plain(guest))) &&
    (status === undefined || booking.status === status) &&
    (space_id === undefined || booking.space_id === space_id) &&
    (from === undefined || booking.date >= from) &&
    (to === undefined || booking.date <= to)
  );
}

const plain = (text: string): string => text.normalize('NFD').replaceAll(/\p{M}/gu, '').toLowerCase();

/** As the API lists them. */
export const byTime = (a: Booking, b: Booking): number =>
  a.date.localeCompare(b.date) || a.start_hour - b.start_hour || a.id.localeCompare(b.id);

/** A booking that others made or cancelled has changed its day too. */
function refreshChangedDays(queries: QueryClient, before: Booking[] | undefined, after: Booking[]): void {
  if (before === undefined) return;
  const held = (bookings: Booking[]): Map<string, Booking> =>
    new Map(bookings.filter(({ status }) => status !== 'cancelled').map((booking) => [booking.id, booking]));
  const [was, is] = [held(before), held(after)];
  const changed = [...was.values(), ...is.values()].filter(({ id }) => was.has(id) !== is.has(id));
  for (const { space_id, date } of changed) {
    void queries.invalidateQueries({ queryKey: dayKey(space_id, date) });
  }
}
