import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { busyHours, parse } from '../../../test/support/busy-hours.ts';
import { Unreadable } from './limits.ts';

const FOLDER = new URL('../../../test/calendars/', import.meta.url);

// Which hours they block is in cases.txt.
describe('calendars as exporters write them', () => {
  for (const file of readdirSync(FOLDER).filter((name) => name.endsWith('.ics'))) {
    const text = readFileSync(new URL(file, FOLDER), 'utf8');

    test(`${file} blocks the same hours whatever its line ends are`, () => {
      const unix = text.replaceAll('\r\n', '\n');
      const busy = busyHours(parse(text));
      assert.ok(Object.keys(busy).length > 0);
      for (const other of [unix, unix.replaceAll('\n', '\r\n')])
        assert.deepEqual(busyHours(parse(other)), busy);
    });

    test(`${file} cut off anywhere is refused`, () => {
      for (let length = 0; length < text.trimEnd().length; length += 97) {
        assert.throws(() => parse(text.slice(0, length)), { constructor: Unreadable }, `at ${length}`);
      }
    });
  }
});
