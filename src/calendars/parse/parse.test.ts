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
import { Unreadable } from './limits.ts';

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
    title: 'an end in UTC is in UTC, and its zone says nothing about the start',
    lines: ['DTSTART:20270318T100000', 'DTEND;TZID=Europe/Berlin:20270318T150000Z'],
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
    title:
      'this and all that follow move on the clock of the series, whatever clock the change is written in',
    lines: [
      ['UID:s', 'DTSTART;TZID=Europe/Berlin:20270325T150000', 'DURATION:PT1H', 'RRULE:FREQ=DAILY;COUNT=5'],
      [
        'UID:s',
        'RECURRENCE-ID;RANGE=THISANDFUTURE:20270326T140000Z',
        'DTSTART:20270326T150000Z',
        'DURATION:PT1H',
      ],
    ],
    // Berlin's summer time begins on 28 March, New York's has begun.
    busy: {
      '2027-03-25': '10-11',
      '2027-03-26': '11-12',
      '2027-03-27': '11-12',
      '2027-03-28': '10-11',
      '2027-03-29': '10-11',
    },
  },
  {
    title: 'this and all that follow become whole days on their own dates',
    lines: [
      [
        'UID:s',
        'DTSTART;TZID=Asia/Tokyo:20270318T080000',
        'DURATION:PT1H',
        'RRULE:FREQ=DAILY;BYHOUR=8,10;COUNT=6',
      ],
      [
        'UID:s',
        'RECURRENCE-ID;RANGE=THISANDFUTURE:20270318T230000Z',
        'DTSTART;VALUE=DATE:20270320',
        'DURATION:P1D',
      ],
    ],
    busy: { '2027-03-17': '19-20 21-22', '2027-03-20': '0-24', '2027-03-21': '0-24' },
  },
  {
    title: 'whole days become hours: this and all that follow',
    lines: [
      ['UID:s', 'DTSTART;VALUE=DATE:20270312', 'RRULE:FREQ=DAILY;COUNT=4'],
      [
        'UID:s',
        'RECURRENCE-ID;VALUE=DATE;RANGE=THISANDFUTURE:20270313',
        'DTSTART:20270313T150000Z',
        'DURATION:PT1H',
      ],
    ],
    busy: { '2027-03-12': '0-24', '2027-03-13': '10-11', '2027-03-14': '10-11', '2027-03-15': '10-11' },
  },
  {
    title: 'an occurrence named without a zone is named on the clock of its series',
    lines: [
      ['UID:s', 'DTSTART;TZID=America/New_York:20270318T100000', 'DURATION:PT1H', 'RRULE:FREQ=DAILY;COUNT=2'],
      [
        'UID:s',
        'RECURRENCE-ID:20270319T100000',
        'DTSTART;TZID=Europe/Berlin:20270319T200000',
        'DURATION:PT1H',
      ],
    ],
    busy: { '2027-03-18': '10-11', '2027-03-19': '15-16' },
  },
  {
    title: 'a rule counts where the occurrence that its event replaces belongs to no series',
    lines: [
      [
        'UID:s',
        'RECURRENCE-ID:19700101T070000Z',
        'DTSTART:20270318T100000',
        'DURATION:PT1H',
        'RRULE:FREQ=DAILY;COUNT=4',
        'EXDATE:20270319T100000',
      ],
      ['UID:s', 'RECURRENCE-ID:20270320T100000', 'DTSTART:20270320T150000', 'DURATION:PT1H'],
    ],
    busy: { '2027-03-18': '10-11', '2027-03-20': '15-16', '2027-03-21': '10-11' },
  },
  {
    title: 'so it does beside a series that has no such occurrence',
    lines: [
      SERIES,
      [
        'UID:s',
        'RECURRENCE-ID:20270319T103000',
        'DTSTART:20270418T100000',
        'DURATION:PT1H',
        'RRULE:FREQ=DAILY;COUNT=2',
      ],
    ],
    busy: {
      '2027-03-18': '10-11',
      '2027-03-19': '10-11',
      '2027-03-20': '10-11',
      '2027-03-21': '10-11',
      '2027-04-18': '10-11',
      '2027-04-19': '10-11',
    },
  },
  {
    title: 'the rule and the extra dates of one occurrence of a series are left out, and named',
    lines: [
      SERIES,
      [
        'UID:s',
        'RECURRENCE-ID:20270319T100000',
        'DTSTART:20270319T150000',
        'DURATION:PT1H',
        'RRULE:FREQ=DAILY;COUNT=2',
        'RDATE:20270401T150000',
      ],
    ],
    busy: { '2027-03-18': '10-11', '2027-03-19': '15-16', '2027-03-20': '10-11', '2027-03-21': '10-11' },
    problems: ['RRULE (of a single occurrence)', 'RDATE (of a single occurrence)'],
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

describeCases('when an event is', TIMES);
describeCases('occurrences that differ', STAND_INS);
describeCases('which events count', OTHERS);

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

  test('a calendar without events is fine, and so are several in a row', () => {
    assert.equal(parse(calendarOf()).events, 0);
    const one = calendarOf(['DTSTART:20270318T100000', 'DURATION:PT1H']);
    const two = calendarOf(['DTSTART:20270319T100000', 'DURATION:PT1H']);
    const expected = { '2027-03-18': '10-11', '2027-03-19': '10-11' };
    assert.deepEqual(busyHours(parse(`\uFEFF${one}${two}\r\n`)), expected);
  });
});
