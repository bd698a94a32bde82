import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { busyHours, describeCases, parse, wrapped, type Case } from '../../../test/support/busy-hours.ts';
import { isTimezone } from '../../time/zones.ts';
import { allWindowsZones, displayedZone, windowsZone } from './windows-zones.ts';

/** New York's summer time begins on 14 March 2027. */
const NAMES: readonly Case[] = [
  {
    title: 'what Outlook shows stands for a zone with its summer time, not for the offset in it',
    lines: [
      ['DTSTART;TZID="(UTC-05:00) Eastern Time (US & Canada)":20270312T100000', 'DURATION:PT1H'],
      ['DTSTART;TZID="(UTC-05:00) Eastern Time (US & Canada)":20270318T100000', 'DURATION:PT1H'],
    ],
    busy: { '2027-03-12': '10-11', '2027-03-18': '10-11' },
  },
  {
    title: 'it may have lost its quotes',
    lines: ['DTSTART;TZID=(UTC-05:00) Eastern Time (US & Canada):20270318T100000', 'DURATION:PT1H'],
    busy: { '2027-03-18': '10-11' },
  },
  {
    title: 'it may have its quotes in the wrong place, or the & in words',
    lines: [
      ['DTSTART;TZID="(UTC-05:00) Eastern Time (US & Canada):20270318T100000"', 'DURATION:PT1H'],
      ['DTSTART;TZID="(UTC-05:00) Eastern Time (US and Canada)":20270319T100000', 'DURATION:PT1H'],
    ],
    busy: { '2027-03-18': '10-11', '2027-03-19': '10-11' },
  },
  {
    title: 'it may be in another language, as long as one of its cities is known',
    lines: ['DTSTART;TZID="(UTC+01:00) Amsterdam, Berlin, Bern, Rom, Stockholm, Wien":20270618T160000'],
    busy: { '2027-06-18': '10-11' },
  },
  {
    title: 'without anything known in it, its offset is believed',
    lines: ['DTSTART;TZID="(UTC-05:00) Somewhere":20270318T100000', 'DURATION:PT1H'],
    busy: { '2027-03-18': '11-12' },
  },
  {
    title: 'Exchange’s own name for UTC',
    lines: ['DTSTART;TZID=tzone://Microsoft/Utc:20270318T140000', 'DURATION:PT1H'],
    busy: { '2027-03-18': '10-11' },
  },
  {
    title: 'an end without a zone is in that of the start',
    lines: ['DTSTART;TZID=Europe/Berlin:20270318T150000', 'DTEND:20270318T170000'],
    busy: { '2027-03-18': '10-12' },
  },
  {
    title: 'a start without a zone is in that of the end',
    lines: ['DTSTART:20270318T150000', 'DTEND;TZID=Europe/Berlin:20270318T170000'],
    busy: { '2027-03-18': '10-12' },
  },
  {
    title: 'so are the dates of a series',
    lines: [
      'DTSTART;TZID=Europe/Berlin:20270318T150000',
      'DURATION:PT1H',
      'RRULE:FREQ=DAILY;COUNT=3',
      'RDATE:20270325T150000',
      'EXDATE:20270319T150000',
    ],
    busy: { '2027-03-18': '10-11', '2027-03-20': '10-11', '2027-03-25': '10-11' },
  },
];

describeCases('names of zones', NAMES);

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

  test('a definition begins at its DTSTART and at every RDATE', () => {
    const studio = zone(
      'Studio time',
      ['STANDARD', '20200101T000000', '+0000', '+0000'],
      ['DAYLIGHT', '20270320T020000', '+0000', '+0300', 'RDATE:20270324T020000,20270326T020000'],
      ['STANDARD', '20270322T020000', '+0300', '+0000', 'RDATE:20270325T020000', 'RDATE:20270327T020000'],
    );
    const event = (days: number): string[] => [
      'BEGIN:VEVENT',
      'DTSTART;TZID=Studio time:20270319T120000',
      'DURATION:PT1H',
      `RRULE:FREQ=DAILY;COUNT=${days}`,
      'END:VEVENT',
    ];
    assert.deepEqual(busyHours(parse(wrapped([...studio, ...event(9)]), 'UTC')), {
      '2027-03-19': '12-13',
      '2027-03-20': '9-10',
      '2027-03-21': '9-10',
      '2027-03-22': '12-13',
      '2027-03-23': '12-13',
      '2027-03-24': '9-10',
      '2027-03-25': '12-13',
      '2027-03-26': '9-10',
      '2027-03-27': '12-13',
    });
  });

  test('in a defined zone too, a skipped time is as far after the jump and a repeated one its first pass', () => {
    const text = wrapped([
      ...zone(
        'Studio time',
        ['DAYLIGHT', '20270320T020000', '+0000', '+0100'],
        ['STANDARD', '20270322T020000', '+0100', '+0000'],
      ),
      ...['20270320T023000', '20270322T013000'].flatMap((start) => [
        'BEGIN:VEVENT',
        `DTSTART;TZID=Studio time:${start}`,
        'DURATION:PT15M',
        'END:VEVENT',
      ]),
    ]);
    assert.deepEqual(busyHours(parse(text, 'UTC')), { '2027-03-20': '2-3', '2027-03-22': '0-1' });
  });

  test('what the calendar says of a zone is found by its name, however that is written', () => {
    const text = wrapped([
      ...zone('Here\\, there', ['STANDARD', '20200101T000000', '+0000', '+0200']),
      'BEGIN:VEVENT',
      'DTSTART;TZID="Here, there":20270318T120000',
      'DURATION:PT1H',
      'END:VEVENT',
    ]);
    assert.deepEqual(busyHours(parse(text, 'UTC')), { '2027-03-18': '10-11' });
  });

  test('every Windows zone stands for a zone that the runtime knows', () => {
    assert.deepEqual(
      allWindowsZones().filter((name) => !isTimezone(name)),
      [],
    );
    assert.equal(windowsZone('w. europe standard time'), 'Europe/Berlin');
    assert.equal(windowsZone('Pacific Standard Time (Mexico)'), 'America/Tijuana');
    assert.equal(windowsZone('No Such Standard Time'), undefined);
    assert.equal(displayedZone('(UTC+00:00) Dublin, Edinburgh, Lisbon, London'), 'Europe/London');
    assert.equal(displayedZone('(GMT+09:00) Osaka, Sapporo, Tokyo'), 'Asia/Tokyo');
    assert.equal(displayedZone('(UTC-04:00) Georgetown, La Paz, Manaus, San Juan'), 'America/La_Paz');
    assert.equal(displayedZone('(UTC-07:00) Chihuahua, La Paz, Mazatlan'), 'America/Mazatlan');
    assert.equal(displayedZone('(UTC) Coordinated Universal Time'), 'UTC');
    assert.equal(displayedZone('(UTC+01:00)'), undefined);
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
