import { describeCases, type Case } from '../../../test/support/busy-hours.ts';

const RULES: readonly Case[] = [
  {
    title: 'the 53rd Thursday of a year that has 52 is not one of the next year',
    lines: ['DTSTART:20260101T100000', 'DURATION:PT1H', 'RRULE:FREQ=YEARLY;BYDAY=52TH,53TH'],
    busy: { '2027-12-30': '10-11' },
  },
  {
    title: 'the 53rd Friday from the end of a year that has 52 is not one of the year before',
    lines: ['DTSTART:20210101T100000', 'DURATION:PT1H', 'RRULE:FREQ=YEARLY;BYDAY=-52FR,-53FR'],
    busy: { '2028-01-07': '10-11' },
  },
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

/** What the engine before this one made other dates of; test/long/recurrence.ts has the judge. */
const HARD: readonly Case[] = [
  {
    title: 'the twentieth Monday of the year',
    lines: ['DTSTART:19970519T090000', 'DURATION:PT1H', 'RRULE:FREQ=YEARLY;BYDAY=20MO'],
    busy: { '2027-05-17': '9-10' },
  },
  {
    title: 'the Monday of the twentieth week',
    lines: ['DTSTART:19970512T090000', 'DURATION:PT1H', 'RRULE:FREQ=YEARLY;BYWEEKNO=20;BYDAY=MO'],
    busy: { '2027-05-17': '9-10' },
  },
  {
    title: 'a week without a day is the whole week',
    lines: ['DTSTART:20260519T090000', 'DURATION:PT1H', 'RRULE:FREQ=YEARLY;BYWEEKNO=20'],
    busy: {
      '2027-05-17': '9-10',
      '2027-05-18': '9-10',
      '2027-05-19': '9-10',
      '2027-05-20': '9-10',
      '2027-05-21': '9-10',
      '2027-05-22': '9-10',
      '2027-05-23': '9-10',
    },
  },
  {
    title: 'the last day of the month, daily',
    lines: ['DTSTART:20270331T100000', 'DURATION:PT1H', 'RRULE:FREQ=DAILY;BYMONTHDAY=-1;COUNT=3'],
    busy: { '2027-03-31': '10-11', '2027-04-30': '10-11', '2027-05-31': '10-11' },
  },
  {
    title: 'every fifth hour, if that is at fourteen',
    lines: ['DTSTART:20270318T090000', 'DURATION:PT1H', 'RRULE:FREQ=HOURLY;INTERVAL=5;BYHOUR=14;COUNT=3'],
    busy: { '2027-03-18': '9-10 14-15', '2027-03-23': '14-15', '2027-03-28': '14-15' },
  },
  {
    title: 'only the hours that count are counted',
    lines: ['DTSTART:20270318T080000', 'DURATION:PT1H', 'RRULE:FREQ=HOURLY;BYHOUR=9,17;COUNT=4'],
    busy: { '2027-03-18': '8-10 17-18', '2027-03-19': '9-10 17-18' },
  },
  {
    title: 'every second month, if it is one of three',
    lines: ['DTSTART:20270318T100000', 'DURATION:PT1H', 'RRULE:FREQ=MONTHLY;INTERVAL=2;BYMONTH=5,8,11'],
    busy: { '2027-03-18': '10-11', '2027-05-18': '10-11', '2027-11-18': '10-11' },
  },
  {
    title: 'some days of every third month, if they are some weekdays',
    lines: [
      'DTSTART:20220812T100000',
      'DURATION:PT1H',
      'RRULE:FREQ=MONTHLY;INTERVAL=3;BYMONTHDAY=-16,12,17,27;BYDAY=MO,WE,SU',
    ],
    busy: {
      '2027-05-12': '10-11',
      '2027-05-16': '10-11',
      '2027-05-17': '10-11',
      '2027-08-16': '10-11',
      '2027-11-15': '10-11',
      '2027-11-17': '10-11',
      '2028-02-14': '10-11',
      '2028-02-27': '10-11',
    },
  },
  {
    title: 'the 31st of two months of which one has none',
    lines: ['DTSTART:20260531T100000', 'DURATION:PT1H', 'RRULE:FREQ=YEARLY;BYMONTH=5,11;BYMONTHDAY=31'],
    busy: { '2027-05-31': '10-11' },
  },
  {
    title: 'days of the month in a week of the year',
    lines: ['DTSTART:20200517T090000', 'DURATION:PT1H', 'RRULE:FREQ=YEARLY;BYWEEKNO=20;BYMONTHDAY=17,18'],
    busy: { '2027-05-17': '9-10', '2027-05-18': '9-10' },
  },
  {
    title: 'a weekday among days of the year',
    lines: [
      'DTSTART:20200517T090000',
      'DURATION:PT1H',
      'RRULE:FREQ=YEARLY;BYYEARDAY=100,101,102,103,104,105,106;BYDAY=SA',
    ],
    busy: { '2027-04-10': '9-10' },
  },
  {
    title: 'the last Friday the 13th of a year',
    lines: [
      'DTSTART:20200101T090000',
      'DURATION:PT1H',
      'RRULE:FREQ=YEARLY;BYMONTHDAY=13;BYDAY=FR;BYSETPOS=-1',
    ],
    busy: { '2027-08-13': '9-10' },
  },
  {
    title: 'a count of days that began decades ago and ends now',
    lines: ['DTSTART:19930101T100000', 'DURATION:PT1H', 'RRULE:FREQ=DAILY;COUNT=12479'],
    busy: { '2027-02-28': '10-11', '2027-03-01': '10-11', '2027-03-02': '10-11' },
  },
  {
    title: 'a count of working days that began decades ago',
    lines: ['DTSTART:19930101T100000', 'DURATION:PT1H', 'RRULE:FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR;COUNT=8913'],
    busy: { '2027-03-01': '10-11', '2027-03-02': '10-11' },
  },
  {
    title: 'a count of hours that began decades ago',
    lines: ['DTSTART:19930101T100000', 'DURATION:PT1H', 'RRULE:FREQ=HOURLY;COUNT=299416'],
    busy: { '2027-02-28': '0-2' },
  },
  {
    title: 'a count that ended decades ago',
    lines: ['DTSTART:19930101T100000', 'DURATION:PT1H', 'RRULE:FREQ=DAILY;BYDAY=MO;COUNT=30'],
    busy: {},
  },
  {
    title: 'counts and intervals beyond all time',
    lines: [
      ['DTSTART:20280403T100000', 'DURATION:PT1H', 'RRULE:FREQ=DAILY;COUNT=1000000000000000000'],
      ['DTSTART:20270318T100000', 'DURATION:PT1H', 'RRULE:FREQ=YEARLY;INTERVAL=1000000000000000000'],
    ],
    busy: { '2027-03-18': '10-11', '2028-04-03': '10-11', '2028-04-04': '10-11' },
  },
  {
    title: 'an occurrence in the hour that the clocks skip is as far after the jump',
    lines: ['DTSTART:20270313T023000', 'DURATION:PT30M', 'RRULE:FREQ=DAILY;COUNT=3'],
    busy: { '2027-03-13': '2-3', '2027-03-14': '3-4', '2027-03-15': '2-3' },
  },
  {
    title: 'also where they skip half an hour',
    lines: ['DTSTART:20271002T021500', 'DURATION:PT15M', 'RRULE:FREQ=DAILY;COUNT=3'],
    busy: { '2027-10-02': '2-3', '2027-10-03': '2-3', '2027-10-04': '2-3' },
    timezone: 'Australia/Lord_Howe',
  },
  {
    title: 'the last working day of the month across the years',
    lines: [
      'DTSTART:20271231T100000',
      'DURATION:PT1H',
      'RRULE:FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1;COUNT=3',
    ],
    busy: { '2027-12-31': '10-11', '2028-01-31': '10-11', '2028-02-29': '10-11' },
  },
  {
    title: 'whole days have no hours of the day',
    lines: ['DTSTART;VALUE=DATE:20270318', 'RRULE:FREQ=DAILY;BYHOUR=9;BYMINUTE=30;COUNT=2'],
    busy: { '2027-03-18': '0-24', '2027-03-19': '0-24' },
  },
  {
    title: 'whole days every thirty-sixth hour are the days in which those hours lie',
    lines: ['DTSTART;VALUE=DATE:20270318', 'RRULE:FREQ=HOURLY;INTERVAL=36;COUNT=3'],
    busy: { '2027-03-18': '0-24', '2027-03-19': '0-24', '2027-03-21': '0-24' },
  },
  {
    title: 'a number before a weekday says nothing in a week',
    lines: ['DTSTART:20270318T100000', 'DURATION:PT1H', 'RRULE:FREQ=WEEKLY;BYDAY=1TH;COUNT=2'],
    busy: { '2027-03-18': '10-11', '2027-03-25': '10-11' },
  },
  {
    title: 'a count of minus one is none',
    lines: ['DTSTART:20280403T100000', 'DURATION:PT1H', 'RRULE:FREQ=DAILY;COUNT=-1'],
    busy: { '2028-04-03': '10-11', '2028-04-04': '10-11' },
  },
  {
    title: 'an interval of none is one, lower case and spaces are no matter, and a rule may be there twice',
    lines: [
      'DTSTART:20270318T100000',
      'DURATION:PT1H',
      'RRULE:freq=weekly; interval=0; count=2;',
      'RRULE:FREQ=DAILY;COUNT=2',
    ],
    busy: { '2027-03-18': '10-11', '2027-03-19': '10-11', '2027-03-25': '10-11' },
  },
];

describeCases('recurring events', RULES);
describeCases('rules that are hard', HARD);
