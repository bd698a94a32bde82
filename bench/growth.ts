import { join } from 'node:path';
import { startCluster } from '../test/support/cluster.ts';
import type { Options } from './support/compare.ts';
import { cpuOfFamily } from './support/cpu.ts';
import { createDatabase } from './support/databases.ts';
import { daysFor, fillDays, tidy } from './support/fill.ts';
import { CLUSTER_SETTINGS } from './support/pgbench.ts';
import { LoadClient, Target } from './support/measure.ts';
import type { Report, Row } from './support/report.ts';
import { repeatedRequests, type Request } from './support/repeated.ts';
import { startService } from './support/servers.ts';
import { inTurns, rowOf, type Figures, type Side } from './support/turns.ts';
import { addHosts, withDatabase, type BenchHost } from './support/world.ts';

const SIZES = [10_000, 100_000, 1_000_000];
const CONNECTIONS = 4;
const SECONDS = 0.4;
const WARM_UP_SECONDS = 0.2;

/** What all of them have in common is today: only what lies before it, or beside it, grows. */
const SHAPES = {
  'of one host': {
    promised: 1.3,
    hosts: () => 1,
    spacesEach: 50,
    // A longer past: a hundred bookings a day.
    days: (bookings: number) => daysFor(bookings, 50),
  },
  'of all hosts': {
    promised: 1.15,
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
  try {
    const rows: Row[] = [];
    for (const shape of Object.keys(SHAPES) as Shape[]) {
      const sizes = bookings === undefined ? SIZES : [SIZES[0]!, bookings];
      const measure = async (engine: string, urlOf: (at: string) => string | Promise<string>, cpu?: () => number) => {
        const sides: Side<Request>[] = [];
        for (const size of sizes) {
          const at = join(folder, `growth-${engine.slice(0, 2)}-${shape.slice(-9).replace(' ', '-')}-${size}`);
          sides.push(await filledSide(client, shape, size, await urlOf(at), at, cpu));
        }
        rows.push(...growthRows(await inTurns(pace.rounds, sides), sizes, `${engine}, ${shape}`, SHAPES[shape].promised));
      };
      await measure('embedded engine', (at) => `sqlite:${at}/hourkeep.db`);
      if (cluster !== undefined)
        await measure('PostgreSQL', () => createDatabase(cluster.url), () => cpuOfFamily(cluster.pid()));
    }
    return { title: `Among more and more bookings, ${CONNECTIONS} connections`, rows };
  } finally {
    client.stop();
    cluster?.stop();
  }
}

async function filledSide(
  client: LoadClient,
  shape: Shape,
  bookings: number,
  url: string,
  folder: string,
  databaseCpu: (() => number) | undefined,
): Promise<Side<Request>> {
  const { hosts, spacesEach, days } = SHAPES[shape];
  const started = performance.now();
  const callers = await withDatabase(url, async (ctx): Promise<BenchHost[]> => {
    const added = await addHosts(ctx, hosts(bookings), spacesEach);
    await fillDays(ctx, added, days(bookings));
    return added;
  });
  if (url.startsWith('postgres')) await tidy(url);
  const seconds = Math.round((performance.now() - started) / 1000);
  process.stderr.write(`bench: filled with ${bookings} bookings ${shape} in ${seconds} s\n`);
  let targets: [Request, Target][] | undefined;
  return async () => {
    const server = await startService(folder, { DATABASE_URL: url });
    try {
      targets ??= Object.entries(await repeatedRequests(server.port, callers, bookings / callers.length)).map(([name, work]) => [
        name as Request,
        new Target(work, databaseCpu === undefined ? {} : { databaseCpu }),
      ]);
      const figures: Partial<Figures<Request>> = {};
      for (const [name, target] of targets) {
        await target.load(server, client, CONNECTIONS, WARM_UP_SECONDS);
        Object.assign(figures, { [name]: await target.load(server, client, CONNECTIONS, SECONDS) });
      }
      return figures as Figures<Request>;
    } finally {
      await server.stop();
    }
  };
}

/** Each larger size against the smallest. */
function growthRows(
  [few, ...more]: readonly (readonly Figures<Request>[])[],
  [fewest, ...larger]: readonly number[],
  where: string,
  below: number,
): Row[] {
  const among = (count: number): string => count.toLocaleString('en');
  return (Object.keys(few![0]!) as Request[]).flatMap((request) =>
    more.map((figures, i) => {
      const names = {
        what: `${where}, ${request} among ${among(larger[i]!)}`,
        against: `among ${among(fewest!)}`,
      };
      return rowOf([figures, few!], request, 'p50', names, { below });
    }),
  );
}
