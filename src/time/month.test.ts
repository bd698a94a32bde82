import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MONTH_PATTERN, monthAt, monthEndsAt, monthsUpTo } from './month.ts';

test('twelve months up to March reach back to April of the year before', () => {
  const months = monthsUpTo('2027-03', 12);
  assert.equal(months.length, 12);
  assert.deepEqual(
    [months[0], months[8], months[9], months[11]],
    ['2026-04', '2026-12', '2027-01', '2027-03'],
  );
});

test('one instant is in two months on the two sides of the date line', () => {
  const instant = Date.parse('2027-02-28T10:30:00Z');
  assert.equal(monthAt('Pacific/Kiritimati', instant), '2027-03');
  assert.equal(monthAt('Pacific/Pago_Pago', instant), '2027-02');
});

test('a month ends on the wall clock of the timezone', () => {
  const end = (timezone: string, month: string) => new Date(monthEndsAt(timezone, month)).toISOString();
  assert.equal(end('Pacific/Kiritimati', '2027-02'), '2027-02-28T10:00:00.000Z');
  assert.equal(end('Pacific/Pago_Pago', '2027-02'), '2027-03-01T11:00:00.000Z');
  assert.equal(end('America/New_York', '2028-02'), '2028-03-01T05:00:00.000Z');
});

test('a month with a daylight-saving change ends by the offset it ends with', () => {
  const hours = (month: string, start: string) =>
    (monthEndsAt('America/New_York', month) - Date.parse(start)) / 3_600_000;
  assert.equal(hours('2027-03', '2027-03-01T05:00:00Z'), 31 * 24 - 1);
  assert.equal(hours('2027-11', '2027-11-01T04:00:00Z'), 30 * 24 + 1);
});

test('a month is written with four and two digits and exists', () => {
  const pattern = new RegExp(MONTH_PATTERN);
  for (const month of ['2027-01', '2027-12', '0001-01', '9999-12']) assert.match(month, pattern);
  for (const month of ['2027-00', '2027-13', '2027-1', '27-01', '2027-01-01', ' 2027-01', '2027-01\n']) {
    assert.doesNotMatch(month, pattern);
  }
});

test('the first and the last month that can be asked for have an end', () => {
  assert.ok(monthEndsAt('UTC', '0000-01') < 0);
  assert.ok(monthEndsAt('Pacific/Kiritimati', '9999-12') > Date.UTC(9999, 11, 31));
});
