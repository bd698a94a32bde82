import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BoundedMap } from './bounded-map.ts';

test('a bounded map forgets everything for the key that would be one too many, and nothing for one that it has', () => {
  const map = new BoundedMap<string, number>(2);
  map.set('a', 1).set('b', 2).set('a', 3);
  assert.deepEqual(
    [...map],
    [
      ['a', 3],
      ['b', 2],
    ],
  );
  map.set('c', 4);
  assert.deepEqual([...map], [['c', 4]]);
});
