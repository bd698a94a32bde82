import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  busyHours,
  calendarOf,
  describeCases,
  parse,
  wrapped,
  type Case,
} from '../../../test/support/busy-hours.ts';

const EMPTY: readonly Case[] = [
  'RRULE:',
  'RDATE:',
  'EXDATE:',
  'EXDATE;VALUE=DATE:',
  'DTEND:',
  'DURATION: ',
].map((line) => ({
  title: `an empty ${line} counts as absent`,
  lines: ['DTSTART:20270318T100000', line],
  busy: { '2027-03-18': '10-11' },
}));

const BAD_LINES: readonly Case[] = [
  {
    title: 'an end that cannot be read leaves an hour',
    lines: ['DTSTART:20270318T103000', 'DTEND:noon'],
    busy: { '2027-03-18': '10-12' },
    problems: ['DTEND'],
  },
  {
    title: 'an end on 30 February leaves an hour',
    lines: ['DTSTART:20280228T103000', 'DTEND:20280230T120000'],
    busy: { '2028-02-28': '10-12' },
    problems: ['DTEND'],
  },
  {
    title: 'an end with an offset, which no calendar may have, leaves an hour',
    lines: ['DTSTART:20270318T103000', 'DTEND:20270318T180000+0200'],
    busy: { '2027-03-18': '10-12' },
    problems: ['DTEND'],
  },
  {
    title: 'an end whose parameters make no sense leaves an hour',
    lines: ['DTSTART:20270318T103000', 'DTEND;=:20270318T180000'],
    busy: { '2027-03-18': '10-12' },
    problems: ['DTEND'],
  },
  {
    title: 'an end that cannot be read leaves a whole day of a date',
    lines: ['DTSTART;VALUE=DATE:20270318', 'DTEND;VALUE=DATE:20270332'],
    busy: { '2027-03-18': '0-24' },
    problems: ['DTEND'],
  },
  {
    title: 'where the end cannot be read, the duration says it',
    lines: ['DTSTART:20270318T100000', 'DTEND:noon', 'DURATION:PT3H'],
    busy: { '2027-03-18': '10-13' },
    problems: ['DTEND'],
  },
  {
    title: 'a duration that cannot be read leaves an hour',
    lines: ['DTSTART:20270318T103000', 'DURATION:PT'],
    busy: { '2027-03-18': '10-12' },
    problems: ['DURATION'],
  },
  {
    title: 'the rule holds though the end cannot be read',
    lines: ['DTSTART:20270318T103000', 'DTEND:noon', 'RRULE:FREQ=DAILY;COUNT=2'],
    busy: { '2027-03-18': '10-12', '2027-03-19': '10-12' },
    problems: ['DTEND'],
  },
  {
    title: 'of extra dates those that can be read count',
    lines: ['DTSTART:20270318T100000', 'DURATION:PT1H', 'RDATE:20270319T100000,soon,,20270230T100000'],
    busy: { '2027-03-18': '10-11', '2027-03-19': '10-11' },
    problems: ['RDATE', 'RDATE'],
  },
  {
    title: 'an extra period whose end cannot be read is as long as the event',
    lines: ['DTSTART:20270318T100000', 'DURATION:PT2H', 'RDATE;VALUE=PERIOD:20270319T100000/soon'],
    busy: { '2027-03-18': '10-12', '2027-03-19': '10-12' },
    problems: ['RDATE'],
  },
  {
    title: 'an exception that cannot be read leaves out nothing',
    lines: [
      'DTSTART:20270318T100000',
      'DURATION:PT1H',
      'RRULE:FREQ=DAILY;COUNT=3',
      'EXDATE:20270319T100000,Saturday',
    ],
    busy: { '2027-03-18': '10-11', '2027-03-20': '10-11' },
    problems: ['EXDATE'],
  },
  {
    title: 'an occurrence that cannot be told from the others stands beside its series',
    lines: [
      ['UID:s', 'DTSTART:20270318T100000', 'DURATION:PT1H', 'RRULE:FREQ=DAILY;COUNT=2'],
      ['UID:s', 'SEQUENCE:1', 'RECURRENCE-ID:the second', 'DTSTART:20270319T150000', 'DURATION:PT1H'],
      ['UID:s', 'SEQUENCE:2', 'RECURRENCE-ID:', 'DTSTART:20270319T200000', 'DURATION:PT1H'],
    ],
    busy: { '2027-03-18': '10-11', '2027-03-19': '10-11 15-16 20-21' },
    problems: ['RECURRENCE-ID', 'RECURRENCE-ID'],
  },
  {
    title: 'of two starts the one that can be read counts',
    lines: ['DTSTART:whenever', 'DTSTART:20270318T100000', 'DURATION:PT1H'],
    busy: { '2027-03-18': '10-11' },
    problems: ['DTSTART'],
  },
];

