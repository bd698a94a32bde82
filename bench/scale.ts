import * as bookings from '../src/bookings/bookings.ts';
import { systemClock } from '../src/time/clock.ts';
import type { Bench, Place } from './support/bench.ts';
import { addFilledHosts, filledDates, FIRST_FREE_DAY, tidy } from './support/fill.ts';
import type { Figure } from './support/measure.ts';
import type { Report, Row } from './support/report.ts';
import type { Server } from './support/servers.ts';
import { inTurns, rowOf } from './support/turns.ts';
import type { Work } from './support/work.ts';
import { datesFrom, withDatabase } from './support/world.ts';
import { workers } from './workers.ts';

const PROCESSES = [1, 2, 3];
/** So many that nobody reaches a limit, which is counted as in production all the same. */
const HOSTS = 1000;
const STORED = 10_000;
const CONNECTIONS = 48;
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
    rows.push(...(await processes(bench, place, apis, 'availability', read)));
    rows.push(...(await processes(bench, place, apis, 'create booking', create)));
    rows.push(await complete(bench, place));
  } finally {
    await Promise.all([...apis, worker].map((server) => server.stop()));
  }
  rows.push(...(await workers(bench, place, callers, SETTINGS)));
  return { title, rows };
}

async function processes(
  { pace }: Bench,
  place: Place,
  apis: readonly Server[],
  what: string,
  work: Work,
): Promise<Row[]> {
  // All of them share it.
  await place.load(apis, work, CONNECTIONS, pace.warmUp * 2);
  const sideOf = (count: number) => async (): Promise<{ load: Figure }> => ({
    load: await place.load(apis.slice(0, count), work, CONNECTIONS, pace.seconds),
  });
  const [one, ...more] = await inTurns(pace.rounds, PROCESSES.map(sideOf));
  return more.map(({ load }, i) => {
    const ours = `${what}, ${PROCESSES[i + 1]} API processes`;
    return rowOf('perSecond', [ours, load!], [`${what}, 1 API process`, one!['load']!], { target: TARGET });
  });
}

/** How many bookings a worker completes in a second: those just made, at a time when all of them are over. */
async function complete({ pace }: Bench, { url, databaseCpu }: Place): Promise<Row> {
  await tidy(url);
  return withDatabase(url, async (ctx) => {
    const later = { ...ctx, clock: { now: () => systemClock.now() + 2 * YEAR_MS } };
    const completeFor = async (seconds: number): Promise<Figure> => {
      const before = databaseCpu();
      const started = performance.now();
      let [completed, more] = [0, true];
      while (more && performance.now() < started + seconds * 1000) {
        const step = await bookings.completeDue(later);
        completed += step.completed;
        more = step.more;
      }
      const taken = (performance.now() - started) / 1000;
      return { perSecond: completed / taken, database: (databaseCpu() - before) / completed };
    };
    const first = await completeFor(pace.seconds / 2);
    const ours = await completeFor(pace.seconds / 2);
    return rowOf('perSecond', ['bookings completed by one worker', [ours]], ['the first of them', [first]]);
  });
}

const YEAR_MS = 365 * 86_400_000;
