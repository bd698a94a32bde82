import * as model from './judge.ts';
import type { Engine } from './generator.ts';
import { asCurl } from './report.ts';
import { playWorld } from './worlds.ts';

// A process that plays one world after another. run.ts starts one for each core: what a world does depends on its seed alone.

export interface Order {
  readonly seed: number;
  readonly operations: number;
  readonly engine: Engine;
  readonly faults: boolean;
}

export interface Result {
  readonly operations: number;
  readonly compared: number;
  readonly digest: string;
  readonly texts: readonly string[];
  /** The last operations before a difference on PostgreSQL. */
  readonly story: readonly string[];
  /** In microseconds, of all threads. */
  readonly cpu: number;
}

const LAST = 30;

process.on('disconnect', () => process.exit());
process.on('message', (order: Order) => {
  playOrder(order).catch((error: unknown) => {
    const texts = [`the service failed: ${String(error)}`];
    process.send?.({ operations: 0, compared: 0, digest: '', texts, story: [], cpu: 0 } satisfies Result);
  });
});

async function playOrder({ seed, operations, ...kind }: Order): Promise<void> {
  const before = process.cpuUsage();
  const { played, steps } = await playWorld(model, seed, operations, kind);
  const { user, system } = process.cpuUsage(before);
  const { difference, ...rest } = played;
  const story =
    difference === undefined || kind.engine === 'sqlite'
      ? []
      : [...asCurl(steps.slice(-LAST)), `Actual: ${JSON.stringify(difference.actual)}`];
  const result: Result = { ...rest, texts: difference?.texts ?? [], story, cpu: user + system };
  process.send?.(result);
}
