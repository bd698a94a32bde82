import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addDays, isCalendarDate } from './dates.ts';

test('a calendar date is one that Temporal knows, from the year 1 on', () => {
  let date = Temporal.PlainDate.from('1896-01-01');
  for (; date.year < 2008; date = date.add({ days: 1 })) assert.ok(isCalendarDate(date.toString()));
  for (const text of ['2027-02-29', '1900-02-29', '2027-04-31', '2027-13-01', '2027-00-10', '2027-01-00']) {
    assert.equal(isCalendarDate(text), false, text);
  }
  for (const text of ['0000-01-01', '2027-1-01', '2027-01-01T00:00', '+02027-01-01', '']) {
    assert.equal(isCalendarDate(text), false, text);
  }
  assert.ok(isCalendarDate('0001-01-01') && isCalendarDate('9999-12-31'));
});

test('days are added up to the ends of the calendar', () => {
  assert.equal(addDays('2027-02-28', 1), '2027-03-01');
  assert.equal(addDays('0001-01-01', -1), '0001-01-01');
  assert.equal(addDays('9999-12-31', 1), '9999-12-31');
});
