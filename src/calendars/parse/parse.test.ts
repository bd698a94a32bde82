import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { busyHours, calendarOf, parse, wrapped, type BusyHours } from '../../../test/support/busy-hours.ts';
import { Unreadable } from './limits.ts';
import { allWindowsZones, windowsZone } from './windows-zones.ts';
import { isTimezone } from '../../time/zones.ts';

/** On the space's wall clock, which is New York's unless a case says otherwise. */
interface Case {
  title: string;
  lines: readonly string[] | readonly (readonly string[])[];
  busy: BusyHours;
  timezone?: string;
}

const TIMES: readonly Case[] = [
  {
    title: 'UTC',
    lines: ['DTSTART:20270318T140000Z', 'DTEND:20270318T160000Z'],
    busy: { '2027-03-18': '10-12' },
  },
  {
    title: 'a floating time reads on the space’s clock',
    lines: ['DTSTART:20270318T140000', 'DTEND:20270318T160000'],
    busy: { '2027-03-18': '14-16' },
  },
  {
    title: 'an IANA zone without a definition',
    lines: ['DTSTART;TZID=Asia/Seoul:20270318T230000', 'DTEND;TZID=Asia/Seoul:20270319T010000'],
    busy: { '2027-03-18': '10-12' },
  },
  {
    title: 'a quoted zone',
    lines: ['DTSTART;TZID="Asia/Seoul":20270318T230000', 'DTEND;TZID="Asia/Seoul":20270319T010000'],
    busy: { '2027-03-18': '10-12' },
  },
  {
    title: 'a Windows zone without a definition',
    lines: ['DTSTART;TZID=Tokyo Standard Time:20270318T230000', 'DURATION:PT1H'],
    busy: { '2027-03-18': '10-11' },
  },
  {
    title: 'an offset as Outlook describes it',
    lines: ['DTSTART;TZID="(UTC+05:30) Chennai, Kolkata":20270318T203000', 'DURATION:PT1H'],
    busy: { '2027-03-18': '11-12' },
  },
  {
    title: 'an unknown zone reads on the space’s clock',
    lines: ['DTSTART;TZID=Somewhere:20270318T140000', 'DURATION:PT1H'],
    busy: { '2027-03-18': '14-15' },
  },
  {
    title: 'start and end in different zones',
    lines: ['DTSTART;TZID=Europe/Berlin:20270318T150000', 'DTEND;TZID=America/New_York:20270318T110000'],
    busy: { '2027-03-18': '10-11' },
  },
  {
    title: 'any touched part of an hour blocks it',
    lines: ['DTSTART:20270318T105959', 'DTEND:20270318T130001'],
    busy: { '2027-03-18': '10-14' },
  },
  {
    title: 'an end on the hour does not touch it',
    lines: ['DTSTART:20270318T100000', 'DTEND:20270318T110000'],
    busy: { '2027-03-18': '10-11' },
  },
  {
    title: 'DURATION instead of DTEND',
    lines: ['DTSTART:20270318T100000', 'DURATION:PT1H1S'],
    busy: { '2027-03-18': '10-12' },
  },
  {
    title: 'a DURATION in days over the change of the clocks ends at the same time of day',
    lines: ['DTSTART:20270313T220000', 'DURATION:P1DT2H'],
    busy: { '2027-03-13': '22-24', '2027-03-14': '0-2 3-24' },
  },
  {
    title: 'a time without an end touches its hour',
    lines: ['DTSTART:20270318T103000'],
    busy: { '2027-03-18': '10-11' },
  },
  {
    title: 'a time that ends when it starts touches the hour it starts',
    lines: ['DTSTART:20270318T100000', 'DTEND:20270318T100000'],
    busy: { '2027-03-18': '10-11' },
  },
  {
    title: 'an end before the start counts as none',
    lines: ['DTSTART:20270318T100000', 'DTEND:20270318T090000'],
    busy: { '2027-03-18': '10-11' },
  },
  {
    title: 'a date is a whole day where the space is',
    lines: ['DTSTART;VALUE=DATE:20270318'],
    busy: { '2027-03-18': '0-24' },
    timezone: 'Pacific/Auckland',
  },
  {
    title: 'a date without VALUE=DATE is one all the same',
    lines: ['DTSTART:20270318', 'DTEND:20270319'],
    busy: { '2027-03-18': '0-24' },
  },
  {
    title: 'the end date is exclusive',
    lines: ['DTSTART;VALUE=DATE:20270318', 'DTEND;VALUE=DATE:20270320'],
    busy: { '2027-03-18': '0-24', '2027-03-19': '0-24' },
  },
  {
    title: 'days by DURATION',
    lines: ['DTSTART;VALUE=DATE:20270318', 'DURATION:P2D'],
    busy: { '2027-03-18': '0-24', '2027-03-19': '0-24' },
  },
  {
    title: 'over midnight and over days',
    lines: ['DTSTART:20270318T223000', 'DTEND:20270320T013000'],
    busy: { '2027-03-18': '22-24', '2027-03-19': '0-24', '2027-03-20': '0-2' },
  },
  {
    title: 'a skipped time is as far after the jump',
    lines: ['DTSTART:20270314T023000', 'DTEND:20270314T033000'],
    busy: { '2027-03-14': '3-4' },
  },
  {
    title: 'the first pass of the repeated hour',
    lines: ['DTSTART:20271107T050000Z', 'DTEND:20271107T060000Z'],
    busy: { '2027-11-07': '1-2' },
  },
  {
    title: 'the second pass of the repeated hour',
    lines: ['DTSTART:20271107T060000Z', 'DTEND:20271107T070000Z'],
    busy: { '2027-11-07': '1-2' },
  },
  {
    title: 'midnight that is skipped',
    lines: ['DTSTART;VALUE=DATE:20270328', 'DTEND;VALUE=DATE:20270329'],
    busy: { '2027-03-28': '1-24' },
    timezone: 'Asia/Beirut',
  },
  {
    title: 'the last hour of a day twice',
    lines: ['DTSTART:20271030T200000Z', 'DTEND:20271030T223000Z'],
    busy: { '2027-10-30': '23-24', '2027-10-31': '0-1' },
    timezone: 'Asia/Beirut',
  },
  {
    title: 'a zone half an hour off',
    lines: ['DTSTART:20270318T140000Z', 'DTEND:20270318T150000Z'],
    busy: { '2027-03-18': '19-21' },
    timezone: 'Asia/Kolkata',
  },
  {
    title: 'only the window counts: from yesterday to 400 days ahead',
    lines: [
      ['UID:1', 'DTSTART;VALUE=DATE:20270227'],
      ['UID:2', 'DTSTART;VALUE=DATE:20270228'],
      ['UID:3', 'DTSTART;VALUE=DATE:20280404'],
      ['UID:4', 'DTSTART;VALUE=DATE:20280405'],
      ['UID:5', 'DTSTART:00010101T000000Z', 'DTEND:00010102T000000Z'],
      ['UID:6', 'DTSTART:99991231T000000Z', 'DTEND:99991231T235959Z'],
    ],
    busy: { '2027-02-28': '0-24', '2028-04-04': '0-24' },
  },
];

