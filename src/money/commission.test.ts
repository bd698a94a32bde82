import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { commissionOf, RATE_UNIT } from './commission.ts';

test('commission is rounded half up to a whole minor unit', () => {
  const tenPercent = 100_000;
  assert.equal(commissionOf(4500, tenPercent), 450);
  assert.equal(commissionOf(4504, tenPercent), 450);
  assert.equal(commissionOf(4505, tenPercent), 451);
  assert.equal(commissionOf(5, tenPercent), 1);
  assert.equal(commissionOf(4, tenPercent), 0);
});

test('it is exact where amount times rate no longer fits a double', () => {
  fc.assert(
    fc.property(fc.maxSafeNat(), fc.nat(RATE_UNIT), (gross, millionths) => {
      const exact = (BigInt(gross) * BigInt(millionths) * 2n + BigInt(RATE_UNIT)) / (2n * BigInt(RATE_UNIT));
      assert.equal(BigInt(commissionOf(gross, millionths)), exact);
    }),
    { numRuns: 2000 },
  );
});
