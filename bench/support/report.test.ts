import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inTurns } from './measure.ts';
import { difference, judge, ratioText, rowOf, spreadOf, spreadText, type Promised } from './report.ts';
import { median } from '../../test/traffic/figures.ts';

test('the median of an even number is the middle of the two in the middle', () => {
  assert.equal(median([4, 1, 3, 2]), 2.5);
  assert.equal(median([5, 1, 3]), 3);
});

test('a target is met where the median meets it, missed where no process meets it', () => {
  const judged = (values: number[], target: Promised) => judge(spreadOf(values), target);
  assert.equal(judged([0.4, 0.5, 0.6], { atLeast: 0.5 }), 'met');
  assert.equal(judged([0.4, 0.45, 0.55], { atLeast: 0.5 }), 'in the spread');
  assert.equal(judged([0.3, 0.4, 0.49], { atLeast: 0.5 }), 'MISSED');
  assert.equal(judged([1.1, 1.3, 1.9], { below: 1.3 }), 'met');
  assert.equal(judged([1.2, 1.5, 1.6], { below: 1.3 }), 'in the spread');
  assert.equal(judged([1.4, 1.5, 1.6], { below: 1.3 }), 'MISSED');
});

test('a change inside the spread is no difference', () => {
  assert.equal(difference(spreadOf([0.95, 1.2, 1.3]), 'more'), 'no difference');
  assert.equal(difference(spreadOf([1.01, 1.2, 1.3]), 'more'), 'better');
  assert.equal(difference(spreadOf([1.01, 1.2, 1.3]), 'less'), 'WORSE');
  assert.equal(difference(spreadOf([0.7, 0.8, 0.9]), 'less'), 'better');
});

test('sides take turns, and the ratio is that of each round for itself', async () => {
  const order: string[] = [];
  let [a, b] = [0, 0];
  const turns = await inTurns(3, [
    async () => {
      order.push('a');
      return { many: { perSecond: [10, 20, 90][a++]!, cpu: 5 } };
    },
    async () => {
      order.push('b');
      return { many: { perSecond: [10, 40, 60][b++]!, cpu: 4 } };
    },
  ]);
  assert.deepEqual(order, ['a', 'b', 'a', 'b', 'a', 'b']);
  const [ours, theirs] = turns.map(({ many }) => many!);
  const row = rowOf('perSecond', ['ours', ours!], ['theirs', theirs!], { target: { atLeast: 0.5 } });
  assert.deepEqual(row.spread, { median: 1, low: 0.5, high: 1.5 });
  assert.deepEqual([ratioText(row), spreadText(row)], ['100.0 %', '50.0–150.0']);
  assert.deepEqual(row.ours, { perSecond: 20, cpu: 5 });
});

test('one round has no spread, and is judged by itself', () => {
  const rowWith = (ms: number) => rowOf('ms', ['ours', [{ ms }]], ['theirs', [{ ms: 2 }]]);
  assert.deepEqual([ratioText(rowWith(4)), spreadText(rowWith(4))], ['2.00 ×', '']);
  assert.equal(judge(rowWith(4).spread, { below: 1.5 }), 'MISSED');
  assert.equal(judge(rowWith(2.8).spread, { below: 1.5 }), 'met');
});
