import { openContext } from '../test/support/context.ts';
import type { Bench, Place } from './support/bench.ts';
import { addFilledHosts, filledDates, FIRST_FREE_DAY } from '../test/traffic/fill.ts';
import { countCpu } from '../test/traffic/load-client.ts';
import { inTurns } from './support/measure.ts';
import { startReceivers, subscribe, tell } from './support/receiving.ts';
import { rowOf, type Report, type Row } from './support/report.ts';
import type { Figure } from '../test/traffic/figures.ts';
import type { Work } from '../test/traffic/work.ts';
import { datesFrom, type BenchHost } from '../test/traffic/world.ts';

const PROCESSES = [1, 2, 3];
/** So many that nobody reaches a limit, which is counted as in production all the same. */
const HOSTS = 1000;
const STORED = 10_000;
const CONNECTIONS = 48;
const WORKERS = [1, 2, 4];
/** Hosts whose receivers the workers tell. */
const OWNERS = 10;
const RECEIVERS_EACH = 6;
/** Of each of these hosts, to each of its receivers. */
const EVENTS = 100;
const DELIVERIES = OWNERS * RECEIVERS_EACH * EVENTS;
/** A process that has just started compiles its code: 300 µs for a delivery instead of 210. */
const WARM_UP_ROUNDS = 4;
/** Where the machine has no core left for them, more processes must not cost much either. */
const TARGET = { atLeast: 0.8 };
const SETTINGS = {
  NODE_ENV: 'production',
  SECRET_KEY: 'the same for all of them',
  RATE_LIMIT_PRODUCTION: '10000',
  WEBHOOK_ALLOW_CIDRS: '127.0.0.0/8',
};

/**
 * One, two and three API processes beside a worker, all on one PostgreSQL. As long as all of them, the database and
 * the load generator share a few cores, the sum cannot grow; what one request costs each of them tells what more
 * cores would do. Then one, two and four workers alone.
 */
export async function scale(bench: Bench): Promise<Report> {
  const title = `${PROCESSES.join(', ')} API processes and a worker on one PostgreSQL, ${CONNECTIONS} connections`;
  if (!bench.engines.includes('PostgreSQL')) return { title: `${title}: not measured` };
  const place = await bench.newPlace('PostgreSQL');
  const callers = await addFilledHosts(place.url, HOSTS, 1, STORED);
  // All processes run from the beginning; one that is not asked costs nothing.
  const worker = await place.start(SETTINGS, 'worker');
  const apis = await Promise.all(PROCESSES.map(() => place.start(SETTINGS, 'api')));
  const rows: Row[] = [];
  try {
    const read: Work = { kind: 'read', callers, dates: filledDates() };
    const create: Work = { kind: 'create', callers, dates: datesFrom(FIRST_FREE_DAY, 365) };
    for (const [what, work] of Object.entries({ availability: read, 'create booking': create })) {
      const load = (count: number, seconds: number): Promise<Figure> =>
        place.load(apis.slice(0, count), work, CONNECTIONS, seconds);
      await load(apis.length, bench.pace.warmUp * 2);
      const measure = (count: number): Promise<Figure> => load(count, bench.pace.seconds);
      rows.push(...(await againstOne(bench, what, ['API process', 'API processes'], PROCESSES, measure)));
    }
  } finally {
    await Promise.all([...apis, worker].map((server) => server.stop()));
  }
  rows.push(...(await workers(bench, place, callers)));
  return { title, rows };
}

/** Two and more of them, each against one. */
async function againstOne(
  { pace }: Bench,
  what: string,
  [one, many]: [string, string],
  counts: readonly number[],
  measure: (count: number) => Promise<Figure>,
): Promise<Row[]> {
  const sides = counts.map((count) => async () => ({ [what]: await measure(count) }));
  const [ofOne, ...ofMore] = await inTurns(pace.rounds, sides);
  return ofMore.map((figures, i) => {
    const ours = [`${what}, ${counts[i + 1]} ${many}`, figures[what]!] as const;
    return rowOf('perSecond', ours, [`${what}, 1 ${one}`, ofOne![what]!], { target: TARGET });
  });
}

/**
 * How many deliveries one, two and four workers send in a second, when all of them are due at once. All processes run from
 * the beginning, so that all are warm; those that are not wanted stand still.
 */
async function workers(bench: Bench, place: Place, hosts: readonly BenchHost[]): Promise<Row[]> {
  const owners = hosts.slice(0, OWNERS);
  const receivers = await startReceivers(OWNERS * RECEIVERS_EACH);
  const ctx = openContext({ DATABASE_URL: place.url, ...SETTINGS });
  const started = await Promise.all(
    Array.from({ length: Math.max(...WORKERS) }, () => place.start(SETTINGS, 'worker')),
  );
  const deliver = async (count: number): Promise<Figure> => {
    for (const worker of started) worker.signal('SIGSTOP');
    await tell(ctx, owners, Array<string>(EVENTS).fill('bench'));
    const awake = started.slice(0, count);
    const cpuEach = countCpu(awake, place.databaseCpu);
    for (const worker of awake) worker.signal('SIGCONT');
    const times = (await receivers.next(DELIVERIES)).map(([, at]) => at);
    const ms = Math.max(...times) - Math.min(...times);
    return { perSecond: (DELIVERIES * 1000) / ms, ...cpuEach(DELIVERIES) };
  };
  try {
    for (const [i, port] of receivers.healthy.entries()) await subscribe(ctx, owners[i % OWNERS]!, port);
    for (let round = 0; round < WARM_UP_ROUNDS; round++) await deliver(started.length);
    return await againstOne(bench, 'webhooks', ['worker', 'workers'], WORKERS, deliver);
  } finally {
    receivers.stop();
    for (const worker of started) worker.signal('SIGCONT');
    await Promise.all([ctx.db.close(), ...started.map((worker) => worker.stop())]);
  }
}
