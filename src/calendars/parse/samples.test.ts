import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { busyHours, parse, type BusyHours } from '../../../test/support/busy-hours.ts';
import { Unreadable } from './limits.ts';

/** Calendars in the shapes that exporters write, and exactly the hours each of them blocks. */
const SAMPLES: readonly { file: string; timezone: string; busy: BusyHours }[] = [
  {
    file: 'airbnb.ics',
    timezone: 'America/New_York',
    busy: {
      // Rolling "not available" entries reach in from both ends of the window.
      '2027-02-28': '0-24',
      '2027-03-05': '0-24',
      '2027-03-06': '0-24',
      '2027-03-13': '0-24',
      // The clocks skip hour 2.
      '2027-03-14': '0-2 3-24',
      '2028-04-03': '0-24',
      '2028-04-04': '0-24',
    },
  },
  {
    file: 'booking-com.ics',
    timezone: 'Europe/Berlin',
    busy: {
      '2027-03-10': '0-24',
      '2027-03-11': '0-24',
      // Its end is its start, and the clocks go back on this day.
      '2027-10-31': '0-24',
    },
  },
  {
    file: 'google.ics',
    timezone: 'America/New_York',
    busy: {
      '2027-03-02': '9-11',
      '2027-03-04': '9-11',
      // The 9th is an exception, the 11th was moved to here, the 18th cancelled.
      '2027-03-12': '14-15',
      '2027-03-16': '9-11',
      '2027-03-19': '22-24',
      '2027-03-23': '9-11',
      '2027-03-25': '9-11',
      '2027-03-30': '9-11',
    },
  },
  {
    file: 'outlook.ics',
    timezone: 'America/New_York',
    busy: {
      '2027-03-11': '10-11',
      '2027-03-15': '10-11 16-18',
      '2027-03-18': '10-11',
      '2027-03-25': '10-11',
      // Twenty o'clock in western Europe, where summer time begins two days later.
      '2027-03-26': '15-16',
      // Half past three hours behind UTC all year.
      '2027-03-30': '11-13',
    },
  },
  {
    file: 'apple.ics',
    timezone: 'Europe/Paris',
    busy: {
      '2027-03-26': '18-20',
      '2027-03-27': '18-20',
      '2027-03-28': '18-20',
      '2027-03-29': '18-20',
      '2027-04-02': '12-13',
      '2027-04-05': '18-20',
      '2027-04-10': '0-24',
      '2027-05-08': '0-24',
    },
  },
  {
    file: 'nextcloud.ics',
    timezone: 'Europe/Berlin',
    busy: {
      '2027-03-28': '1-2 3-4',
      '2027-04-30': '19-22',
      '2027-10-30': '22-24',
      // The repeated hour is one hour.
      '2027-10-31': '0-3',
    },
  },
];

describe('calendars as exporters write them', () => {
  for (const { file, timezone, busy } of SAMPLES) {
    test(`${file} blocks exactly its hours`, () => {
      const parsed = parse(read(file), timezone);
      assert.deepEqual(busyHours(parsed), busy);
      assert.deepEqual(parsed.problems, []);
    });

    test(`${file} blocks the same hours whatever its line ends are`, () => {
      const text = read(file).replaceAll('\r\n', '\n');
      assert.deepEqual(busyHours(parse(text, timezone)), busy);
      assert.deepEqual(busyHours(parse(text.replaceAll('\n', '\r\n'), timezone)), busy);
    });

    test(`${file} cut off anywhere is refused`, () => {
      const text = read(file);
      for (let length = 0; length < text.trimEnd().length; length += 97) {
        assert.throws(
          () => parse(text.slice(0, length), timezone),
          { constructor: Unreadable },
          `at ${length}`,
        );
      }
    });
  }
});

function read(file: string): string {
  return readFileSync(new URL(`../../../test/calendars/${file}`, import.meta.url), 'utf8');
}
