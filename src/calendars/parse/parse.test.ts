import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { busyHours, calendarOf, parse, wrapped } from '../../../test/support/busy-hours.ts';
import { Unreadable } from './limits.ts';

describe('whether hours may be missing', () => {
  const CASES: readonly [title: string, lines: string[], hides: boolean][] = [
    ['a date with a time of its own clock: none', ['DTSTART;VALUE=DATE:20270318T100000'], false],
    ['of another clock it may be another day', ['DTSTART;VALUE=DATE:20270318T100000Z'], true],
    ['an exception that cannot be read: none', ['DTSTART:20270318T100000', 'EXDATE:never'], false],
    ['an end that cannot be read', ['DTSTART:20270318T100000', 'DTEND:never'], true],
    ['of a free event: none', ['DTSTART:20270318T100000', 'DTEND:never', 'TRANSP:TRANSPARENT'], false],
    ['of a cancelled one: none', ['DTSTART:20270318T100000', 'DTEND:never', 'STATUS:CANCELLED'], false],
  ];
  for (const [title, lines, hides] of CASES) {
    test(title, () => {
      const { problems } = parse(calendarOf(lines));
      assert.deepEqual(
        problems.map((problem) => problem.hides),
        [hides],
      );
    });
  }
});

const GOOD = ['UID:good', 'DTSTART:20270318T100000', 'DURATION:PT1H'];

test('an event without a start that can be read is left out and named', () => {
  for (const bad of [
    'SUMMARY:nothing',
    'DTSTART:',
    'DTSTART:20270230T100000',
    'DTSTART:20270318T250000',
    'DTSTART;=:20270318T100000',
    'DTSTART;TZID=Europe/Berlin',
  ]) {
    const parsed = parse(calendarOf(['UID:bad', bad], GOOD));
    assert.deepEqual(busyHours(parsed), { '2027-03-18': '10-11' });
    assert.deepEqual(parsed.problems, [{ uid: 'bad', line: 'DTSTART', hides: true }], bad);
  }
});

describe('a rule that cannot be followed: its first occurrence is blocked, and it is named', () => {
  const NOT_RULES: readonly [rule: string, named: string][] = [
    ['FREQ=DAILY;BYHOUR=25', 'BYHOUR'],
    ['FREQ=DAILY;BYMINUTE=9,60', 'BYMINUTE'],
    ['FREQ=DAILY;BYSECOND=-1', 'BYSECOND'],
    ['FREQ=MONTHLY;BYMONTHDAY=0', 'BYMONTHDAY'],
    ['FREQ=YEARLY;BYMONTH=MAY', 'BYMONTH'],
    ['FREQ=YEARLY;BYYEARDAY=367', 'BYYEARDAY'],
    ['FREQ=YEARLY;BYWEEKNO=54', 'BYWEEKNO'],
    ['FREQ=MONTHLY;BYDAY=0MO', 'BYDAY'],
    ['FREQ=YEARLY;BYDAY=54MO', 'BYDAY'],
    ['FREQ=WEEKLY;BYDAY=MO,DI', 'BYDAY'],
    ['FREQ=WEEKLY;BYDAY=', 'BYDAY'],
    ['FREQ=MONTHLY;BYDAY=MO;BYSETPOS=0', 'BYSETPOS'],
    ['FREQ=WEEKLY;WKST=XX', 'WKST'],
    ['FREQ=DAILY;INTERVAL=1.5', 'INTERVAL'],
    ['FREQ=DAILY;COUNT=0', 'COUNT'],
    ['FREQ=DAILY;COUNT=2;COUNT=3', 'COUNT'],
    ['FREQ=DAILY;UNTIL=20270230', 'UNTIL'],
    ['FREQ=FORTNIGHTLY', 'FREQ'],
    ['INTERVAL=2', 'no FREQ'],
    ['every other day', 'not a rule'],
    ['RSCALE=CHINESE;FREQ=YEARLY', 'RSCALE'],
    ['FREQ=MONTHLY;BYWEEKNO=20', 'BYWEEKNO'],
    ['FREQ=WEEKLY;BYYEARDAY=100', 'BYYEARDAY'],
    ['FREQ=SECONDLY', 'it recurs too often'],
    ['FREQ=SECONDLY;COUNT=1000000', 'it recurs too often'],
  ];
  for (const [rule, named] of NOT_RULES) {
    test(rule, () => {
      const bad = ['UID:bad', 'DTSTART:20280404T235959', `RRULE:${rule}`];
      const parsed = parse(calendarOf(bad, [...GOOD, 'RRULE:FREQ=DAILY;COUNT=2']));
      const expected = { '2027-03-18': '10-11', '2027-03-19': '10-11', '2028-04-04': '23-24' };
      assert.deepEqual(busyHours(parsed), expected);
      assert.deepEqual(parsed.problems, [{ uid: 'bad', line: `RRULE (${named})`, hides: true }]);
    });
  }

  test('of all rules together at most 200 000 occurrences count', () => {
    const events = Array.from({ length: 7 }, (_, n) => [
      `UID:${n}`,
      'DTSTART:20270401T100000',
      'RRULE:FREQ=MINUTELY;COUNT=30000',
    ]);
    assert.deepEqual(parse(calendarOf(...events)).problems, [
      { uid: '6', line: 'RRULE (it recurs too often)', hides: true },
    ]);
  });

  test('unless it never comes true: then it is only its first occurrence', () => {
    for (const rule of ['FREQ=DAILY;BYMONTH=2;BYMONTHDAY=30', 'FREQ=SECONDLY;INTERVAL=60;BYSECOND=30']) {
      const parsed = parse(calendarOf(['DTSTART:20270318T100000', `RRULE:${rule}`]));
      assert.deepEqual([busyHours(parsed), parsed.problems], [{ '2027-03-18': '10-11' }, []]);
    }
  });
});