const RULES: readonly Case[] = [
  {
    title: 'COUNT',
    lines: ['DTSTART:20270318T100000', 'DURATION:PT1H', 'RRULE:FREQ=DAILY;COUNT=3'],
    busy: { '2027-03-18': '10-11', '2027-03-19': '10-11', '2027-03-20': '10-11' },
  },
  {
    title: 'INTERVAL',
    lines: ['DTSTART:20270318T100000', 'DURATION:PT1H', 'RRULE:FREQ=WEEKLY;INTERVAL=2;COUNT=3'],
    busy: { '2027-03-18': '10-11', '2027-04-01': '10-11', '2027-04-15': '10-11' },
  },
  {
    title: 'INTERVAL stays in step over years',
    lines: [
      'DTSTART:20150105T100000',
      'DURATION:PT1H',
      'RRULE:FREQ=WEEKLY;INTERVAL=3;BYDAY=MO,FR;UNTIL=20270331T000000Z',
    ],
    busy: { '2027-03-15': '10-11', '2027-03-19': '10-11' },
  },
  {
    title: 'UNTIL is inclusive, and in UTC where the event is elsewhere',
    lines: [
      'DTSTART;TZID=Asia/Tokyo:20270318T080000',
      'DURATION:PT1H',
      'RRULE:FREQ=DAILY;UNTIL=20270319T230000Z',
    ],
    busy: { '2027-03-17': '19-20', '2027-03-18': '19-20', '2027-03-19': '19-20' },
  },
  {
    title: 'UNTIL as a date includes that day',
    lines: ['DTSTART:20270318T220000', 'DURATION:PT1H', 'RRULE:FREQ=DAILY;UNTIL=20270319'],
    busy: { '2027-03-18': '22-23', '2027-03-19': '22-23' },
  },
  {
    title: 'UNTIL as a moment on whole days',
    lines: ['DTSTART;VALUE=DATE:20270318', 'RRULE:FREQ=DAILY;UNTIL=20270319T040000Z'],
    busy: { '2027-03-18': '0-24', '2027-03-19': '0-24' },
  },
  {
    title: 'BYDAY',
    lines: ['DTSTART:20270316T100000', 'DURATION:PT1H', 'RRULE:FREQ=WEEKLY;COUNT=4;BYDAY=TU,TH'],
    busy: { '2027-03-16': '10-11', '2027-03-18': '10-11', '2027-03-23': '10-11', '2027-03-25': '10-11' },
  },
  {
    title: 'BYDAY with a position in the month',
    lines: ['DTSTART:20270331T100000', 'DURATION:PT1H', 'RRULE:FREQ=MONTHLY;COUNT=3;BYDAY=-1WE'],
    busy: { '2027-03-31': '10-11', '2027-04-28': '10-11', '2027-05-26': '10-11' },
  },
  {
    title: 'BYMONTHDAY where months have no such day',
    lines: ['DTSTART:20270331T100000', 'DURATION:PT1H', 'RRULE:FREQ=MONTHLY;COUNT=3;BYMONTHDAY=31'],
    busy: { '2027-03-31': '10-11', '2027-05-31': '10-11', '2027-07-31': '10-11' },
  },
  {
    title: 'a birthday of long ago',
    lines: ['DTSTART;VALUE=DATE:16040512', 'RRULE:FREQ=YEARLY'],
    busy: { '2027-05-12': '0-24' },
  },
  {
    title: '29 February only in leap years',
    lines: ['DTSTART;VALUE=DATE:20160229', 'RRULE:FREQ=YEARLY'],
    busy: { '2028-02-29': '0-24' },
  },
  {
    title: 'a recurring event keeps its time of day when the clocks change',
    lines: ['DTSTART;TZID=America/New_York:20270312T100000', 'DURATION:PT1H', 'RRULE:FREQ=DAILY;COUNT=4'],
    busy: { '2027-03-12': '10-11', '2027-03-13': '10-11', '2027-03-14': '10-11', '2027-03-15': '10-11' },
  },
  {
    title: 'an event of elsewhere moves when only its own clocks change',
    lines: ['DTSTART;TZID=Europe/Berlin:20270327T160000', 'DURATION:PT1H', 'RRULE:FREQ=DAILY;COUNT=2'],
    busy: { '2027-03-27': '11-12', '2027-03-28': '10-11' },
  },
  {
    title: 'the first one counts though the rule would not make it',
    lines: ['DTSTART:20270316T100000', 'DURATION:PT1H', 'RRULE:FREQ=WEEKLY;BYDAY=FR;UNTIL=20270320'],
    busy: { '2027-03-16': '10-11', '2027-03-19': '10-11' },
  },
  {
    title: 'what began long ago and never ends',
    lines: ['DTSTART:19990101T100000', 'DURATION:PT1H', 'RRULE:FREQ=DAILY;BYMONTH=3;BYMONTHDAY=10,11'],
    busy: {
      '2027-03-10': '10-11',
      '2027-03-11': '10-11',
      '2028-03-10': '10-11',
      '2028-03-11': '10-11',
    },
  },
  {
    title: 'a long occurrence that began before the window',
    lines: ['DTSTART;VALUE=DATE:20270225', 'DURATION:P5D', 'RRULE:FREQ=YEARLY;COUNT=1'],
    busy: { '2027-02-28': '0-24', '2027-03-01': '0-24' },
  },
  {
    title: 'EXDATE, also in UTC and several on a line',
    lines: [
      'DTSTART;TZID=America/New_York:20270318T100000',
      'DURATION:PT1H',
      'RRULE:FREQ=DAILY;COUNT=5',
      'EXDATE:20270319T140000Z,20270320T140000Z',
      'EXDATE;TZID=America/New_York:20270321T100000',
    ],
    busy: { '2027-03-18': '10-11', '2027-03-22': '10-11' },
  },
  {
    title: 'EXDATE as a date leaves out the day',
    lines: [
      'DTSTART:20270318T100000',
      'DURATION:PT1H',
      'RRULE:FREQ=DAILY;COUNT=3',
      'EXDATE;VALUE=DATE:20270319',
    ],
    busy: { '2027-03-18': '10-11', '2027-03-20': '10-11' },
  },
  {
    title: 'EXDATE of whole days, also as a moment',
    lines: [
      'DTSTART;VALUE=DATE:20270318',
      'RRULE:FREQ=DAILY;COUNT=4',
      'EXDATE;VALUE=DATE:20270319',
      'EXDATE:20270320T040000Z',
    ],
    busy: { '2027-03-18': '0-24', '2027-03-21': '0-24' },
  },
  {
    title: 'RDATE, with its own length as a period',
    lines: [
      'DTSTART:20270318T100000Z',
      'DURATION:PT1H',
      'RDATE:20270319T100000Z,20270320T100000Z',
      'RDATE;VALUE=PERIOD:20270321T100000Z/PT3H,20270322T100000Z/20270322T120000Z',
      'EXDATE:20270320T100000Z',
    ],
    busy: { '2027-03-18': '6-7', '2027-03-19': '6-7', '2027-03-21': '6-9', '2027-03-22': '6-8' },
  },
];

