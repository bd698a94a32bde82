import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Context } from '../src/context.ts';
import { migrate } from '../src/db/migrate.ts';
import * as events from '../src/events/events.ts';
import { systemClock } from '../src/time/clock.ts';
import * as webhooks from '../src/webhooks/webhooks.ts';
import { startDeliveries } from '../src/worker/deliver.ts';
import { startCluster } from '../test/support/cluster.ts';
import { openContext } from '../test/support/context.ts';
import type { Receipt, Receivers } from './receivers.ts';
import { cpuOf, cpuOfFamily } from './support/cpu.ts';
import { format, type Report, type Row } from './support/report.ts';
import { addHosts, type BenchHost } from './support/world.ts';
import { operator } from '../test/support/operator.ts';

// node bench/webhooks.ts [events]: how fast deliveries go out, and whether bad receivers slow down good ones.
// The sender is one process, as in `hourkeep serve`; the receivers are another.

const HEALTHY = 20;
const WRITERS = 8;
const PINGS = 200;
const TURNS = 10;
const DONE_WITHIN_MS = 180_000;

export async function webhooksBench(eventCount = 1000): Promise<Report> {
  const rows: Row[] = [];
  const folder = mkdtempSync(join(tmpdir(), 'hourkeep-bench-'));
  const file = `sqlite:${join(folder, 'bench.db')}`;
  rows.push(...(await benchEngine(file, eventCount).finally(() => rmSync(folder, { recursive: true }))));
  const cluster = await startCluster({ fsync: 'on' });
  if (cluster !== undefined) {
    rows.push(
      ...(await benchEngine(cluster.url, eventCount, () => cpuOfFamily(cluster.pid())).finally(() =>
        cluster.stop(),
      )),
    );
  }
  return { title: `Webhooks, ${eventCount} events to each of ${HEALTHY} receivers`, rows };
}

async function benchEngine(
  databaseUrl: string,
  eventCount: number,
  databaseCpu: () => number = () => 0,
): Promise<Row[]> {
  const ctx = openContext({ DATABASE_URL: databaseUrl });
  const child = fork(new URL('receivers.ts', import.meta.url), [String(HEALTHY)]);
  const [receivers] = (await once(child, 'message')) as [Receivers];
  try {
    await migrate(ctx.db, systemClock);
    const [good, bad, lone] = (await addHosts(ctx, 3, 0)) as [BenchHost, BenchHost, BenchHost];
    for (const port of receivers.healthy.slice(1)) await subscribe(ctx, good, port);
    await subscribe(ctx, lone, receivers.healthy[0]!);
    const worker = startDeliveries(ctx);

    const pings = await measure(ctx, child, [lone], PINGS, 1, 1);
    await subscribe(ctx, good, receivers.healthy[0]!);
    const badOnes = [
      await subscribe(ctx, bad, receivers.hanging),
      await subscribe(ctx, bad, receivers.refusing),
    ];
    // In turns: whatever else the machine is doing slows down both alike.
    const cpu = { own: 0, database: 0 };
    const alone: Measured[] = [];
    const beside: Measured[] = [];
    for (let turn = 0; turn < TURNS; turn++) {
      for (const [measured, is_active] of [
        [alone, false],
        [beside, true],
      ] as const) {
        for (const id of badOnes) await webhooks.update(ctx, { actor: operator, ...bad }, id, { is_active });
        const before = { own: cpuOf(process.pid), database: databaseCpu() };
        measured.push(await measure(ctx, child, [good, bad], eventCount / TURNS, WRITERS, HEALTHY));
        if (is_active) continue;
        cpu.own += cpuOf(process.pid) - before.own;
        cpu.database += databaseCpu() - before.database;
      }
    }
    await worker.stop(0);
    const [p95Alone, p95Beside] = [quantile(alone, 0.95), quantile(beside, 0.95)];
    const seconds = alone.reduce((sum, { milliseconds }) => sum + milliseconds, 0) / 1000;
    const [single, burst] = [[pings], alone].map((measured) => ({
      p50: quantile(measured, 0.5),
      p99: quantile(measured, 0.99),
    })) as [Latency, Latency];
    return [
      {
        what: `${ctx.db.engine}, p95 beside a receiver that hangs and one that refuses`,
        ours: { ms: p95Beside },
        against: 'p95 without them',
        reference: { ms: p95Alone },
        ratio: p95Beside / p95Alone,
        target: { below: 1.5 },
      },
      {
        what: `${ctx.db.engine}, a lone event from commit to receipt`,
        ours: single,
        against: 'all of them at once',
        reference: {
          perSecond: (eventCount * HEALTHY) / seconds,
          ...burst,
          // With what it costs to write the events.
          cpu: cpu.own / (eventCount * HEALTHY),
          ...(ctx.db.engine === 'postgres' && { database: cpu.database / (eventCount * HEALTHY) }),
        },
        ratio: single.p50 / burst.p50,
      },
    ];
  } finally {
    child.send('end');
    await ctx.db.close();
  }
}

