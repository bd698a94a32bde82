import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { NOW } from '../../../test/support/busy-hours.ts';
import { Grid } from './grid.ts';
import { ianaZone } from '../../time/wall-clock.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

/**
 * Zones that change their clocks by an hour, by half of one, at midnight, or never; and odd offsets. Each in
 * whole hours, though: where 3:45 becomes 2:45, hour 3 reaches over the second half of hour 2.
 */
const ZONES = [
  'America/New_York',
  'Europe/London',
  'Asia/Beirut',
  'Australia/Lord_Howe',
  'America/Havana',
  'Atlantic/Azores',
  'Asia/Kathmandu',
  'Africa/Casablanca',
  'UTC',
] as const;

test('exactly the hours that a clock on the wall shows during an event are marked', () => {
  const aroundAChange = fc.constantFrom(...ZONES).chain((zone) =>
    fc.constantFrom(...changesOf(zone)).chain((change) =>
      fc.record({
        zone: fc.constant(zone),
        start: fc.integer({ min: -300, max: 300 }).map((minutes) => change + minutes * MINUTE_MS),
        minutes: fc.integer({ min: 1, max: 400 }),
      }),
    ),
  );
  fc.assert(
    fc.property(aroundAChange, ({ zone, start, minutes }) => {
      const grid = new Grid(zone, NOW);
      grid.mark(start, start + minutes * MINUTE_MS);
      const shown = new Set<string>();
      for (let minute = 0; minute < minutes; minute++) shown.add(reading(zone, start + minute * MINUTE_MS));
      const marked = [...grid.busyDays()].flatMap(([date, mask]) =>
        Array.from({ length: 24 }, (_, hour) => hour)
          .filter((hour) => (mask & (1 << hour)) !== 0)
          .map((hour) => `${date} ${hour}`),
      );
      assert.deepEqual(marked.sort(), [...shown].sort());
    }),
    { numRuns: 300 },
  );
});

test('a zone says what Temporal says, in whatever order it is asked', () => {
  const readings = fc.constantFrom(...ZONES).chain((zone) => {
    const around = fc.constantFrom(...changesOf(zone)).chain((change) => {
      const wall = change + offsetOf(zone, change);
      const step = fc.constantFrom(0, 15, 30, 60, 120, 1440, 2880, 20_000);
      return fc.tuple(step, fc.boolean()).map(([by, back]) => wall + (back ? -by : by) * MINUTE_MS);
    });
    return fc.record({ zone: fc.constant(zone), walls: fc.array(around, { minLength: 1, maxLength: 8 }) });
  });
  fc.assert(
    fc.property(readings, ({ zone: name, walls }) => {
      const zone = ianaZone(name);
      for (const wall of walls) {
        const reading = new Date(wall).toISOString().slice(0, 19);
        const expected = Temporal.PlainDateTime.from(reading).toZonedDateTime(name).epochMilliseconds;
        assert.equal(zone.toInstant(wall), expected, reading);
      }
    }),
    { numRuns: 500 },
  );
});

function reading(zone: string, at: number): string {
  const there = Temporal.Instant.fromEpochMilliseconds(at).toZonedDateTimeISO(zone);
  return `${there.toPlainDate().toString()} ${there.hour}`;
}

function offsetOf(zone: string, at: number): number {
  return Temporal.Instant.fromEpochMilliseconds(at).toZonedDateTimeISO(zone).offsetNanoseconds / 1_000_000;
}

/** The changes of the clocks within the window, and a plain noon. */
function changesOf(zone: string): number[] {
  const found = [NOW + 20 * DAY_MS];
  let at = Temporal.Instant.fromEpochMilliseconds(NOW).toZonedDateTimeISO(zone);
  for (;;) {
    const next = at.getTimeZoneTransition('next');
    if (next === null || next.epochMilliseconds > NOW + 399 * DAY_MS) return found;
    found.push(next.epochMilliseconds);
    at = next;
  }
}