const ODD_VALUES: readonly Case[] = [
  {
    title: 'a date with a time is the whole day, and named',
    lines: ['DTSTART;VALUE=DATE:20270318T100000', 'DTEND;VALUE=DATE:20270319T120000'],
    busy: { '2027-03-18': '0-24', '2027-03-19': '0-24' },
    problems: ['DTSTART', 'DTEND'],
  },
  {
    title: 'a date with a midnight is the date',
    lines: ['DTSTART;VALUE=DATE:20270318T000000Z', 'DTEND;VALUE=DATE:20270319T000000Z'],
    busy: { '2027-03-18': '0-24' },
  },
  {
    title: 'an exception that is a date with a time leaves out that time only',
    lines: [
      'DTSTART:20270318T090000',
      'DURATION:PT1H',
      'RRULE:FREQ=HOURLY;COUNT=3',
      'EXDATE;VALUE=DATE:20270318T100000',
    ],
    busy: { '2027-03-18': '9-10 11-12' },
  },
  {
    title: 'a time called a date-time that is a date is a date',
    lines: ['DTSTART;VALUE=DATE-TIME:20270318'],
    busy: { '2027-03-18': '0-24' },
  },
  {
    title: 'twenty-four o’clock is midnight',
    lines: ['DTSTART:20270318T220000', 'DTEND:20270318T240000'],
    busy: { '2027-03-18': '22-24' },
  },
  {
    title: 'a leap second is one',
    lines: ['DTSTART:20270318T220000', 'DTEND:20270318T225960'],
    busy: { '2027-03-18': '22-23' },
  },
  {
    title: 'seconds may be missing',
    lines: ['DTSTART:20270318T1000', 'DTEND:20270318T1200'],
    busy: { '2027-03-18': '10-12' },
  },
  {
    title: 'a duration beyond all time lasts to the end of the window',
    lines: ['DTSTART:20280403T100000', 'DURATION:P1000000000000000000W'],
    busy: { '2028-04-03': '10-24', '2028-04-04': '0-24' },
  },
  {
    title: 'also when it is in hours, recurs, and began long before the window',
    lines: [
      ['DTSTART:20280404T100000', 'DURATION:PT1000000000000000000H', 'RRULE:FREQ=WEEKLY'],
      [
        'DTSTART:00010101T100000',
        'DURATION:P1DT2H',
        'RRULE:FREQ=YEARLY;BYMONTH=4;BYMONTHDAY=1;INTERVAL=2026',
      ],
    ],
    busy: { '2027-04-01': '10-24', '2027-04-02': '0-12', '2028-04-04': '10-24' },
  },
  {
    title: 'the T of a duration may be anywhere',
    lines: [
      ['DTSTART;VALUE=DATE:20270318', 'DURATION:PT1D'],
      ['DTSTART:20270319T100000', 'DURATION:P2H'],
    ],
    busy: { '2027-03-18': '0-24', '2027-03-19': '10-12' },
  },
  {
    title: 'rules and lists may have backslashes, and dates the Z of a time',
    lines: [
      'DTSTART:20270318T100000',
      'DURATION:PT1H',
      'RRULE:FREQ=DAILY\\;COUNT=3',
      'EXDATE:20270319T100000\\,20270320T100000',
      'RDATE:20270321Z',
    ],
    busy: { '2027-03-18': '10-11', '2027-03-21': '0-1' },
  },
  {
    title: 'a negative duration is none',
    lines: ['DTSTART:20270318T103000', 'DURATION:-PT1H'],
    busy: { '2027-03-18': '10-11' },
  },
];

describeCases('lines without a value', EMPTY);
describeCases('one bad line costs one line', BAD_LINES);
describeCases('values that are odd', ODD_VALUES);

describe('whether hours may be missing', () => {
  const CASES: readonly [title: string, lines: string[], hides: boolean][] = [
    [
      'a date with a time of the space’s own clock is the whole day: none',
      ['DTSTART;VALUE=DATE:20270318T100000'],
      false,
    ],
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

  test('a zone is found wherever it is defined', () => {
    const text = wrapped([
      'BEGIN:VCALENDAR',
      'BEGIN:VTIMEZONE',
      'TZID:Studio time',
      'BEGIN:STANDARD',
      'DTSTART:20200101T000000',
      'TZOFFSETFROM:+0000',
      'TZOFFSETTO:+0200',
      'END:STANDARD',
      'END:VTIMEZONE',
      'END:VCALENDAR',
      'BEGIN:VEVENT',
      'DTSTART;TZID=Studio time:20270318T120000',
      'END:VEVENT',
    ]);
    assert.deepEqual(busyHours(parse(text, 'UTC')), { '2027-03-18': '10-11' });
  });
});
