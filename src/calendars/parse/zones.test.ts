import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { busyHours, parse, wrapped, type BusyHours } from '../../../test/support/busy-hours.ts';
import { isTimezone } from '../../time/zones.ts';
import { displayedZone, windowsZone, WINDOWS_ZONES } from './windows-zones.ts';

const STUDIO = 'Studio time';
const IN_STUDIO = 'DTSTART;TZID=Studio time';

describe('zones', () => {
  test('a definition of a name that nobody knows is used, wherever it stands', () => {
    const definition = zone(STUDIO, ['STANDARD', '20200101T000000', '+0000', '+0200']);
    const event = eventOf(`${IN_STUDIO}:20270318T100000`, 'RRULE:FREQ=DAILY;COUNT=2');
    for (const lines of [
      [...definition, ...event],
      [...event, ...definition],
    ])
      assert.deepEqual(busyHours(parse(wrapped(lines), 'UTC')), { '2027-03-18': '8-9', '2027-03-19': '8-9' });
  });

  test('a definition with a summer time of its own is followed through it', () => {
    const definition = zone(
      STUDIO,
      ['DAYLIGHT', '20200401T020000', '+0000', '+0100', 'RRULE:FREQ=YEARLY;BYMONTH=4;BYMONTHDAY=1'],
      ['STANDARD', '20201001T020000', '+0100', '+0000', 'RRULE:FREQ=YEARLY;BYMONTH=10;BYMONTHDAY=1'],
    );
    const event = eventOf(`${IN_STUDIO}:20270331T100000`, 'RRULE:FREQ=DAILY;COUNT=2');
    assert.deepEqual(hoursOf(definition, event), { '2027-03-31': '10-11', '2027-04-01': '9-10' });
  });

  test('a known name beats a definition that contradicts it, also behind a vendor’s prefix', () => {
    for (const name of ['Asia/Seoul', '/example.org/20050126_1/Asia/Seoul']) {
      const definition = zone(name, ['STANDARD', '19700101T000000', '+0000', '+0000']);
      const event = eventOf(`DTSTART;TZID=${name}:20270318T100000`);
      assert.deepEqual(hoursOf(definition, event), { '2027-03-18': '1-2' });
    }
  });

  test('a definition that makes no sense leaves its name to be understood', () => {
    const event = eventOf('DTSTART;TZID=Tokyo Standard Time:20270318T100000');
    for (const rule of ['RRULE:FREQ=SECONDLY', 'RRULE:FREQ=NEVER']) {
      const part = ['STANDARD', '19700101T000000', '+0000', '+0000', rule];
      assert.deepEqual(hoursOf(zone('Tokyo Standard Time', part), event), { '2027-03-18': '1-2' });
    }
  });

  test('a definition begins at its DTSTART and at every RDATE', () => {
    const definition = zone(
      STUDIO,
      ['STANDARD', '20200101T000000', '+0000', '+0000'],
      ['DAYLIGHT', '20270320T020000', '+0000', '+0300', 'RDATE:20270324T020000,20270326T020000'],
      ['STANDARD', '20270322T020000', '+0300', '+0000', 'RDATE:20270325T020000', 'RDATE:20270327T020000'],
    );
    const hours = hoursOf(definition, eventOf(`${IN_STUDIO}:20270319T120000`, 'RRULE:FREQ=DAILY;COUNT=9'));
    const [before, after] = ['12-13', '9-10'];
    const expected = [before, after, after, before, before, after, before, after, before];
    assert.deepEqual(Object.values(hours), expected);
  });

  test('in a defined zone too, a skipped time is as far after the jump and a repeated one its first pass', () => {
    const definition = zone(
      STUDIO,
      ['DAYLIGHT', '20270320T020000', '+0000', '+0100'],
      ['STANDARD', '20270322T020000', '+0100', '+0000'],
    );
    const skipped = eventOf(`${IN_STUDIO}:20270320T023000`);
    assert.deepEqual(hoursOf(definition, skipped), { '2027-03-20': '2-4' });
    const repeated = eventOf(`${IN_STUDIO}:20270322T013000`);
    assert.deepEqual(hoursOf(definition, repeated), { '2027-03-22': '0-2' });
  });

  test('what the calendar says of a zone is found by its name, however that is written', () => {
    const definition = zone('Here\\, there', ['STANDARD', '20200101T000000', '+0000', '+0200']);
    const event = eventOf('DTSTART;TZID="Here, there":20270318T120000');
    assert.deepEqual(hoursOf(definition, event), { '2027-03-18': '10-11' });
  });

  test('every Windows zone stands for a zone that the runtime knows', () => {
    assert.deepEqual(
      [...WINDOWS_ZONES.values()].filter((name) => !isTimezone(name)),
      [],
    );
    for (const [name, expected] of [
      ['w. europe standard time', 'Europe/Berlin'],
      ['Pacific Standard Time (Mexico)', 'America/Tijuana'],
      ['Omsk Standard Time', 'Asia/Omsk'],
      ['Egypt Standard Time', 'Egypt'],
      ['Chatham Islands Standard Time', 'Pacific/Chatham'],
      ['No Such Standard Time', undefined],
    ] as const)
      assert.equal(windowsZone(name), expected, name);
  });

  test('what Outlook shows stands for the first place whose clocks show its offset', () => {
    for (const [text, expected] of [
      ['(UTC-05:00) Eastern Time (US & Canada)', 'America/New_York'],
      ['(UTC-04:00) Atlantic Time (Canada)', 'America/Halifax'],
      ['(UTC+00:00) Dublin, Edinburgh, Lisbon, London', 'Europe/Dublin'],
      ['(GMT+09:00) Osaka, Sapporo, Tokyo', 'Asia/Tokyo'],
      ['(UTC-04:00) Georgetown, La Paz, Manaus, San Juan', 'America/La_Paz'],
      ['(UTC-07:00) Chihuahua, La Paz, Mazatlan', 'America/Mazatlan'],
      ['(UTC+06:00) Nur-Sultan', '+06:00'],
      ['(UTC) Coordinated Universal Time', '+00:00'],
      ['UTC-11', '-11:00'],
      ['(UTC+05:30) Somewhere', '+05:30'],
      ['Somewhere', undefined],
    ] as const)
      assert.equal(displayedZone(text), expected, text);
  });
});

/** An event of an hour. */
function eventOf(...lines: readonly string[]): string[] {
  return ['BEGIN:VEVENT', ...lines, 'DURATION:PT1H', 'END:VEVENT'];
}

/** The hours that an event blocks at a space in UTC, where its calendar defines a zone. */
function hoursOf(definition: readonly string[], event: readonly string[]): BusyHours {
  return busyHours(parse(wrapped([...definition, ...event]), 'UTC'));
}

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
