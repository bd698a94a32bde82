import { join } from 'node:path';
import { Client } from 'pg';
import { startCluster } from '../test/support/cluster.ts';
import { fill, filledDates, FIRST_FREE_DAY, tidy } from './support/fill.ts';
import { CLUSTER_SETTINGS } from './support/pgbench.ts';
import { type Figure, LoadClient, sideBySide, Target } from './support/measure.ts';
import { slowdown, type Report, type Row } from './support/report.ts';
import { startService, type Server } from './support/servers.ts';
import type { Caller } from './support/work.ts';
import { addHosts, datesFrom, withDatabase } from './support/world.ts';

const FEW = 10_000;
const MANY = 1_000_000;
const HOSTS = 50;
const SPACES_EACH = 20;
const CONNECTIONS = 16;
const ROUNDS = 5;
const SECONDS = 2;
const WARM_UP_SECONDS = 3;
const TARGET = 1.3;

/** How much longer reads and creates take once there are a hundred times as many bookings. */
export async function growth(folder: string): Promise<Report> {
  const cluster = await startCluster(CLUSTER_SETTINGS);
  if (cluster === undefined)
    process.stderr.write('bench: no PostgreSQL on this machine; growth leaves it out\n');
  try {
    const rows = await onEngine('embedded engine', (size) => {
      const data = join(folder, `growth-${size}`);
      return startFilled(data, `sqlite:${data}/hourkeep.db`, size);
    });
    if (cluster !== undefined) {
      const more = await onEngine('PostgreSQL', async (size) => {
        const url = await createDatabase(cluster.url, `bookings_${size}`);
        return startFilled(join(folder, `growth-pg-${size}`), url, size);
      });
      rows.push(...more);
    }
    const title = `From ${FEW.toLocaleString('en')} to ${MANY.toLocaleString('en')} stored bookings, ${CONNECTIONS} connections`;
    return { title, rows };
  } finally {
    cluster?.stop();
  }
}

interface Filled {
  readonly server: Server;
  readonly callers: readonly Caller[];
}

/** Both sizes are served at once and asked in turns; the one that is not asked costs nothing. */
async function onEngine(engine: string, start: (size: number) => Promise<Filled>): Promise<Row[]> {
  const [few, many] = await Promise.all([start(FEW), start(MANY)]);
  const client = new LoadClient();
  try {
    const rows: Row[] = [];
    for (const { what, work } of OPERATIONS) {
      const [fewer, more] = [few, many].map(
        ({ server, callers }) => new Target(server, { ...work(), callers }),
      ) as [Target, Target];
      const load = (target: Target, seconds = SECONDS): Promise<Figure> =>
        target.load(client, CONNECTIONS, seconds);
      for (const target of [fewer, more]) await load(target, WARM_UP_SECONDS);
      const [before, after] = await sideBySide(
        ROUNDS,
        () => load(fewer),
        () => load(more),
      );
      const among = (count: number): string => `${engine}, ${what} among ${count.toLocaleString('en')}`;
      rows.push(slowdown(among(MANY), after, among(FEW), before, TARGET));
    }
    return rows;
  } finally {
    client.stop();
    await Promise.all([few.server.stop(), many.server.stop()]);
  }
}

const OPERATIONS = [
  { what: 'availability', work: () => ({ kind: 'read', dates: filledDates() }) as const },
  {
    what: 'create booking',
    work: () => ({ kind: 'create', dates: datesFrom(FIRST_FREE_DAY, 365) }) as const,
  },
];

async function startFilled(folder: string, url: string, size: number): Promise<Filled> {
  const callers = await withDatabase(url, async (ctx) => {
    const hosts = await addHosts(ctx, HOSTS, SPACES_EACH);
    await fill(ctx, hosts, size);
    return hosts;
  });
  if (url.startsWith('postgres')) await tidy(url);
  return { server: await startService(folder, { DATABASE_URL: url }), callers };
}

async function createDatabase(serverUrl: string, name: string): Promise<string> {
  const client = new Client({ connectionString: serverUrl });
  await client.connect();
  await client.query(`create database ${name}`);
  await client.end();
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  return url.href;
}
