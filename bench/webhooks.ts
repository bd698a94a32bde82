import * as subscriptions from '../src/webhooks/webhooks.ts';
import { startDeliveries } from '../src/worker/deliver.ts';
import { operator } from '../test/support/operator.ts';
import type { Bench, Place } from './support/bench.ts';
import { countCpu } from '../test/traffic/load-client.ts';
import { inTurns } from './support/measure.ts';
import { startReceivers, subscribe, tell, type Receivers } from './support/receiving.ts';
import { quantile, type Figure } from '../test/traffic/figures.ts';
import { rowOf, type Report, type Row } from './support/report.ts';
import { addHosts, withDatabase, type BenchHost } from '../test/traffic/world.ts';

const RECEIVERS = 20;
const WRITERS = 8;
const TURNS = 10;
/** In all turns together. */
const EVENTS = 1000;
const LONE_EVENTS = 200;
/** In a turn. */
const DELIVERIES = (EVENTS / TURNS) * RECEIVERS;

/** How fast deliveries go out, and whether bad receivers slow down good ones. The sender is one process, as in `hourkeep serve`. */
export async function webhooks(bench: Bench): Promise<Report> {
  const rows: Row[] = [];
  for (const engine of bench.engines) {
    const receivers = await startReceivers(RECEIVERS);
    rows.push(...(await onEngine(await bench.newPlace(engine), receivers).finally(() => receivers.stop())));
  }
  return { title: `Webhooks, ${EVENTS} events to each of ${RECEIVERS} receivers`, rows };
}

async function onEngine({ url, databaseCpu }: Place, receivers: Receivers): Promise<Row[]> {
  return withDatabase(url, async (ctx) => {
    const { healthy, hanging, refusing } = receivers;
    const [good, bad, lone] = (await addHosts(ctx, 3, 0)) as [BenchHost, BenchHost, BenchHost];
    for (const port of healthy) await subscribe(ctx, good, port);
    await subscribe(ctx, lone, healthy[0]!);
    const badOnes = [await subscribe(ctx, bad, hanging), await subscribe(ctx, bad, refusing)];
    const worker = startDeliveries(ctx);
    let marks = 0;
    /** When it was committed. */
    const write = async (owners: readonly BenchHost[], mark: string): Promise<number> => {
      await tell(ctx, owners, [mark]);
      return performance.timeOrigin + performance.now();
    };
    const toAll = async (is_active: boolean) => {
      for (const id of badOnes)
        await subscriptions.update(ctx, { actor: operator, ...bad }, id, { is_active });
      // With what it costs to write the events.
      const cpuEach = countCpu([process], databaseCpu);
      const committed = new Map<string, number>();
      const last = marks + EVENTS / TURNS;
      const writer = async (): Promise<void> => {
        while (marks < last) {
          const mark = String(marks++);
          committed.set(mark, await write([good, bad], mark));
        }
      };
      const startedAt = performance.timeOrigin + performance.now();
      await Promise.all(Array.from({ length: WRITERS }, writer));
      const receipts = await receivers.next(DELIVERIES);
      const seconds = (Math.max(...receipts.map(([, at]) => at)) - startedAt) / 1000;
      const cpu = cpuEach(DELIVERIES);
      const { all, p95 } = quantiles(receipts.map(([mark, at]) => at - (committed.get(mark) ?? at)));
      return { all: { ...all, perSecond: DELIVERIES / seconds, ...cpu }, p95 };
    };
    const oneByOne = async () => {
      const latencies: number[] = [];
      for (let i = 0; i < LONE_EVENTS / TURNS; i++) {
        const committedAt = await write([lone], String(marks++));
        const [receipt] = await receivers.next(1);
        latencies.push(receipt![1] - committedAt);
      }
      return quantiles(latencies);
    };
    const [without, beside, alone] = await inTurns(TURNS, [() => toAll(false), () => toAll(true), oneByOne]);
    await worker.stop(0);
    const { engine } = ctx.db;
    const bad95 = `${engine}, p95 beside a receiver that hangs and one that refuses`;
    const loneEvent = `${engine}, a lone event from commit to receipt`;
    const target = { below: 1.5 };
    return [
      rowOf('ms', [bad95, beside!['p95']!], ['p95 without them', without!['p95']!], { target }),
      rowOf('ms', [loneEvent, alone!['all']!], ['all of them at once', without!['all']!]),
    ];
  });
}

/** A receipt may be there before the commit is known here. */
function quantiles(latencies: readonly number[]): { all: Figure; p95: Figure } {
  const of = (part: number): number => Math.max(0, quantile(latencies, part));
  return { all: { ms: of(0.5), p99: of(0.99) }, p95: { ms: of(0.95) } };
}
