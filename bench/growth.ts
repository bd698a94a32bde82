import { join } from 'node:path';
import { startCluster } from '../test/support/cluster.ts';
import type { Options } from './support/compare.ts';
import { cpuOfFamily } from './support/cpu.ts';
import { createDatabase } from './support/databases.ts';
import { daysFor, fillDays, tidy } from './support/fill.ts';
import { CLUSTER_SETTINGS } from './support/pgbench.ts';
import { LoadClient, Target } from './support/measure.ts';
import { format, spreadText, type Report, type Row } from './support/report.ts';
import { repeatedRequests, type Request } from './support/repeated.ts';
import { startService } from './support/servers.ts';
import { inTurns, rowOf, type Figures, type Side } from './support/turns.ts';
import { addHosts, withDatabase, type BenchHost } from './support/world.ts';

const SIZES = [10_000, 100_000, 1_000_000];
const CONNECTIONS = 4;
const SECONDS = 0.25;
/** Longer: there are fewer creates in a second, and how long each takes depends on the disk. */
const SECONDS_OF_CREATES = 1.5;
const WARM_UP_SECONDS = 0.15;
/**
 * Each host makes so many bookings beforehand, as in a day's business: the pages it writes are in memory, and PostgreSQL has
 * logged each of them whole once, as it does after every checkpoint.
 */
const BOOKED_BEFORE = 2;
const CONNECTIONS_BEFORE = 64;

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

/** How much longer everything that a host asks for again and again takes once there are a hundred times as many bookings. */
export async function growth(folder: string, { pace, bookings }: Options): Promise<Report> {
  const cluster = await startCluster(CLUSTER_SETTINGS);
  if (cluster === undefined)
    process.stderr.write('bench: no PostgreSQL on this machine; growth leaves it out\n');
  const client = new LoadClient();
  const columns: Column[] = [];
  try {
    for (const shape of Object.keys(SHAPES) as Shape[]) {
      const largest = bookings && Math.min(bookings, SHAPES[shape].upTo);
      const sizes = largest === undefined ? SIZES : [SIZES[0]!, largest];
      const measure = async (
        engine: string,
        place: (name: string) => Promise<Place>,
        databaseCpu?: () => number,
      ): Promise<void> => {
        const sides: Side<Request>[] = [];
        for (const size of sizes) {
          const at = await place(join(folder, `growth-${columns.length}-${size}`));
          sides.push(await filledSide(client, shape, size, at, databaseCpu));
        }
        const [few, ...more] = await inTurns(pace.rounds, sides);
        for (const [i, figures] of more.entries())
          columns.push({
            engine,
            shape,
            size: sizes[i + 1]!,
            ratios: ratiosOf(figures, few!, SHAPES[shape].promised),
          });
        // A long run that is broken off has said something.
        process.stderr.write(`${format([report(columns)])}\n\n`);
      };
      await measure('embedded engine', async (at) => ({ folder: at, url: `sqlite:${at}/hourkeep.db` }));
      if (cluster !== undefined)
        await measure(
          'PostgreSQL',
          async (at) => ({ folder: at, url: await createDatabase(cluster.url) }),
          () => cpuOfFamily(cluster.pid()),
        );
    }
    return report(columns);
  } finally {
    client.stop();
    cluster?.stop();
  }
}

interface Place {
  readonly folder: string;
  readonly url: string;
}

/** One engine with so many bookings of one host, or of all, against the smallest number. */
interface Column {
  readonly engine: string;
  readonly shape: Shape;
  readonly size: number;
  readonly ratios: ReadonlyMap<Request, Row>;
}

async function filledSide(
  client: LoadClient,
  shape: Shape,
  bookings: number,
  { folder, url }: Place,
  databaseCpu: (() => number) | undefined,
): Promise<Side<Request>> {
  const { hosts, spacesEach, days } = SHAPES[shape];
  const started = performance.now();
  const callers = await withDatabase(url, async (ctx): Promise<BenchHost[]> => {
    const added = await addHosts(ctx, hosts(bookings), spacesEach);
    await fillDays(ctx, added, days(bookings));
    return added;
  });
  await tidy(url);
  const seconds = Math.round((performance.now() - started) / 1000);
  process.stderr.write(`bench: filled with ${bookings} bookings ${shape} in ${seconds} s\n`);
  let targets: [Request, Target][] | undefined;
  let booked = 0;
  return async () => {
    const server = await startService(folder, { DATABASE_URL: url });
    try {
      targets ??= Object.entries(await repeatedRequests(server.port, callers, bookings / callers.length)).map(
        ([name, work]) => [
          name as Request,
          new Target(work, databaseCpu === undefined ? {} : { databaseCpu }),
        ],
      );
      const figures: Partial<Figures<Request>> = {};
      for (const [name, target] of targets) {
        await target.load(server, client, CONNECTIONS, WARM_UP_SECONDS);
        const isCreate = name === 'create booking';
        const wanted = isCreate ? BOOKED_BEFORE * callers.length : 0;
        while (booked < wanted) {
          const { perSecond } = await target.load(server, client, CONNECTIONS_BEFORE, WARM_UP_SECONDS);
          booked += perSecond * WARM_UP_SECONDS;
        }
        const seconds = isCreate ? SECONDS_OF_CREATES : SECONDS;
        Object.assign(figures, { [name]: await target.load(server, client, CONNECTIONS, seconds) });
      }
      return figures as Figures<Request>;
    } finally {
      await server.stop();
    }
  };
}

function ratiosOf(
  many: readonly Figures<Request>[],
  few: readonly Figures<Request>[],
  below: number,
): Map<Request, Row> {
  const requests = Object.keys(few[0]!) as Request[];
  const row = (request: Request): Row =>
    rowOf([many, few], request, 'p50', { what: request, against: request }, { below });
  return new Map(requests.map((request) => [request, row(request)]));
}

/** All ratios as a table, and the worst one of each column for the target. */
function report(columns: readonly Column[]): Report {
  const few = SIZES[0]!.toLocaleString('en');
  const worst = columns.map(({ engine, shape, size, ratios }): Row => {
    const row = [...ratios.values()].reduce((a, b) => (b.ratio > a.ratio ? b : a));
    const where = `${engine}, ${size.toLocaleString('en')} ${shape}`;
    return { ...row, what: `${where}, worst: ${row.what}`, against: `among ${few}` };
  });
  const requests = [...(columns[0]?.ratios.keys() ?? [])];
  const cell = (row: Row): string => `${row.ratio.toFixed(2)} (${spreadText(row)})`;
  return {
    title: `Among more and more bookings, ${CONNECTIONS} connections: p50 ÷ p50 among ${few}`,
    rows: worst,
    table: [
      [
        '',
        ...columns.map(
          ({ engine, shape, size }) => `${engine.split(' ')[0]}, 10^${Math.log10(size)} ${shape}`,
        ),
      ],
      ...requests.map((request) => [request, ...columns.map(({ ratios }) => cell(ratios.get(request)!))]),
    ],
  };
}
