import { join } from 'node:path';
import * as bookings from '../src/bookings/bookings.ts';
import { systemClock } from '../src/time/clock.ts';
import { startCluster, type Cluster } from '../test/support/cluster.ts';
import { cpuOfFamily } from './support/cpu.ts';
import { fill, filledDates, FIRST_FREE_DAY, tidy } from './support/fill.ts';
import { LoadClient, median } from './support/measure.ts';
import { CLUSTER_SETTINGS } from './support/pgbench.ts';
import type { Report, Row } from './support/report.ts';
import { startService, type Server } from './support/servers.ts';
import type { Caller, Work } from './support/work.ts';
import { addHosts, datesFrom, withDatabase, type BenchHost } from './support/world.ts';
import { workers } from './workers.ts';

const PROCESSES = [1, 2, 3];
/** So many that nobody reaches a limit, which is counted as in production all the same. */
const HOSTS = 1000;
const STORED = 10_000;
const CONNECTIONS = 48;
const ROUNDS = 5;
const SECONDS = 2;
const WARM_UP_SECONDS = 5;
/** Where the machine has no core left for them, more processes must not cost much either. */
const AT_LEAST = 0.8;

/**
 * One, two and three API processes beside a worker, all on one PostgreSQL. As long as all of them, the database and
 * the load generator share a few cores, the sum cannot grow; what one request costs each of them tells what more
 * cores would do. Then one, two and four workers alone.
 */
export async function scale(folder: string): Promise<Report> {
  const title = `${PROCESSES.join(', ')} API processes and a worker on one PostgreSQL, ${CONNECTIONS} connections`;
  const cluster = await startCluster(CLUSTER_SETTINGS);
  if (cluster === undefined) {
    process.stderr.write('bench: no PostgreSQL on this machine; scale is left out\n');
    return { title };
  }
  try {
    const stage = await setStage(cluster, folder);
    const rows: Row[] = [];
    try {
      for (const [what, work] of operations(stage.callers)) rows.push(...(await measure(stage, what, work)));
      rows.push(await complete(stage));
    } finally {
      stage.client.stop();
      await Promise.all([...stage.apis, stage.worker].map((server) => server.stop()));
    }
    rows.push(...(await workers(cluster, stage.callers, folder, settingsOf(cluster))));
    return { title, rows };
  } finally {
    cluster.stop();
  }
}

const operations = (callers: readonly Caller[]): [what: string, work: Work][] => [
  ['availability', { kind: 'read', callers, dates: filledDates() }],
  ['create booking', { kind: 'create', callers, dates: datesFrom(FIRST_FREE_DAY, 365) }],
];

interface Stage {
  readonly cluster: Cluster;
  readonly callers: readonly BenchHost[];
  readonly apis: readonly Server[];
  readonly worker: Server;
  readonly client: LoadClient;
}

/** All processes run from the beginning; one that is not asked costs nothing. */
async function setStage(cluster: Cluster, folder: string): Promise<Stage> {
  const callers = await withDatabase(cluster.url, async (ctx) => {
    const hosts = await addHosts(ctx, HOSTS, 1);
    await fill(ctx, hosts, STORED);
    return hosts;
  });
  await tidy(cluster.url);
  const settings = settingsOf(cluster);
  const worker = await startService(join(folder, 'scale-worker'), settings, 'worker');
  const apis = await Promise.all(
    Array.from({ length: Math.max(...PROCESSES) }, (_, i) =>
      startService(join(folder, `scale-api-${i}`), settings, 'api'),
    ),
  );
  return { cluster, callers, apis, worker, client: new LoadClient() };
}

function settingsOf(cluster: Cluster): Record<string, string> {
  return {
    NODE_ENV: 'production',
    SECRET_KEY: 'the same for all of them',
    DATABASE_URL: cluster.url,
    RATE_LIMIT_PRODUCTION: '10000',
    WEBHOOK_ALLOW_CIDRS: '127.0.0.0/8',
  };
}

interface Sample {
  readonly perSecond: number;
  readonly p50: number;
  readonly p99: number;
  /** Microseconds of CPU for one request: of all API processes together, and of PostgreSQL. */
  readonly cpu: number;
  readonly database: number;
}

/** In turns, so that whatever else the machine does falls on all of them. */
async function measure(stage: Stage, what: string, work: Work): Promise<Row[]> {
  let first = 0;
  const load = async (count: number, seconds: number): Promise<Sample> => {
    const before = cpu(stage);
    const ports = stage.apis.slice(0, count).map((api) => api.port);
    const { requests, p50, p99, next } = await stage.client.run({
      ports,
      work,
      connections: CONNECTIONS,
      seconds,
      first,
    });
    first = next;
    const after = cpu(stage);
    const [ofApis, ofDatabase] = [after.api - before.api, after.database - before.database];
    return {
      perSecond: requests / seconds,
      p50,
      p99,
      cpu: ofApis / requests,
      database: ofDatabase / requests,
    };
  };
  await load(Math.max(...PROCESSES), WARM_UP_SECONDS);
  const samples = PROCESSES.map((): Sample[] => []);
  for (let round = 0; round < ROUNDS; round++) {
    for (const [i, count] of PROCESSES.entries()) samples[i]!.push(await load(count, SECONDS));
  }
  const [one, ...more] = samples;
  return more.map((ofCount, i) => ({
    what: `${what}, ${PROCESSES[i + 1]} API processes`,
    ours: medianSample(ofCount),
    against: `${what}, 1 API process`,
    reference: medianSample(one!),
    // Of each round for itself: a neighbour that comes and goes falls on whole rounds.
    ratio: median(ofCount.map(({ perSecond }, round) => perSecond / one![round]!.perSecond)),
    target: { atLeast: AT_LEAST },
  }));
}

/** How many bookings a worker completes in a second: those just made, at a time when all of them are over. */
async function complete(stage: Stage): Promise<Row> {
  const { cluster } = stage;
  await tidy(cluster.url);
  return withDatabase(cluster.url, async (ctx) => {
    const later = { ...ctx, clock: { now: () => systemClock.now() + 2 * YEAR_MS } };
    const completeFor = async (seconds: number): Promise<Pick<Sample, 'perSecond' | 'database'>> => {
      const before = cpuOfFamily(cluster.pid());
      const started = performance.now();
      let completed = 0;
      let more = true;
      while (more && performance.now() < started + seconds * 1000) {
        const step = await bookings.completeDue(later);
        completed += step.completed;
        more = step.more;
      }
      const taken = (performance.now() - started) / 1000;
      return { perSecond: completed / taken, database: (cpuOfFamily(cluster.pid()) - before) / completed };
    };
    const [first, second] = [await completeFor(SECONDS / 2), await completeFor(SECONDS / 2)];
    return {
      what: 'bookings completed by one worker',
      ours: second,
      against: 'the first of them',
      reference: first,
      ratio: second.perSecond / first.perSecond,
    };
  });
}

const YEAR_MS = 365 * 86_400_000;

function cpu({ apis, cluster }: Stage): { api: number; database: number } {
  return { api: apis.reduce((sum, api) => sum + api.cpu(), 0), database: cpuOfFamily(cluster.pid()) };
}

function medianSample(samples: readonly Sample[]): Sample {
  const of = (field: keyof Sample): number => median(samples.map((sample) => sample[field]));
  return {
    perSecond: of('perSecond'),
    p50: of('p50'),
    p99: of('p99'),
    cpu: of('cpu'),
    database: of('database'),
  };
}
