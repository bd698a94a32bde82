import { hash } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { Engine } from './generator.ts';
import { Player } from './player.ts';
import type { Order, Result } from './process.ts';

const USAGE = 'usage: npm run simulate -- --operations N --seed S [--engine sqlite|postgres] [--faults]';
/** A run is cut into worlds of so many operations, each on an empty database: so neither the service nor the model slows down. */
const WORLD_OPERATIONS = 2500;

process.exitCode = await main();

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

async function main(): Promise<number> {
  const { operations, seed, engine, faults, problem } = readArguments();
  if (problem !== undefined) {
    process.stderr.write(`${problem}\n`);
    return 2;
  }
  const startedAt = performance.now();
  const orders = Array.from({ length: Math.ceil(operations / WORLD_OPERATIONS) }, (_, world) => ({
    seed: seedOf(seed, world),
    operations: Math.min(WORLD_OPERATIONS, operations - world * WORLD_OPERATIONS),
    engine,
    faults,
  }));
  const { DATABASE_URL } = process.env;
  if (DATABASE_URL !== undefined) process.env['SIMULATE_POSTGRES'] = DATABASE_URL;
  const results = await playAll(orders);
  const sum = (of: (result: Result) => number): number =>
    results.reduce((total, result) => total + of(result), 0);
  const done = sum((result) => result.operations);
  const compared = sum((result) => result.compared);
  const perSecond = Math.round(done / ((performance.now() - startedAt) / 1000));
  print(`${perSecond} operations a second, ${Math.round(sum(({ cpu }) => cpu) / done)} µs of CPU time each`);
  const failed = results.findIndex(({ texts }) => texts.length > 0);
  if (failed === -1) {
    const digest = hash('sha256', results.map((result) => result.digest).join('\n'), 'hex').slice(0, 32);
    print(`${done} operations, ${compared} compared, 0 differences, digest ${digest}`);
    return 0;
  }
  const { texts, story } = results[failed]!;
  const looking = engine === 'sqlite' ? ': looking for the shortest sequence' : '';
  print(`${done} operations, ${compared} compared, 1 difference, seed ${seed}${looking}`);
  print([...texts.slice(0, 20), ...story].join('\n'));
  // Who is first on PostgreSQL differs from run to run: there are only the last operations.
  if (engine === 'sqlite')
    print((await (await import('./shortest.ts')).findShortest(orders[failed]!)).join('\n'));
  print(`seed ${seed}`);
  return 1;
}

/** Until all are played or one has a difference; results are in the order of the worlds, whichever process was faster. */
async function playAll(orders: readonly Order[]): Promise<Result[]> {
  const results: Result[] = [];
  let next = 0;
  let failedAt = Infinity;
  const players = Array.from({ length: Math.min(availableParallelism(), orders.length) }, async () => {
    using player = new Player(join(import.meta.dirname, '../..'));
    // A world before the one with a difference is played to its end: the first difference is the same in every run.
    while (next < Math.min(orders.length, failedAt)) {
      const world = next++;
      const result = await player.play(orders[world]!);
      results[world] = result;
      if (result.texts.length > 0) failedAt = Math.min(failedAt, world);
    }
  });
  await Promise.all(players);
  return results.slice(0, failedAt + 1);
}

/** Of one world of a run. Neighbouring numbers must not give neighbouring worlds. */
function seedOf(seed: number, world: number): number {
  return Number.parseInt(hash('sha256', `${seed} ${world}`, 'hex').slice(0, 8), 16);
}

function readArguments(): {
  operations: number;
  seed: number;
  engine: Engine;
  faults: boolean;
  problem?: string;
} {
  try {
    const { values } = parseArgs({
      options: {
        operations: { type: 'string', default: '100000' },
        seed: { type: 'string', default: '1' },
        engine: { type: 'string', default: 'sqlite' },
        faults: { type: 'boolean', default: false },
      },
    });
    const [operations, seed] = [Number(values.operations), Number(values.seed)];
    const { faults } = values;
    const engine = values.engine as Engine;
    return { operations, seed, engine, faults, ...problemOf(engine, operations, seed) };
  } catch (error) {
    return {
      operations: 0,
      seed: 0,
      engine: 'sqlite',
      faults: false,
      problem: `${(error as Error).message}\n${USAGE}`,
    };
  }
}

function problemOf(engine: string, operations: number, seed: number): { problem?: string } {
  if (engine !== 'sqlite' && engine !== 'postgres')
    return { problem: `--engine must be sqlite or postgres\n${USAGE}` };
  if (!Number.isInteger(operations) || operations < 1)
    return { problem: `--operations must be a whole number from 1\n${USAGE}` };
  if (!Number.isInteger(seed) || seed < 0)
    return { problem: `--seed must be a whole number from 0\n${USAGE}` };
  return {};
}
