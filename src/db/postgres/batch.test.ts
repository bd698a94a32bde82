import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { DatabaseAway } from '../../errors.ts';
import { Batcher } from './batch.ts';

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
  test('sends the calls of one turn together and gives each its own answer', async () => {
    const { batcher, batches, sent } = doubling();
    const answers = [1, 2, 3].map((value) => batcher.call(value));
    await nextTurn();
    assert.deepEqual(sent(), [[1, 2, 3]]);
    batches[0]!.answer();
    assert.deepEqual(await Promise.all(answers), [2, 4, 6]);
  });

  test('sends a call that comes alone in its own turn', async () => {
    const { batcher, sent } = doubling();
    void batcher.call(1);
    await nextTurn();
    assert.deepEqual(sent(), [[1]]);
  });

  test('keeps what comes while two batches are under way, and sends it together when one is back', async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] });
    const { batcher, batches, sent } = doubling();
    for (const value of [1, 2, 3, 4]) {
      void batcher.call(value);
      await nextTurn();
    }
    assert.deepEqual(sent(), [[1], [2]]);
    batches[1]!.answer();
    await nextTurn();
    await nextTurn();
    assert.deepEqual(sent(), [[1], [2], [3, 4]]);
  });

  test('does not wait for a slow batch', async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] });
    const { batcher, sent } = doubling();
    for (const value of [1, 2, 3]) {
      void batcher.call(value);
      await nextTurn();
    }
    assert.deepEqual(sent(), [[1], [2]]);
    t.mock.timers.tick(5);
    await nextTurn();
    assert.deepEqual(sent(), [[1], [2], [3]]);
  });

  test('repeats a failed batch one by one, so that a bad value fails only its own call', async () => {
    const batcher = new Batcher<number, number>(async (values) => {
      if (values.includes(2)) throw new Error('2 is bad');
      return values.map((value) => value * 2);
    });
    const answers = await Promise.allSettled([1, 2, 3].map((value) => batcher.call(value)));
    assert.deepEqual(
      answers.map((answer) => (answer.status === 'fulfilled' ? answer.value : String(answer.reason))),
      [2, 'Error: 2 is bad', 6],
    );
  });

  test('repeats nothing when the database is away', async () => {
    const { batcher, batches } = doubling();
    const answers = [1, 2].map((value) => batcher.call(value));
    await nextTurn();
    batches[0]!.fail(new DatabaseAway(new Error('gone')));
    for (const answer of answers) await assert.rejects(answer, DatabaseAway);
    assert.equal(batches.length, 1);
  });
});
