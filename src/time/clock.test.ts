import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { LAST_INSTANT, toTimestamp } from './clock.ts';

test('a timestamp is what Date makes of the instant, or the same error', () => {
  const ofDate = (epochMs: number): string => new Date(epochMs).toISOString();
  const anyInstant = fc.oneof(
    fc.integer({ min: 0, max: LAST_INSTANT }),
    fc.integer({ min: -LAST_INSTANT, max: 2 * LAST_INSTANT }),
  );
  fc.assert(
    fc.property(anyInstant, (epochMs) => assert.equal(toTimestamp(epochMs), ofDate(epochMs))),
    { numRuns: 2000, examples: [[-1], [0], [LAST_INSTANT], [LAST_INSTANT + 1]] },
  );
  assert.throws(() => toTimestamp(NaN), RangeError);
});
