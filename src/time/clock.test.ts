import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { LAST_INSTANT, toTimestamp } from './clock.ts';

test('a timestamp is what Date makes of the instant, from the year 0 to the last one', () => {
  const first = Date.parse('0000-01-01T00:00:00Z');
  fc.assert(
    fc.property(fc.integer({ min: first, max: LAST_INSTANT }), (instant) => {
      assert.equal(toTimestamp(instant), new Date(instant).toISOString());
      // The second one of a day does not ask Date.
      const noon = instant - (instant % 86_400_000) + 43_200_000;
      assert.equal(toTimestamp(noon), new Date(noon).toISOString());
    }),
  );
  for (const instant of [first, -1, 0, 1, 999, 59_999, 86_399_999, 86_400_000, LAST_INSTANT]) {
    assert.equal(toTimestamp(instant), new Date(instant).toISOString());
  }
});

test('what is no instant has no timestamp', () => {
  assert.throws(() => toTimestamp(NaN), RangeError);
  assert.throws(() => toTimestamp(NaN), RangeError);
});
