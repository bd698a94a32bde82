import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Context } from '../src/context.ts';
import * as events from '../src/events/events.ts';
import * as webhooks from '../src/webhooks/webhooks.ts';
import type { Cluster } from '../test/support/cluster.ts';
import { openContext } from '../test/support/context.ts';
import { operator } from '../test/support/operator.ts';
import type { Receipt, Receivers } from './receivers.ts';
import { cpuOfFamily } from './support/cpu.ts';
import { median } from './support/measure.ts';
import type { Row } from './support/report.ts';
import { startService, type Server } from './support/servers.ts';
import type { BenchHost } from './support/world.ts';

const WORKERS = [1, 2, 4];
const HOSTS = 10;
const RECEIVERS_EACH = 6;
/** Of each host, to each of its receivers. */
const EVENTS = 100;
const DELIVERIES = HOSTS * RECEIVERS_EACH * EVENTS;
const ROUNDS = 3;
/** A process that has just started compiles its code: 300 µs for a delivery instead of 210. */
const WARM_UP_ROUNDS = 4;
/** Where the machine has no core left for them, more workers must not cost much either. */
const AT_LEAST = 0.8;

interface Sample {
  readonly perSecond: number;
  /** Microseconds of CPU for one delivery: of all workers together, and of PostgreSQL. */
  readonly cpu: number;
  readonly database: number;
}

/**
 * How many deliveries one, two and four workers send in a second, when all of them are due at once. All processes run from
 * the beginning, so that all are warm; those that are not wanted stand still.
 */
export async function workers(
  cluster: Cluster,
  owners: readonly BenchHost[],
  folder: string,
  settings: Record<string, string>,
): Promise<Row[]> {
  const child = fork(new URL('receivers.ts', import.meta.url), [String(HOSTS * RECEIVERS_EACH)]);
  const [receivers] = (await once(child, 'message')) as [Receivers];
  const ctx = openContext(settings);
  const started = await startWorkers(Math.max(...WORKERS), folder, settings);
  try {
    for (const [i, port] of receivers.healthy.entries()) {
      const wanted = { url: `http://127.0.0.1:${port}/`, events: ['availability.changed' as const] };
      await webhooks.create(ctx, { actor: operator, ...owners[i % HOSTS]! }, wanted);
    }
    for (let round = 0; round < WARM_UP_ROUNDS; round++) await measure(ctx, cluster, owners, child, started);
    const samples = WORKERS.map((): Sample[] => []);
    for (let round = 0; round < ROUNDS; round++) {
      for (const [i, count] of WORKERS.entries()) {
        const frozen = started.slice(count);
        for (const worker of frozen) worker.signal('SIGSTOP');
        samples[i]!.push(await measure(ctx, cluster, owners, child, started.slice(0, count)));
        for (const worker of frozen) worker.signal('SIGCONT');
      }
    }
    return rowsOf(samples);
  } finally {
    child.send('end');
    await Promise.all([ctx.db.close(), ...started.map((worker) => worker.stop())]);
  }
}

async function startWorkers(
  count: number,
  folder: string,
  settings: Record<string, string>,
): Promise<Server[]> {
  return Promise.all(
    Array.from({ length: count }, (_, i) => startService(join(folder, `worker-${i}`), settings, 'worker')),
  );
}

/** From the first receipt to the last. */
async function measure(
  ctx: Context,
  cluster: Cluster,
  owners: readonly BenchHost[],
  child: ChildProcess,
  started: readonly Server[],
): Promise<Sample> {
  const cpu = (): number => started.reduce((sum, worker) => sum + worker.cpu(), 0);
  const before = cpu();
  await queueAll(ctx, owners);
  const databaseBefore = cpuOfFamily(cluster.pid());
  while ((await ask<number>(child, 'count')) < DELIVERIES) await delay(20);
  const at = (await ask<Receipt[]>(child, 'receipts')).map(([, , receivedAt]) => receivedAt);
  return {
    perSecond: (DELIVERIES * 1000) / (Math.max(...at) - Math.min(...at)),
    cpu: (cpu() - before) / DELIVERIES,
    database: (cpuOfFamily(cluster.pid()) - databaseBefore) / DELIVERIES,
  };
}

/** In one transaction, so that all of it is there at once. */
async function queueAll(ctx: Context, owners: readonly BenchHost[]): Promise<void> {
  const day = { spaceId: 'bench', date: '2027-01-01' };
  await ctx.db.transaction(async (tx) => {
    for (let i = 0; i < EVENTS; i++) {
      const happened = events.availabilityChanged(day, [1], 'block_created');
      await Promise.all(
        owners.slice(0, HOSTS).map((owner) => events.append(tx, ctx.clock.now(), owner, happened)),
      );
    }
  });
}

async function ask<T>(child: ChildProcess, question: string): Promise<T> {
  const answer = once(child, 'message');
  child.send(question);
  const [value] = (await answer) as [T];
  return value;
}

function rowsOf([one, ...more]: readonly (readonly Sample[])[]): Row[] {
  return more.map((samples, i) => ({
    what: `webhooks, ${WORKERS[i + 1]} workers`,
    ours: medianOf(samples),
    against: 'webhooks, 1 worker',
    reference: medianOf(one!),
    // Of each round for itself: a neighbour that comes and goes falls on whole rounds.
    ratio: median(samples.map(({ perSecond }, round) => perSecond / one![round]!.perSecond)),
    target: { atLeast: AT_LEAST },
  }));
}

function medianOf(samples: readonly Sample[]): Sample {
  const of = (field: keyof Sample): number => median(samples.map((sample) => sample[field]));
  return { perSecond: of('perSecond'), cpu: of('cpu'), database: of('database') };
}
