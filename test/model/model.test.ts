import assert from 'node:assert/strict';
import { test } from 'node:test';
import { commissionOf, major, minor } from './money.ts';
import { addMonths, daysBetween, exists, iso, startOf, weekdayOf } from './time.ts';

// The arithmetic of the model's own. Everything else is tested by `npm run simulate`, which compares it with the service.

test('amounts are exact in every currency', () => {
  assert.deepEqual([major(1205, 'KWD'), major(-5, 'USD'), major(7, 'KRW')], [1.205, -0.05, 7]);
  assert.deepEqual([minor(1.1, 'USD'), minor('0.29', 'USD'), minor(1e21, 'KRW')], [110, 29, 1e21]);
  assert.deepEqual([minor(1.001, 'USD'), minor(1e-7, 'KWD'), minor(0.5, 'KRW')], [null, null, null]);
});

test('commission rounds half up', () => {
  assert.deepEqual([commissionOf(5, 100_000), commissionOf(4, 100_000), commissionOf(3, 0)], [1, 0, 0]);
  assert.equal(commissionOf(9_007_199_254_740_991, 1_000_000), 9_007_199_254_740_991);
});

test('an hour that is skipped does not exist, and a repeated one covers both', () => {
  const york = 'America/New_York';
  assert.deepEqual([exists(york, '2027-03-14', 2), exists(york, '2027-03-14', 3)], [false, true]);
  assert.equal(startOf(york, '2027-11-07', 2) - startOf(york, '2027-11-07', 1), 2 * 3_600_000);
  // Half an hour is skipped on Lord Howe Island: the other half exists.
  assert.ok(exists('Australia/Lord_Howe', '2026-10-04', 2));
  assert.equal(iso(startOf('Australia/Lord_Howe', '2026-10-04', 2)), '2026-10-03T15:30:00.000Z');
  assert.equal(exists('Pacific/Apia', '2011-12-30', 12), false);
});

test('dates and months are counted by the calendar', () => {
  assert.deepEqual([addMonths('2027-01', -1), addMonths('2027-12', 1)], ['2026-12', '2028-01']);
  assert.equal(daysBetween('2028-02-28', '2028-03-01'), 2);
  assert.equal(weekdayOf('2027-03-14'), 'sunday');
});
