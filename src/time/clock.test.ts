import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { LAST_INSTANT, toTimestamp } from './clock.ts';

test('a timestamp is what Date makes of the instant, from the first year of four digits to the last', () => {
  const first = Date.UTC(1000, 0, 1);
  fc.assert(
    fc.property(fc.integer({ min: first, max: LAST_INSTANT }), (epochMs) => {
      assert.equal(toTimestamp(epochMs), new Date(epochMs).toISOString());
    }),
    { numRuns: 2000, examples: [[first], [-1], [0], [LAST_INSTANT]] },
  );
});
