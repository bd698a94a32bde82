import {
  keepPreviousData,
  useQueries,
  useQuery,
  useQueryClient,
  type QueryClient,
  type UseQueryResult,
} from '@tanstack/react-query';
import type { Availability, Booking, BookingPage, BookingQuery, Space } from '@hourkeep/client';
import { sleep } from './api.ts';
import { read } from './calls.ts';
import type { CivilDate } from './dates.ts';
import { GLANCE_MS, loadDay } from './day-loader.ts';

// What the console asks the API for, and remembers. Own changes are written into the memory by changes.ts.

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

export function useSpaces(): UseQueryResult<Space[]> {
  return useQuery({
    queryKey: ['spaces'],
    queryFn: ({ signal }) => read((hk) => hk.spaces.list({ signal }), signal),
    staleTime: 5 * MINUTE,
  });
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
  let next = 0;
  return wanted.map((day) => (day === undefined ? undefined : results[next++]));
}

/** Every booking of some days, cancelled ones too. */
export function useBookingsOf(range: BookingRange | undefined): UseQueryResult<Booking[]> {
  const queries = useQueryClient();
  const known = () => (range === undefined ? undefined : within(queries, range));
  return useQuery({
    queryKey: ['bookings', 'range', range],
    enabled: range !== undefined,
    staleTime: SHARED_MS,
    initialData: () => known()?.bookings,
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

export function useBookingPage(query: BookingQuery): UseQueryResult<BookingPage> {
  return useQuery({
    queryKey: ['bookings', 'page', query],
    queryFn: ({ signal }) => read((hk) => hk.bookings.list(query, { signal }), signal),
    // No jump while the next page is on its way.
    placeholderData: keepPreviousData,
  });
}

export function useEarnings() {
  return useQuery({
    queryKey: ['earnings'],
    queryFn: ({ signal }) => read((hk) => hk.earnings.get({ signal }), signal),
    staleTime: SHARED_MS,
  });
}

export function useReport(month: string | undefined) {
  return useQuery({
    queryKey: ['report', month],
    enabled: month !== undefined,
    queryFn: ({ signal }) => read((hk) => hk.settlement.report(month!, { signal }), signal),
    staleTime: SHARED_MS,
    placeholderData: keepPreviousData,
  });
}

export function useWebhooks() {
  return useQuery({
    queryKey: ['webhooks'],
    queryFn: ({ signal }) => read((hk) => hk.webhooks.list({ signal }), signal),
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
function within(
  queries: QueryClient,
  { spaceId, from, to }: BookingRange,
): { bookings: Booking[]; at: number } | undefined {
  for (const { queryKey, state } of queries.getQueryCache().findAll({ queryKey: ['bookings', 'range'] })) {
    const wider = queryKey[2] as BookingRange | undefined;
    const all = state.data as Booking[] | undefined;
    if (wider === undefined || all === undefined || state.isInvalidated) continue;
    const covers =
      (wider.spaceId === undefined || wider.spaceId === spaceId) && wider.from <= from && to <= wider.to;
    if (!covers || all.length >= (wider.most ?? Infinity)) continue;
    const ofRange = ({ space_id, date }: Booking): boolean =>
      (spaceId === undefined || space_id === spaceId) && from <= date && date <= to;
    return { bookings: all.filter(ofRange), at: state.dataUpdatedAt };
  }
  return undefined;
}

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