const SERIES = ['UID:s', 'DTSTART:20270318T100000', 'DURATION:PT1H', 'RRULE:FREQ=DAILY;COUNT=4'];

const STAND_INS: readonly Case[] = [
  {
    title: 'an occurrence that was moved',
    lines: [SERIES, ['UID:s', 'RECURRENCE-ID:20270319T100000', 'DTSTART:20270319T150000', 'DURATION:PT2H']],
    busy: { '2027-03-18': '10-11', '2027-03-19': '15-17', '2027-03-20': '10-11', '2027-03-21': '10-11' },
  },
  {
    title: 'it may stand in front of its series',
    lines: [['UID:s', 'RECURRENCE-ID:20270319T100000', 'DTSTART:20270319T150000', 'DURATION:PT2H'], SERIES],
    busy: { '2027-03-18': '10-11', '2027-03-19': '15-17', '2027-03-20': '10-11', '2027-03-21': '10-11' },
  },
  {
    title: 'an occurrence that was cancelled',
    lines: [
      SERIES,
      [
        'UID:s',
        'RECURRENCE-ID:20270319T100000',
        'DTSTART:20270319T100000',
        'DURATION:PT1H',
        'STATUS:CANCELLED',
      ],
    ],
    busy: { '2027-03-18': '10-11', '2027-03-20': '10-11', '2027-03-21': '10-11' },
  },
  {
    title: 'an occurrence named in another zone',
    lines: [SERIES, ['UID:s', 'RECURRENCE-ID:20270319T140000Z', 'DTSTART:20270319T190000Z', 'DURATION:PT1H']],
    busy: { '2027-03-18': '10-11', '2027-03-19': '15-16', '2027-03-20': '10-11', '2027-03-21': '10-11' },
  },
  {
    title: 'this and all that follow',
    lines: [
      SERIES,
      [
        'UID:s',
        'RECURRENCE-ID;RANGE=THISANDFUTURE:20270320T100000',
        'DTSTART:20270320T120000',
        'DURATION:PT2H',
      ],
    ],
    busy: { '2027-03-18': '10-11', '2027-03-19': '10-11', '2027-03-20': '12-14', '2027-03-21': '12-14' },
  },
  {
    title: 'an occurrence whose series is not in the calendar',
    lines: [['UID:s', 'RECURRENCE-ID:20270319T100000', 'DTSTART:20270319T150000', 'DURATION:PT1H']],
    busy: { '2027-03-19': '15-16' },
  },
  {
    title: 'a cancelled series is gone, and so is what it was',
    lines: [
      [...SERIES, 'SEQUENCE:1'],
      [...SERIES, 'SEQUENCE:2', 'STATUS:CANCELLED'],
    ],
    busy: {},
  },
  {
    title: 'the higher SEQUENCE of one UID counts',
    lines: [
      ['UID:s', 'SEQUENCE:3', 'DTSTART:20270318T150000', 'DURATION:PT1H'],
      ['UID:s', 'SEQUENCE:2', 'DTSTART:20270318T100000', 'DURATION:PT1H'],
    ],
    busy: { '2027-03-18': '15-16' },
  },
  {
    title: 'events without any UID are events of their own',
    lines: [
      ['DTSTART:20270318T150000', 'DURATION:PT1H'],
      ['DTSTART:20270318T100000', 'DURATION:PT1H'],
    ],
    busy: { '2027-03-18': '10-11 15-16' },
  },
];

