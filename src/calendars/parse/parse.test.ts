import assert from 'node:assert/strict';
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

describe('one bad event does not cost the calendar', () => {
  const GOOD = ['UID:good', 'DTSTART:20270318T100000', 'DURATION:PT1H'];
  for (const bad of [
    ['SUMMARY:nothing'],
    ['DTSTART:whenever'],
    ['DTSTART:'],
    ['DTSTART:20270230T100000'],
    ['DTSTART:20270318T250000'],
    ['DTSTART;=:20270318T100000'],
    ['DTSTART;TZID=Europe/Berlin'],
  ]) {
    test(`${bad[0]}: the event is left out and named`, () => {
      const parsed = parse(calendarOf(['UID:bad', ...bad], GOOD));
      assert.deepEqual(busyHours(parsed), { '2027-03-18': '10-11' });
      assert.deepEqual(parsed.problems, [{ uid: 'bad', line: 'DTSTART', hides: true }]);
    });
  }
});

describe('shapes of files', () => {
  const EXPECTED = { '2027-03-18': '10-12', '2027-03-19': '15-16' };
  const EVENTS = [
    'BEGIN:VEVENT',
    'DTSTART:20270318T1000',
    ' 00',
    'DTEND:20270318T120000',
    'END:VEVENT',
    'BEGIN:VEVENT',
    'DTSTART:20270319T150000',
    'END:VEVENT',
  ];

  for (const [title, end] of [
    ['CR', '\r'],
    ['LF', '\n'],
    ['CR CR LF', '\r\r\n'],
  ] as const) {
    test(`lines may end with ${title}`, () => {
      assert.deepEqual(busyHours(parse(wrapped(EVENTS).replaceAll('\r\n', end))), EXPECTED);
    });
  }

  test('a calendar inside a calendar is read', () => {
    const parsed = parse(wrapped(['BEGIN:VCALENDAR', ...EVENTS, 'END:VCALENDAR']));
    assert.deepEqual([busyHours(parsed), parsed.events], [EXPECTED, 2]);
  });

  test('so is an event inside anything else, and inside an event', () => {
    const [first, second] = [EVENTS.slice(0, 5), EVENTS.slice(5)];
    const inside = wrapped(['BEGIN:X-BOX', ...first, ...second, 'END:X-BOX']);
    assert.deepEqual(busyHours(parse(inside)), EXPECTED);
    const nested = wrapped([...first.slice(0, -1), ...second, 'END:VEVENT']);
    assert.deepEqual(busyHours(parse(nested)), EXPECTED);
  });
});

describe('calendars of something else than events', () => {
  const FREE_BUSY = [
    'BEGIN:VFREEBUSY',
    'UID:f',
    'DTSTART:20270301T000000Z',
    'DTEND:20270401T000000Z',
    'FREEBUSY:20270318T140000Z/PT1H,20270318T180000Z/20270318T193000Z',
    'FREEBUSY;FBTYPE=BUSY-TENTATIVE:20270319T140000Z/PT1H',
    'FREEBUSY;FBTYPE=BUSY-UNAVAILABLE:20270320T140000Z/PT1H',
    'FREEBUSY;FBTYPE=FREE:20270321T140000Z/PT1H',
    'END:VFREEBUSY',
  ];

  test('busy periods block, free ones do not, and each counts as an event', () => {
    const parsed = parse(wrapped(FREE_BUSY));
    assert.deepEqual(busyHours(parsed), {
      '2027-03-18': '10-11 14-16',
      '2027-03-19': '10-11',
      '2027-03-20': '10-11',
    });
    assert.deepEqual([parsed.events, parsed.problems], [5, []]);
  });

  test('a period that cannot be read is named, and one whose end cannot be read is an hour', () => {
    const lines = ['UID:f', 'FREEBUSY:20270318T140000Z/never,soon/PT1H,20270319T140000Z'];
    const parsed = parse(wrapped(['BEGIN:VFREEBUSY', ...lines, 'END:VFREEBUSY']));
    assert.deepEqual(busyHours(parsed), { '2027-03-18': '10-11', '2027-03-19': '10-11' });
    const problem = { uid: 'f', line: 'FREEBUSY', hides: true };
    assert.deepEqual(parsed.problems, [problem, problem, problem]);
  });

  test('periods of which none can be read refuse the calendar', () => {
    const text = wrapped(['BEGIN:VFREEBUSY', 'FREEBUSY:soon', 'FREEBUSY:later', 'END:VFREEBUSY']);
    assert.throws(() => parse(text), { constructor: Unreadable, message: /none of its 2 events/ });
  });

  test('what a poll offers for a vote blocks nothing', () => {
    const candidate = ['BEGIN:VEVENT', 'UID:c', 'DTSTART:20270318T100000', 'DURATION:PT1H', 'END:VEVENT'];
    const parsed = parse(wrapped(['BEGIN:VPOLL', 'UID:p', ...candidate, ...FREE_BUSY, 'END:VPOLL']));
    assert.deepEqual([busyHours(parsed), parsed.events], [{}, 0]);
  });
});

describe('calendars that cannot be used', () => {
  const BROKEN: readonly [title: string, text: string, message: RegExp][] = [
    ['an empty answer', '', /^the response is empty$/],
    ['blank lines', '\r\n\r\n', /^the response is empty$/],
    ['a page', '<!doctype html>\n<html><body>Sign in: BEGIN:VCALENDAR</body></html>', /not an iCalendar/],
    ['JSON', '{"error":"gone"}', /not an iCalendar/],
    ['a page in front of a calendar', `<b>Warning</b>\n${calendarOf()}`, /not an iCalendar/],
    ['an address book', 'BEGIN:VCARD\r\nEND:VCARD\r\n', /not an iCalendar/],
    ['a calendar without its end', 'BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\nEND:VEVENT\r\n', /ends in the middle/],
    ['parts that cross', 'BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\nEND:VCALENDAR\r\n', /do not close/],
    ['only events without a start', calendarOf(['UID:1'], ['UID:2']), /none of its 2 events/],
    ['only events without sense', calendarOf(['DTSTART:whenever']), /none of its 1 events/],
  ];
  for (const [title, text, message] of BROKEN) {
    test(`${title} is refused`, () => {
      assert.throws(() => parse(text), { constructor: Unreadable, message });
    });
  }

  test('a calendar without events is fine, and so are several in a row', () => {
    assert.equal(parse(calendarOf()).events, 0);
    const one = calendarOf(['DTSTART:20270318T100000', 'DURATION:PT1H']);
    const two = calendarOf(['DTSTART:20270319T100000', 'DURATION:PT1H']);
    const expected = { '2027-03-18': '10-11', '2027-03-19': '10-11' };
    assert.deepEqual(busyHours(parse(`\uFEFF${one}${two}\r\n`)), expected);
  });
});
