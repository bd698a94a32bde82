import { loadedSide, type Bench, type EngineName, type Place } from './support/bench.ts';
import { addFilledHosts, daysFor, fillDays, FIRST_FREE_DAY } from '../test/traffic/fill.ts';
import { answerTo } from '../test/traffic/load-client.ts';
import { inTurns, type Side } from './support/measure.ts';
import { rowOf, spreadText, type Report, type Row } from './support/report.ts';
import { withServer, type Server } from '../test/traffic/servers.ts';
import { asking, availabilityPath, feedPaths, type Work } from '../test/traffic/work.ts';
import { addHosts, datesFrom, withDatabase, type BenchHost } from '../test/traffic/world.ts';

const SIZES = [10_000, 100_000, 1_000_000];
const [CONNECTIONS, SECONDS] = [4, 0.25];
/** Longer: there are fewer creates and searches in a second, and how long a create takes depends on the disk. */
const SECONDS_OF_FEWER = 1.5;
const WARM_UP_SECONDS = 0.15;
/** By each host beforehand: the pages it writes are in memory, and PostgreSQL has logged each whole once since its checkpoint. */
const BOOKED_BEFORE = 2;
const CONNECTIONS_BEFORE = 64;

const LIST = '/api-bookings/api/v1/bookings';
/** So many hosts ask, where there are more. */
const ASKING = 200;
const SEARCH = 'a guest who is not there';

/** What all of them have in common is today: only what lies before it, or beside it, grows. */
const SHAPES = {
  'of one host': {
    promised: 1.3,
    // No host will have more.
    upTo: 1_000_000,
    hosts: () => 1,
    spacesEach: 12,
    // A longer past, of more than the twelve months that earnings tell even where it is shortest.
    days: (bookings: number) => daysFor(bookings, 12),
  },
  'of all hosts': {
    promised: 1.15,
    upTo: Infinity,
    // More hosts, each with 2000 bookings.
    hosts: (bookings: number) => bookings / 2000,
    spacesEach: 4,
    days: () => daysFor(2000, 4),
  },
};
type Shape = keyof typeof SHAPES;

/** One engine with so many bookings of one host, or of all, against the smallest number. */
interface Column {
  readonly engine: EngineName;
  readonly shape: Shape;
  readonly size: number;
  readonly rows: readonly Row[];
}

/** How much longer everything that a host asks for again and again takes once there are a hundred times as many bookings. */
export async function growth(bench: Bench): Promise<Report> {
  const columns: Column[] = [];
  for (const shape of Object.keys(SHAPES) as Shape[]) {
    const { promised, upTo } = SHAPES[shape];
    const sizes = bench.bookings === undefined ? SIZES : [SIZES[0]!, Math.min(bench.bookings, upTo)];
    for (const engine of bench.engines) {
      const sides: Side[] = [];
      for (const size of sizes) sides.push(await filledSide(await bench.newPlace(engine), shape, size));
      const [few, ...more] = await inTurns(bench.pace.rounds, sides);
      for (const [i, many] of more.entries()) {
        const target = { below: promised };
        const rows = Object.entries(many).map(([what, ours]) =>
          rowOf('ms', [what, ours], [what, few![what]!], { target }),
        );
        columns.push({ engine, shape, size: sizes[i + 1]!, rows });
      }
    }
  }
  return report(columns);
}

async function filledSide(place: Place, shape: Shape, bookings: number): Promise<Side> {
  const { hosts, spacesEach, days } = SHAPES[shape];
  const code = { withDatabase, addHosts, fill: fillDays };
  const callers = await addFilledHosts(place.url, hosts(bookings), spacesEach, days(bookings), code);
  const start = () => place.start();
  const works = await withServer(start, async (server) => {
    const works = await repeatedRequests(server, callers, bookings / callers.length);
    for (let booked = 0; booked < BOOKED_BEFORE * callers.length;) {
      const create = works['create booking']!;
      const { perSecond } = await place.load([server], create, CONNECTIONS_BEFORE, WARM_UP_SECONDS);
      booked += perSecond! * WARM_UP_SECONDS;
    }
    return works;
  });
  const loads = Object.entries(works).map(([what, work]) => {
    const seconds = work.kind === 'create' || what === SEARCH ? SECONDS_OF_FEWER : SECONDS;
    return { what, work, connections: CONNECTIONS, seconds, warmUp: WARM_UP_SECONDS };
  });
  return loadedSide(place, start, loads);
}