const OTHERS: readonly Case[] = [
  {
    title: 'a cancelled event does not block',
    lines: ['DTSTART:20270318T100000', 'DURATION:PT1H', 'STATUS:CANCELLED'],
    busy: {},
  },
  {
    title: 'a tentative one does',
    lines: ['DTSTART:20270318T100000', 'DURATION:PT1H', 'STATUS:TENTATIVE'],
    busy: { '2027-03-18': '10-11' },
  },
  {
    title: 'a transparent event does not block',
    lines: ['DTSTART:20270318T100000', 'DURATION:PT1H', 'TRANSP:Transparent'],
    busy: {},
  },
  {
    title: 'our own feed’s events of this space do not come back',
    lines: [['UID:0199a3c4@a-space.hourkeep', 'DTSTART:20270318T100000', 'DURATION:PT1H']],
    busy: {},
  },
  {
    title: 'those of another space block like any other',
    lines: [['UID:0199a3c4@another-space.hourkeep', 'DTSTART:20270318T100000', 'DURATION:PT1H']],
    busy: { '2027-03-18': '10-11' },
  },
  {
    title: 'garbage in what does not matter does no harm',
    lines: [
      'DTSTART:20270318T100000',
      'DURATION:PT1H',
      'DESCRIPTION:broken by a newline',
      'that nobody escaped',
      'ATTENDEE;CN="unbalanced:mailto:x@example.com',
      'DTSTAMP:yesterday',
    ],
    busy: { '2027-03-18': '10-11' },
  },
  {
    title: 'lines folded in the middle of a value, and names in lower case',
    lines: ['dtstart;tzid=America/New_', ' York:2027', '\t0318T100000', 'duration:PT1H'],
    busy: { '2027-03-18': '10-11' },
  },
];