describe('shapes of files', () => {
  const EXPECTED = { '2027-03-18': '10-12', '2027-03-19': '15-16' };
  const FIRST = ['BEGIN:VEVENT', 'DTSTART:20270318T1000', ' 00', 'DTEND:20270318T120000', 'END:VEVENT'];
  const SECOND = ['BEGIN:VEVENT', 'DTSTART:20270319T150000', 'END:VEVENT'];
  const EVENTS = wrapped([...FIRST, ...SECOND]);
  const SHAPES: readonly [title: string, text: string][] = [
    ['lines may end with CR', EVENTS.replaceAll('\r\n', '\r')],
    ['lines may end with LF', EVENTS.replaceAll('\r\n', '\n')],
    ['lines may end with CR CR LF', EVENTS.replaceAll('\r\n', '\r\r\n')],
    ['a calendar inside a calendar is read', wrapped(EVENTS.trim().split('\r\n'))],
    ['an event inside anything else is read', wrapped(['BEGIN:X-BOX', ...FIRST, 'END:X-BOX', ...SECOND])],
    ['an event inside an event is read', wrapped([...FIRST.slice(0, -1), ...SECOND, 'END:VEVENT'])],
    ['several calendars in a row are read', `\uFEFF${wrapped(FIRST)}${wrapped(SECOND)}\r\n`],
  ];
  for (const [title, text] of SHAPES) {
    test(title, () => {
      const parsed = parse(text);
      assert.deepEqual([busyHours(parsed), parsed.problems], [EXPECTED, []]);
    });
  }
});

describe('calendars of something else than events', () => {
  const FREE = 'FREEBUSY;FBTYPE=FREE:20270321T140000Z/PT1H';
  const freeBusy = (...lines: string[]) => ['BEGIN:VFREEBUSY', 'UID:f', ...lines, 'END:VFREEBUSY'];

  test('busy periods block, free ones do not', () => {
    const parsed = parse(
      wrapped(
        freeBusy(
          'FREEBUSY:20270318T140000Z/PT1H,20270318T180000Z/20270318T193000Z',
          'FREEBUSY;FBTYPE=BUSY-TENTATIVE:20270319T140000Z/PT1H',
          'FREEBUSY;FBTYPE=BUSY-UNAVAILABLE:20270320T140000Z/PT1H',
          FREE,
        ),
      ),
    );
    assert.deepEqual(busyHours(parsed), {
      '2027-03-18': '10-11 14-16',
      '2027-03-19': '10-11',
      '2027-03-20': '10-11',
    });
    assert.deepEqual(parsed.problems, []);
  });

  test('a period that cannot be read is named, and one whose end cannot be read is an hour', () => {
    const parsed = parse(wrapped(freeBusy('FREEBUSY:20270318T140000Z/never,soon/PT1H,20270319T140000Z')));
    assert.deepEqual(busyHours(parsed), { '2027-03-18': '10-11', '2027-03-19': '10-11' });
    const problem = { uid: 'f', line: 'FREEBUSY', hides: true };
    assert.deepEqual(parsed.problems, [problem, problem, problem]);
  });

  test('a calendar is empty that has no event and calls nothing busy or free', () => {
    const isEmpty = (...lines: string[]) => parse(wrapped(lines)).isEmpty;
    assert.deepEqual([isEmpty(), isEmpty(...freeBusy())], [true, true]);
    assert.equal(isEmpty(...freeBusy(FREE)), false);
  });

  test('what a poll offers for a vote blocks nothing', () => {
    const candidate = ['BEGIN:VEVENT', ...GOOD, 'END:VEVENT'];
    const parsed = parse(
      wrapped([
        'BEGIN:VPOLL',
        'UID:p',
        ...candidate,
        ...freeBusy('FREEBUSY:20270318T140000Z/PT1H'),
        'END:VPOLL',
      ]),
    );
    assert.deepEqual([busyHours(parsed), parsed.isEmpty], [{}, true]);
  });
});

describe('calendars that cannot be used', () => {
  const BROKEN: readonly [title: string, text: string, message: RegExp][] = [
    ['an empty answer', '\r\n\r\n', /^the response is empty$/],
    ['a page', '<!doctype html>\n<html><body>Sign in: BEGIN:VCALENDAR</body></html>', /not an iCalendar/],
    ['a page in front of a calendar', `<b>Warning</b>\n${calendarOf()}`, /not an iCalendar/],
    ['an address book', 'BEGIN:VCARD\r\nEND:VCARD\r\n', /not an iCalendar/],
    ['a calendar without its end', 'BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\nEND:VEVENT\r\n', /ends in the middle/],
    ['parts that cross', 'BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\nEND:VCALENDAR\r\n', /do not close/],
  ];
  for (const [title, text, message] of BROKEN) {
    test(`${title} is refused`, () => {
      assert.throws(() => parse(text), { constructor: Unreadable, message });
    });
  }

  const FOLDER = new URL('../../../test/calendars/', import.meta.url);
  for (const file of readdirSync(FOLDER).filter((name) => name.endsWith('.ics'))) {
    test(`${file} cut off anywhere is refused`, () => {
      const text = readFileSync(new URL(file, FOLDER), 'utf8');
      for (let length = 0; length < text.trimEnd().length; length += 97) {
        assert.throws(() => parse(text.slice(0, length)), { constructor: Unreadable }, `at ${length}`);
      }
    });
  }
});
