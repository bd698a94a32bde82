import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { busyHours, calendarOf, parse } from '../../../test/support/busy-hours.ts';

describe('rules that cannot be followed', () => {
  const NOT_RULES: readonly [rule: string, named: string][] = [
    ['FREQ=DAILY;BYHOUR=25', 'BYHOUR'],
    ['FREQ=DAILY;BYHOUR=9,25', 'BYHOUR'],
    ['FREQ=DAILY;BYMINUTE=60', 'BYMINUTE'],
    ['FREQ=DAILY;BYSECOND=-1', 'BYSECOND'],
    ['FREQ=MONTHLY;BYMONTHDAY=0', 'BYMONTHDAY'],
    ['FREQ=MONTHLY;BYMONTHDAY=32', 'BYMONTHDAY'],
    ['FREQ=YEARLY;BYMONTH=13', 'BYMONTH'],
    ['FREQ=YEARLY;BYMONTH=MAY', 'BYMONTH'],
    ['FREQ=YEARLY;BYYEARDAY=367', 'BYYEARDAY'],
    ['FREQ=YEARLY;BYWEEKNO=54', 'BYWEEKNO'],
    ['FREQ=MONTHLY;BYDAY=0MO', 'BYDAY'],
    ['FREQ=YEARLY;BYDAY=54MO', 'BYDAY'],
    ['FREQ=WEEKLY;BYDAY=MO,DI', 'BYDAY'],
    ['FREQ=WEEKLY;BYDAY=', 'BYDAY'],
    ['FREQ=MONTHLY;BYDAY=MO;BYSETPOS=0', 'BYSETPOS'],
    ['FREQ=WEEKLY;WKST=XX', 'WKST'],
    ['FREQ=DAILY;INTERVAL=-1', 'INTERVAL'],
    ['FREQ=DAILY;INTERVAL=1.5', 'INTERVAL'],
    ['FREQ=DAILY;COUNT=0', 'COUNT'],
    ['FREQ=DAILY;COUNT=2;COUNT=3', 'COUNT'],
    ['FREQ=DAILY;UNTIL=20270230', 'UNTIL'],
    ['FREQ=DAILY;UNTIL=tomorrow', 'UNTIL'],
    ['FREQ=FORTNIGHTLY', 'FREQ'],
    ['INTERVAL=2', 'no FREQ'],
    ['every other day', 'not a rule'],
    ['FREQ=DAILY;BYEASTER=1', 'not a rule'],
    ['RSCALE=CHINESE;FREQ=YEARLY', 'RSCALE'],
    ['FREQ=MONTHLY;BYWEEKNO=20', 'BYWEEKNO'],
    ['FREQ=WEEKLY;BYYEARDAY=100', 'BYYEARDAY'],
    ['FREQ=SECONDLY', 'it recurs too often'],
    ['FREQ=SECONDLY;COUNT=1000000', 'it recurs too often'],
  ];
  for (const [rule, named] of NOT_RULES) {
    test(`${rule}: its first occurrence is blocked, it is named, and the rest is imported`, () => {
      const parsed = parse(
        calendarOf(
          ['UID:bad', 'DTSTART:20280404T235959', `RRULE:${rule}`],
          ['UID:good', 'DTSTART:20270319T100000', 'DURATION:PT1H', 'RRULE:FREQ=DAILY;COUNT=2'],
        ),
      );
      assert.deepEqual(busyHours(parsed), {
        '2027-03-19': '10-11',
        '2027-03-20': '10-11',
        '2028-04-04': '23-24',
      });
      assert.deepEqual(parsed.problems, [{ uid: 'bad', line: `RRULE (${named})`, hides: true }]);
    });
  }

  test('a rule that never comes true is only its first occurrence', () => {
    for (const rule of ['FREQ=DAILY;BYMONTH=2;BYMONTHDAY=30', 'FREQ=MINUTELY;BYMONTH=4;BYMONTHDAY=31']) {
      const parsed = parse(calendarOf(['DTSTART:20270318T100000', `RRULE:${rule}`]));
      assert.deepEqual([busyHours(parsed), parsed.problems], [{ '2027-03-18': '10-11' }, []]);
    }
  });

  test('a rule that is looked for in vain is named too', () => {
    const rule = 'FREQ=SECONDLY;INTERVAL=60;BYSECOND=30';
    const parsed = parse(calendarOf(['DTSTART:20270318T100000', `RRULE:${rule}`]));
    assert.deepEqual(busyHours(parsed), { '2027-03-18': '10-11' });
    assert.deepEqual(
      parsed.problems.map(({ line }) => line),
      ['RRULE (it takes too long)'],
    );
  });

  test('rules that cost too much leave the others what they need, wherever they stand', () => {
    const parsed = parse(
      calendarOf(
        ...Array.from({ length: 10 }, (_, n) => [
          `UID:${n}`,
          'DTSTART:20270401T100000',
          'RRULE:FREQ=SECONDLY',
        ]),
        ['UID:good', 'DTSTART:20270319T100000', 'DURATION:PT1H', 'RRULE:FREQ=DAILY;COUNT=3'],
      ),
    );
    assert.equal(parsed.problems.length, 10);
    const { '2027-03-19': first, '2027-03-21': last } = busyHours(parsed);
    assert.deepEqual([first, last], ['10-11', '10-11']);
  });
});
