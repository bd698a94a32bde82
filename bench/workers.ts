import { openContext } from '../test/support/context.ts';
import type { Bench, Place } from './support/bench.ts';
import type { Figure } from './support/measure.ts';
import { startReceivers, subscribe, tell } from './support/receiving.ts';
import type { Row } from './support/report.ts';
import { inTurns, rowOf } from './support/turns.ts';
import type { BenchHost } from './support/world.ts';

const WORKERS = [1, 2, 4];
const HOSTS = 10;
const RECEIVERS_EACH = 6;
/** Of each host, to each of its receivers. */
const EVENTS = 100;
const DELIVERIES = HOSTS * RECEIVERS_EACH * EVENTS;
/** A process that has just started compiles its code: 300 µs for a delivery instead of 210. */
const WARM_UP_ROUNDS = 4;
/** Where the machine has no core left for them, more workers must not cost much either. */
const TARGET = { atLeast: 0.8 };

/**
 * How many deliveries one, two and four workers send in a second, when all of them are due at once. All processes run from
 * the beginning, so that all are warm; those that are not wanted stand still.
 */
export async function workers(
  { pace }: Bench,
  place: Place,
  hosts: readonly BenchHost[],
  settings: Record<string, string>,
): Promise<Row[]> {
  const owners = hosts.slice(0, HOSTS);
  const receivers = await startReceivers(HOSTS * RECEIVERS_EACH);
  const ctx = openContext({ DATABASE_URL: place.url, ...settings });
  const started = await Promise.all(
    Array.from({ length: Math.max(...WORKERS) }, () => place.start(settings, 'worker')),
  );
  const deliver = async (count: number): Promise<Figure> => {
    for (const worker of started) worker.signal('SIGSTOP');
    await tell(ctx, owners, Array<string>(EVENTS).fill('bench'));
    const awake = started.slice(0, count);
    const cpu = (): number => awake.reduce((sum, worker) => sum + worker.cpu(), 0);
    const before = { workers: cpu(), database: place.databaseCpu() };
    for (const worker of awake) worker.signal('SIGCONT');
    const times = (await receivers.next(DELIVERIES)).map(([, at]) => at);
    return {
      perSecond: (DELIVERIES * 1000) / (Math.max(...times) - Math.min(...times)),
      cpu: (cpu() - before.workers) / DELIVERIES,
      database: (place.databaseCpu() - before.database) / DELIVERIES,
    };
  };
  try {
    for (const [i, port] of receivers.healthy.entries()) await subscribe(ctx, owners[i % HOSTS]!, port);
    for (let round = 0; round < WARM_UP_ROUNDS; round++) await deliver(started.length);
    const sides = WORKERS.map((count) => async () => ({ webhooks: await deliver(count) }));
    const [one, ...more] = await inTurns(pace.rounds, sides);
    return more.map(({ webhooks }, i) => {
      const ours = `webhooks, ${WORKERS[i + 1]} workers`;
      return rowOf('perSecond', [ours, webhooks!], ['webhooks, 1 worker', one!['webhooks']!], {
        target: TARGET,
      });
    });
  } finally {
    receivers.stop();
    for (const worker of started) worker.signal('SIGCONT');
    await Promise.all([ctx.db.close(), ...started.map((worker) => worker.stop())]);
  }
}
