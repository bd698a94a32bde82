import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { busyHours, parse, wrapped, type BusyHours } from '../../../test/support/busy-hours.ts';
import { isTimezone } from '../../time/zones.ts';
import { allWindowsZones, displayedZone, windowsZone } from './windows-zones.ts';

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
      assert.deepEqual(busyHours(parse(wrapped(lines))), { '2027-03-18': '4-5', '2027-03-19': '4-5' });
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

  test('a known name beats a definition that contradicts it', () => {
    const definition = zone('Asia/Seoul', ['STANDARD', '19700101T000000', '+0000', '+0000']);
    const event = eventOf('DTSTART;TZID=Asia/Seoul:20270318T100000');
    assert.deepEqual(hoursOf(definition, event, 'Asia/Seoul'), { '2027-03-18': '10-11' });
  });

  test('a definition that makes no sense leaves its name to be understood', () => {
    const event = eventOf('DTSTART;TZID=Tokyo Standard Time:20270318T100000');
    for (const rule of ['RRULE:FREQ=SECONDLY', 'RRULE:FREQ=NEVER']) {
      const part = ['STANDARD', '19700101T000000', '+0000', '+0000', rule];
      const definition = zone('Tokyo Standard Time', part);
      assert.deepEqual(hoursOf(definition, event, 'Asia/Tokyo'), { '2027-03-18': '10-11' });
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

/** An event of an hour. */
function eventOf(...lines: readonly string[]): string[] {
  return ['BEGIN:VEVENT', ...lines, 'DURATION:PT1H', 'END:VEVENT'];
}

/** The hours that an event blocks at a space, mostly in UTC, where its calendar defines a zone. */
function hoursOf(definition: readonly string[], event: readonly string[], timezone = 'UTC'): BusyHours {
  return busyHours(parse(wrapped([...definition, ...event]), timezone));
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