for (const [name, cases] of Object.entries({
  'when an event is': TIMES,
  'recurring events': RULES,
  'occurrences that differ': STAND_INS,
  'which events count': OTHERS,
})) {
  describe(name, () => {
    for (const { title, lines, busy, timezone } of cases) {
      test(title, () => {
        const events = lines.every((line) => typeof line === 'string') ? [['UID:1', ...lines]] : lines;
        const parsed = parse(calendarOf(...(events as string[][])), timezone);
        assert.deepEqual(busyHours(parsed), busy);
        assert.equal(parsed.events, events.length);
      });
    }
  });
}

describe('zones', () => {
  test('a definition of a name that nobody knows is used', () => {
    const text = wrapped([
      'BEGIN:VEVENT',
      'UID:1',
      'DTSTART;TZID=Studio time:20270318T100000',
      'DTEND;TZID=Studio time:20270318T110000',
      'RRULE:FREQ=DAILY;COUNT=3',
      'END:VEVENT',
      ...zone('Studio time', ['STANDARD', '20200101T000000', '+0000', '+0200']),
    ]);
    assert.deepEqual(busyHours(parse(text)), {
      '2027-03-18': '4-5',
      '2027-03-19': '4-5',
      '2027-03-20': '4-5',
    });
  });

  test('a definition with a summer time of its own is followed through it', () => {
    const text = wrapped([
      ...zone(
        'Studio time',
        ['DAYLIGHT', '20200401T020000', '+0000', '+0100', 'RRULE:FREQ=YEARLY;BYMONTH=4;BYMONTHDAY=1'],
        ['STANDARD', '20201001T020000', '+0100', '+0000', 'RRULE:FREQ=YEARLY;BYMONTH=10;BYMONTHDAY=1'],
      ),
      'BEGIN:VEVENT',
      'UID:1',
      'DTSTART;TZID=Studio time:20270331T100000',
      'DURATION:PT1H',
      'RRULE:FREQ=DAILY;COUNT=2',
      'END:VEVENT',
    ]);
    assert.deepEqual(busyHours(parse(text, 'UTC')), { '2027-03-31': '10-11', '2027-04-01': '9-10' });
  });

  test('a known name beats a definition that contradicts it', () => {
    const text = wrapped([
      ...zone('Asia/Seoul', ['STANDARD', '19700101T000000', '+0000', '+0000']),
      'BEGIN:VEVENT',
      'UID:1',
      'DTSTART;TZID=Asia/Seoul:20270318T100000',
      'DURATION:PT1H',
      'END:VEVENT',
    ]);
    assert.deepEqual(busyHours(parse(text, 'Asia/Seoul')), { '2027-03-18': '10-11' });
  });

  test('a definition that makes no sense leaves its name to be understood', () => {
    for (const rule of ['RRULE:FREQ=SECONDLY', 'RRULE:FREQ=NEVER']) {
      const text = wrapped([
        ...zone('Tokyo Standard Time', ['STANDARD', '19700101T000000', '+0000', '+0000', rule]),
        'BEGIN:VEVENT',
        'UID:1',
        'DTSTART;TZID=Tokyo Standard Time:20270318T100000',
        'DURATION:PT1H',
        'END:VEVENT',
      ]);
      assert.deepEqual(busyHours(parse(text, 'Asia/Tokyo')), { '2027-03-18': '10-11' });
    }
  });

  test('every Windows zone stands for a zone that the runtime knows', () => {
    assert.deepEqual(
      allWindowsZones().filter((name) => !isTimezone(name)),
      [],
    );
    assert.equal(windowsZone('w. europe standard time'), 'Europe/Berlin');
    assert.equal(windowsZone('Pacific Standard Time (Mexico)'), 'America/Tijuana');
    assert.equal(windowsZone('No Such Standard Time'), undefined);
  });
});

