import { FIRST_FREE_DAY } from './fill.ts';
import { availabilityPath, type Work } from './work.ts';
import { datesFrom, type BenchHost } from './world.ts';

const LIST = '/api-bookings/api/v1/bookings';
/** So many hosts ask, where there are more. */
const ASKING = 200;

/** Everything that a host asks for again and again. */
export async function repeatedRequests(
  port: number,
  hosts: readonly BenchHost[],
  storedEach: number,
): Promise<Record<string, Work>> {
  const asking = hosts.slice(0, ASKING);
  const [today, later] = [datesFrom(0, 1)[0]!, datesFrom(6, 1)[0]!];
  const dates = `from=${today}&to=${later}`;
  const each = (pathOf: (host: BenchHost) => string): Work => ({
    kind: 'paths',
    paths: asking.map((host) => ({ path: pathOf(host), key: host.key })),
  });
  const list = (query: (host: BenchHost) => string): Work => each((host) => `${LIST}?${query(host)}`);
  const space = (host: BenchHost): string => `space_id=${host.spaces[0]}`;
  const cursors = new Map<BenchHost, string>();
  for (const host of asking) cursors.set(host, await cursorFarIn(port, host, storedEach));
  return {
    availability: each((host) => availabilityPath(host.spaces[0]!, today)),
    'create booking': { kind: 'create', callers: hosts, dates: datesFrom(FIRST_FREE_DAY, 365) },
    'first page': list(() => ''),
    'a page far in': list((host) => `cursor=${cursors.get(host)}`),
    'confirmed ones': list(() => 'status=confirmed'),
    'completed ones': list(() => 'status=completed'),
    'cancelled ones': list(() => 'status=cancelled'),
    'those of a space': list(space),
    'confirmed ones of a space': list((host) => `${space(host)}&status=confirmed`),
    'those of a week': list(() => dates),
    'those of a space’s week': list((host) => `${space(host)}&${dates}`),
    'confirmed ones of a week': list(() => `status=confirmed&${dates}`),
    feed: each((host) => `/api-ical-feed?space_id=${host.spaces.at(-1)}&token=${host.feedToken}`),
    earnings: each(() => '/api-earnings/api/v1/earnings'),
    'an open month’s report': each(
      () => `/api-settlement-report/api/v1/settlement/report?month=${today.slice(0, 'YYYY-MM'.length)}`,
    ),
  };
}

/** Where the list has come after nine of ten bookings of the host. */
async function cursorFarIn(port: number, host: BenchHost, stored: number): Promise<string> {
  const url = `http://127.0.0.1:${port}${LIST}?limit=1&offset=${Math.floor(stored * 0.9)}`;
  const answer = await fetch(url, { headers: { authorization: `Bearer ${host.key}` } });
  const { data } = (await answer.json()) as { data: { pagination: { next_cursor: string } } };
  return data.pagination.next_cursor;
}
