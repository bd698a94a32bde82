import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { DatabaseAway } from '../../errors.ts';
import { Batcher } from './sharing.ts';

/** A batcher whose batches are answered when the test says so, each value by its double. */
function doubling() {
  const batches: { values: readonly number[]; answer(): void; fail(error: Error): void }[] = [];
  const batcher = new Batcher<number, number>((values) => {
    const { promise, resolve, reject } = Promise.withResolvers<number[]>();
    batches.push({ values, answer: () => resolve(values.map((value) => value * 2)), fail: reject });
    return promise;
  });
  return { batcher, batches, sent: () => batches.map(({ values }) => values) };
}

const nextTurn = () => new Promise(setImmediate);

describe('a batcher', () => {
  test('sends a call at once when none is under way, and together what comes meanwhile, and gives each its own answer', async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] });
    const { batcher, batches, sent } = doubling();
    const answers = [1, 2, 3].map((value) => batcher.call(value));
    assert.deepEqual(sent(), [[1]]);
    batches[0]!.answer();
    await nextTurn();
    assert.deepEqual(sent(), [[1], [2, 3]]);
    batches[1]!.answer();
    assert.deepEqual(await Promise.all(answers), [2, 4, 6]);
  });

  test('does not wait for a slow batch', async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] });
    const { batcher, sent } = doubling();
    for (const value of [1, 2, 3]) void batcher.call(value);
    assert.deepEqual(sent(), [[1]]);
    t.mock.timers.tick(5);
    await nextTurn();
    assert.deepEqual(sent(), [[1], [2, 3]]);
  });

  test('repeats nothing when the database is away', async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] });
    const { batcher, batches } = doubling();
    const [first, ...together] = [1, 2, 3].map((value) => batcher.call(value));
    batches[0]!.answer();
    await first;
    await nextTurn();
    batches[1]!.fail(new DatabaseAway(new Error('gone')));
    for (const answer of together) await assert.rejects(answer, DatabaseAway);
    assert.equal(batches.length, 2);
  });
});
