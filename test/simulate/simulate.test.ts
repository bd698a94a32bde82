import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Actual, Operation } from '../model/operation.ts';
import { asCurl, asTest } from './report.ts';
import { shrink } from './shrink.ts';
import { playWorld, shortest } from './worlds.ts';

/** Judges by a rule about the present operation alone. */
const judge = (differences: (actual: Actual, operation: Operation) => string[]) => ({
  newWorld: () => undefined,
  step: (_world: undefined, operation: Operation) => operation,
  compare: (_world: undefined, operation: Operation, actual: Actual) => differences(actual, operation),
});

const lenient = judge(() => []);
/** Is wrong: two bookings of one hour would have to be possible. */
const wrong = judge(({ response }, operation) => {
  const { error } = (response?.body ?? {}) as { error?: { code: string } };
  const isApi = operation.kind === 'request' && operation.body?.includes('sandbox.test') === false;
  return isApi && error?.code === 'BOOKING_CONFLICT' ? [`expected 200, got ${error.code}`] : [];
});

describe('a simulation', () => {
  test('does the same operations with the same results for the same seed, and others for another', async () => {
    const digests: string[] = [];
    for (const seed of [7, 8, 7]) digests.push((await playWorld(lenient, seed, 150)).played.digest);
    assert.equal(digests[0], digests[2]);
    assert.notEqual(digests[0], digests[1]);
  });

  test('reduces a difference to the shortest sequence that shows it', async () => {
    const { played, steps, setting } = await playWorld(wrong, 11, 1000);
    assert.ok(played.difference !== undefined);
    const found = await shortest(wrong, setting, steps, played.difference.texts);
    const kinds = found.steps.map(({ operation }) =>
      operation.kind === 'command' ? operation.argv[0] : operation.kind,
    );
    assert.deepEqual(kinds, ['host', 'space', 'key', 'request', 'request']);
    const lines = asCurl(found.steps);
    assert.equal(lines.filter((line) => line.includes('=$(curl ')).length, 2);
    assert.match(lines.join('\n'), /\$\(jq -r '\.key' <<<"\$S\d+"\)/);
    assert.match(asTest(found, found.steps).join('\n'), /assertAgrees/);
  });
});

describe('shrinking', () => {
  test('leaves only what is needed, in its order', async () => {
    const all = Array.from({ length: 200 }, (_, i) => i);
    let tries = 0;
    const left = await shrink(all, async (some) => {
      tries++;
      return [3, 77, 78, 191].every((needed) => some.includes(needed));
    });
    assert.deepEqual(left, [3, 77, 78, 191]);
    assert.ok(tries < 200, `${tries} tries`);
  });
});