interface Latency {
  p50: number;
  p99: number;
}

interface Measured {
  /** From each event's commit to each of its receipts. */
  latencies: number[];
  /** From the first commit to the last receipt. */
  milliseconds: number;
}

function quantile(measured: readonly Measured[], part: number): number {
  const sorted = measured.flatMap(({ latencies }) => latencies).sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length * part)] ?? NaN;
}

/** Writes events of these hosts as fast as `writers` can, and waits until every receiver has them all. */
async function measure(
  ctx: Context,
  child: ChildProcess,
  owners: readonly events.EventOwner[],
  eventCount: number,
  writers: number,
  receiverCount: number,
): Promise<Measured> {
  const run = Math.random().toString(36).slice(2);
  const committed = new Map<string, number>();
  const startedAt = now();
  let next = 0;
  const write = async (): Promise<void> => {
    while (next < eventCount) {
      const mark = `${run}-${next++}`;
      const day = { spaceId: mark, date: '2027-01-01' };
      await ctx.db.transaction(async (tx) => {
        for (const owner of owners) {
          await events.append(
            tx,
            ctx.clock.now(),
            owner,
            events.availabilityChanged(day, [1], 'block_created'),
          );
        }
      });
      committed.set(mark, now());
      // One at a time: the next when this one has arrived.
      if (writers === 1) await arrived(child, committed.size);
    }
  };
  await Promise.all(Array.from({ length: writers }, write));
  await arrived(child, eventCount * receiverCount);
  const receipts = await ask<Receipt[]>(child, 'receipts');
  return {
    latencies: receipts.map(([, mark, at]) => Math.max(0, at - (committed.get(mark) ?? at))),
    milliseconds: Math.max(...receipts.map(([, , at]) => at)) - startedAt,
  };
}

async function arrived(child: ChildProcess, count: number): Promise<void> {
  const deadline = now() + DONE_WITHIN_MS;
  while ((await ask<number>(child, 'count')) < count) {
    if (now() > deadline) throw new Error(`not all of ${count} deliveries arrived in time`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

async function ask<T>(child: ChildProcess, question: string): Promise<T> {
  const answer = once(child, 'message');
  child.send(question);
  const [value] = (await answer) as [T];
  return value;
}

function now(): number {
  return performance.timeOrigin + performance.now();
}

async function subscribe(ctx: Context, owner: events.EventOwner, port: number): Promise<string> {
  const wanted = { url: `http://127.0.0.1:${port}/`, events: ['availability.changed' as const] };
  return (await webhooks.create(ctx, { actor: operator, ...owner }, wanted)).id;
}

if (import.meta.main) {
  process.stdout.write(`${format([await webhooksBench(Number(process.argv[2] ?? 1000))])}\n`);
}
