import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import * as model from '../model/model.ts';
import type { Actual, Operation } from '../model/operation.ts';
import { play } from './play.ts';
import { asCurl, asTest } from './report.ts';
import { shrink } from './shrink.ts';
import { playWorld, shortest } from './worlds.ts';

describe('a simulation', () => {
  test('agrees with the model of the contract, and gives the same digest for the same seed', async () => {
    const digests: string[] = [];
    for (const seed of [7, 8, 7]) {
      const { played } = await playWorld(model, seed, 250);
      assert.deepEqual(played.difference?.texts ?? [], []);
      digests.push(played.digest);
    }
    assert.equal(digests[0], digests[2]);
    assert.notEqual(digests[0], digests[1]);
  });

  test('reduces a difference to the shortest sequence that shows it', async () => {
    const { played, steps, setting } = await playWorld(mistaken, 11, 500);
    assert.ok(played.difference !== undefined);
    const found = await shortest(mistaken, setting, steps, played.difference.texts);
    assert.ok(found.steps.length <= 8, `${found.steps.length} steps`);
    for (const step of found.steps) {
      const others = found.steps.filter((other) => other !== step);
      assert.equal((await play(mistaken, setting, others)).difference, undefined, JSON.stringify(step));
    }
    const lines = asCurl(found.steps).join('\n');
    assert.match(lines, /^S\d+=\$\(hourkeep host add /m);
    assert.match(lines, /^S\d+=\$\(curl .* -H "authorization: Bearer \$\(jq -r '\.key' <<<"\$S\d+"\)"/m);
    assert.match(asTest(found, found.steps).join('\n'), /assertAgrees\(/);
  });

  for (const [words, message] of [
    [['--engine', 'postgres'], /SQLite only/],
    [['--faults'], /no faults yet/],
    [['--operations', 'many'], /--operations must be/],
  ] as const)
    test(`says why it does not run with ${words.join(' ')}`, async () => {
      const run = promisify(execFile)(process.execPath, [RUN, ...words]);
      await assert.rejects(run, { code: 2, stderr: message });
    });
});

const RUN = fileURLToPath(new URL('./run.ts', import.meta.url));

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
