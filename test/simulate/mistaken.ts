import assert from 'node:assert/strict';
import type { Actual, Operation } from './operation.ts';
import { play } from './play.ts';
import { asCurl, asTest } from './report.ts';
import { playWorld, shortest } from './worlds.ts';

// A simulation with a model that is wrong: the difference is reduced to the shortest sequence that shows it. A process of its own,
// since a simulation replaces clock, randomness and network of its whole process.

/** Believes that two bookings may have the same hour. */
const mistaken = {
  newWorld: () => undefined,
  step: (_world: undefined, operation: Operation) => operation,
  compare: (_world: undefined, operation: Operation, { response }: Actual) => {
    const { error } = (response?.body ?? {}) as { error?: { code: string } };
    const isOrdinary = operation.kind === 'request' && operation.body?.includes('sandbox.test') === false;
    return isOrdinary && error?.code === 'BOOKING_CONFLICT' ? [`status 200 ≠ ${response!.status}`] : [];
  },
};

const { played, steps, setting } = await playWorld(mistaken, 11, 500);
assert.ok(played.difference !== undefined);
const found = await shortest(mistaken, setting, steps, played.difference.texts);
assert.ok(found.steps.length <= 8, `${found.steps.length} steps`);
for (const step of found.steps) {
  const others = found.steps.filter((other) => other !== step);
  assert.equal((await play(mistaken, setting, others)).difference, undefined, JSON.stringify(step));
}
process.stdout.write(`${[...asCurl(found.steps), ...asTest(found, found.steps)].join('\n')}\n`);
