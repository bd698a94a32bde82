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

test('no rate takes nothing and a rate of one takes everything', () => {
  assert.equal(commissionOf(123_457, 0), 0);
  assert.equal(commissionOf(123_457, RATE_UNIT), 123_457);
  assert.equal(commissionOf(Number.MAX_SAFE_INTEGER, RATE_UNIT), Number.MAX_SAFE_INTEGER);
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