describe('calendars that cannot be used', () => {
  const BROKEN: readonly [title: string, text: string, message: RegExp][] = [
    ['an empty answer', '', /^the answer is empty$/],
    ['blank lines', '\r\n\r\n', /^the answer is empty$/],
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

  test('an event without sense among others is counted and left out', () => {
    const text = calendarOf(
      ['UID:1', 'DTSTART:20270318T100000', 'DURATION:PT1H'],
      ['UID:2', 'DTSTART:whenever'],
      ['UID:3', 'DTSTART:20270319T100000', 'RRULE:FREQ=SOMETIMES'],
    );
    const parsed = parse(text);
    assert.deepEqual(busyHours(parsed), { '2027-03-18': '10-11' });
    assert.deepEqual([parsed.events, parsed.unreadable], [3, 2]);
  });

  test('a calendar without events is fine, and so are several in a row', () => {
    assert.equal(parse(calendarOf()).events, 0);
    const one = calendarOf(['DTSTART:20270318T100000', 'DURATION:PT1H']);
    const two = calendarOf(['DTSTART:20270319T100000', 'DURATION:PT1H']);
    const expected = { '2027-03-18': '10-11', '2027-03-19': '10-11' };
    assert.deepEqual(busyHours(parse(`\uFEFF${one}${two}\r\n`)), expected);
  });
});

function zone(tzid: string, ...parts: readonly (readonly string[])[]): string[] {
  return [
    'BEGIN:VTIMEZONE',
    `TZID:${tzid}`,
    ...parts.flatMap(([name, start, from, to, ...rest]) => [
      `BEGIN:${name}`,
      `DTSTART:${start}`,
      `TZOFFSETFROM:${from}`,
      `TZOFFSETTO:${to}`,
      ...rest,
      `END:${name}`,
    ]),
    'END:VTIMEZONE',
  ];
}