/** Everything that a host asks for again and again. */
async function repeatedRequests(
  server: Server,
  hosts: readonly BenchHost[],
  storedEach: number,
): Promise<Record<string, Work>> {
  const callers = hosts.slice(0, ASKING);
  const [today, later] = [datesFrom(0, 1)[0]!, datesFrom(6, 1)[0]!];
  const dates = `from=${today}&to=${later}`;
  const each = (pathsOf: (host: BenchHost) => string | string[]): Work => ({
    kind: 'paths',
    paths: callers.flatMap((host) => [pathsOf(host)].flat().map((path) => ({ path, key: host.key }))),
  });
  const list = (query: (host: BenchHost) => string): Work => each((host) => `${LIST}?${query(host)}`);
  const space = (host: BenchHost): string => `space_id=${host.spaces[0]}`;
  const following = async (query: (host: BenchHost) => string, offset = ''): Promise<Work> => {
    const paths = new Map<BenchHost, string>();
    for (const host of callers) {
      const { pagination } = await pageOf(server, host, `${query(host)}${offset}`);
      paths.set(host, `${query(host)}&cursor=${pagination.next_cursor}`);
    }
    return list((host) => paths.get(host)!);
  };
  const references = new Map<BenchHost, string>();
  for (const host of callers)
    references.set(host, (await pageOf(server, host, 'limit=1')).bookings[0]!.reference);
  return {
    availability: each((host) => availabilityPath(host.spaces[0]!, today)),
    'a month’s availability': each((host) => `${availabilityPath(host.spaces[0]!, today)}&days=31`),
    'create booking': { kind: 'create', callers: hosts, dates: datesFrom(FIRST_FREE_DAY, 365) },
    'first page': list(() => ''),
    'a page far in': await following(() => '', `&offset=${Math.floor(storedEach * 0.9)}`),
    'confirmed ones': list(() => 'status=confirmed'),
    // Not their first page: that one counts the list, up to 10 001, and among 10 000 bookings these are short.
    'more completed ones': await following(() => 'status=completed'),
    'more cancelled ones': await following(() => 'status=cancelled'),
    'more completed and cancelled ones': await following(() => 'status=completed,cancelled'),
    'more of a space': await following(space),
    'those with a reference': list((host) => `reference=${references.get(host)}`),
    'confirmed ones of a space': list((host) => `${space(host)}&status=confirmed`),
    'those of a week': list(() => dates),
    'those of a space’s week': list((host) => `${space(host)}&${dates}`),
    'confirmed ones of a week': list(() => `status=confirmed&${dates}`),
    'changes, when there are none': list(() => 'updated_since=2099-01-01T00:00:00Z'),
    [SEARCH]: list(() => 'guest=nobody'),
    // Of all spaces in turns: each may be asked for 60 times a minute.
    feed: each(feedPaths),
    earnings: each(() => '/api-earnings/api/v1/earnings'),
    'an open month’s report': each(
      () => `/api-settlement-report/api/v1/settlement/report?month=${today.slice(0, 'YYYY-MM'.length)}`,
    ),
  };
}

async function pageOf(
  server: Server,
  { key }: BenchHost,
  query: string,
): Promise<{ bookings: { reference: string }[]; pagination: { next_cursor: string } }> {
  const answer = await answerTo(server, asking(key, `${LIST}?${query}`));
  return (JSON.parse(answer) as { data: Awaited<ReturnType<typeof pageOf>> }).data;
}

/** All ratios as a table, and the worst one of each column for the target. */
function report(columns: readonly Column[]): Report {
  const few = SIZES[0]!.toLocaleString('en');
  const worst = columns.map(({ engine, shape, size, rows }): Row => {
    const row = rows.reduce((a, b) => (b.spread.median > a.spread.median ? b : a));
    const where = `${engine}, ${size.toLocaleString('en')} ${shape}`;
    return { ...row, what: `${where}, worst: ${row.what}`, against: `among ${few}` };
  });
  const headings = columns.map(
    ({ engine, shape, size }) => `${engine.split(' ')[0]}, 10^${Math.log10(size)} ${shape}`,
  );
  const lines = (columns[0]?.rows ?? []).map(({ what }, i) => [
    what,
    ...columns.map(({ rows }) => `${rows[i]!.spread.median.toFixed(2)} (${spreadText(rows[i]!)})`),
  ]);
  const title = `Among more and more bookings, ${CONNECTIONS} connections: p50 ÷ p50 among ${few}`;
  return { title, rows: worst, table: [['', ...headings], ...lines] };
}
