import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { currencyDecimals, isCurrency, toMajor, toMinor } from './currency.ts';

describe('money', () => {
  test('KRW has no decimals, USD two, KWD three', () => {
    assert.deepEqual(['KRW', 'USD', 'KWD'].map(currencyDecimals), [0, 2, 3]);
  });

  test('minor units survive the way out and back, and JSON prints no more decimals than the currency has', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: -1e12, max: 1e12 }),
        fc.constantFrom('KRW', 'USD', 'KWD'),
        (minor, currency) => {
          assert.equal(toMinor(toMajor(minor, currency), currency), minor);
          const decimals = /\.(\d+)$/.exec(JSON.stringify(toMajor(minor, currency)))?.[1] ?? '';
          assert.ok(decimals.length <= currencyDecimals(currency));
        },
      ),
    );
  });

  test('an amount with too many decimals is refused, not rounded', () => {
    assert.equal(toMinor(19.999, 'USD'), undefined);
    assert.equal(toMinor(0.5, 'KRW'), undefined);
    assert.equal(toMinor(1.2345, 'KWD'), undefined);
    assert.equal(toMinor(5e-7, 'USD'), undefined);
  });

  test('an amount past exact integers is refused', () => {
    assert.equal(toMinor(1e21, 'USD'), undefined);
    assert.equal(toMinor(Number.MAX_SAFE_INTEGER, 'USD'), undefined);
  });

  test('the classic float trap comes out right', () => {
    assert.equal(toMinor(19.99, 'USD'), 1999);
    assert.equal(toMinor(1.005, 'KWD'), 1005);
    assert.equal(toMinor(4.35, 'USD'), 435);
  });

  test('only ISO currencies are currencies', () => {
    assert.equal(isCurrency('USD'), true);
    assert.equal(isCurrency('ZZZ'), false);
  });
});
