import { hash } from 'node:crypto';
import { parseArgs } from 'node:util';
import * as model from '../model/model.ts';
import { asCurl, asTest } from './report.ts';
import { playWorld, seedOf, shortest, WORLD_OPERATIONS } from './worlds.ts';

const USAGE = 'usage: npm run simulate -- --operations N --seed S [--engine sqlite]';

process.exitCode = await main();

async function main(): Promise<number> {
  const { operations, seed, problem } = readArguments();
  if (problem !== undefined) {
    console.error(problem);
    return 2;
  }
  const startedAt = performance.now();
  const startedCpu = process.cpuUsage();
  let digest = '';
  let compared = 0;
  for (let done = 0, world = 0; done < operations; done += WORLD_OPERATIONS, world++) {
    const most = Math.min(WORLD_OPERATIONS, operations - done);
    const { played, steps, setting } = await playWorld(model, seedOf(seed, world), most);
    compared += played.compared;
    digest = hash('sha256', digest + played.digest, 'hex');
    if (played.difference === undefined) continue;
    console.log(
      `A difference after ${done + played.operations} operations with seed ${seed}. Looking for the shortest sequence.`,
    );
    const found = await shortest(model, setting, steps, played.difference.texts);
    const lines = [
      ...found.texts.slice(0, 20),
      `Actual: ${JSON.stringify(found.actual)}`,
      '',
      ...asCurl(found.steps),
      '',
      ...asTest(found, found.steps),
      '',
      `${done + played.operations} operations, ${compared} compared, 1 difference, seed ${seed}, shortest sequence ${found.steps.length} operations`,
    ];
    console.log(lines.join('\n'));
    return 1;
  }
  const seconds = (performance.now() - startedAt) / 1000;
  const { user, system } = process.cpuUsage(startedCpu);
  const each = Math.round((user + system) / operations);
  console.log(`${Math.round(operations / seconds)} operations a second, ${each} µs of CPU time each`);
  console.log(`${operations} operations, ${compared} compared, 0 differences, digest ${digest.slice(0, 32)}`);
  return 0;
}

function readArguments(): { operations: number; seed: number; problem?: string } {
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
    return { operations, seed, ...problemOf(values.engine, values.faults, operations, seed) };
  } catch (error) {
    return { operations: 0, seed: 0, problem: `${(error as Error).message}\n${USAGE}` };
  }
}

function problemOf(engine: string, faults: boolean, operations: number, seed: number): { problem?: string } {
  if (engine === 'postgres')
    return { problem: 'The simulation runs on SQLite only so far: leave --engine postgres out.' };
  if (engine !== 'sqlite') return { problem: `--engine must be sqlite or postgres\n${USAGE}` };
  if (faults) return { problem: 'The simulation has no faults so far: leave --faults out.' };
  if (!Number.isInteger(operations) || operations < 1)
    return { problem: `--operations must be a whole number from 1\n${USAGE}` };
  if (!Number.isInteger(seed) || seed < 0)
    return { problem: `--seed must be a whole number from 0\n${USAGE}` };
  return {};
}
