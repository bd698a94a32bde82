import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { isSkipped, localDay } from './local-day.ts';

const HOUR = 3_600_000;
const iso = (epochMs: number): string => new Date(epochMs).toISOString();
const length = (timezone: string, date: string, hour: number): number => {
  const day = localDay(timezone, date);
  return (day.endsAt[hour]! - day.startsAt[hour]!) / HOUR;
};

describe('a day of 24 wall-clock hours', () => {
  test('skips the hour that clocks jump over in spring (New York)', () => {
    const day = localDay('America/New_York', '2027-03-14');
    assert.equal(isSkipped(day, 2), true);
    assert.equal(iso(day.endsAt[1]!), '2027-03-14T07:00:00.000Z');
    assert.equal(iso(day.startsAt[3]!), '2027-03-14T07:00:00.000Z');
  });

  test('makes the repeated hour of autumn one hour of two (New York)', () => {
    const day = localDay('America/New_York', '2027-11-07');
    assert.equal(iso(day.startsAt[1]!), '2027-11-07T05:00:00.000Z');
    assert.equal(iso(day.endsAt[1]!), '2027-11-07T07:00:00.000Z');
    assert.equal(length('America/New_York', '2027-11-07', 1), 2);
  });

  test('keeps an hour of which half exists, as a short one (Lord Howe in spring)', () => {
    const day = localDay('Australia/Lord_Howe', '2027-10-03');
    assert.equal(isSkipped(day, 2), false);
    assert.equal(length('Australia/Lord_Howe', '2027-10-03', 2), 0.5);
  });

  test('makes the half-repeated hour one and a half (Lord Howe in autumn)', () => {
    assert.equal(length('Australia/Lord_Howe', '2027-04-04', 1), 1.5);
  });

  test('skips a whole day that a country jumped over (Apia 2011-12-30)', () => {
    const day = localDay('Pacific/Apia', '2011-12-30');
    assert.equal(day.startsAt.every(Number.isNaN), true);
    assert.equal(day.endsAt.every(Number.isNaN), true);
  });

  const ZONES = [
    'Asia/Seoul',
    'America/New_York',
    'Australia/Lord_Howe',
    'Pacific/Apia',
    'Europe/London',
    'Asia/Kathmandu',
    'America/St_Johns',
    'Asia/Beirut',
    'Africa/Cairo',
  ];
  const anyDay = fc
    .integer({ min: 0, max: 365 * 40 })
    .map((days) => Temporal.PlainDate.from('2000-01-01').add({ days }).toString());
  const anyDayOf = (zone: string) => {
    const around = datesAroundChanges(zone);
    return around.length === 0 ? anyDay : fc.oneof(anyDay, fc.constantFrom(...around));
  };
  const zonedDay = fc.constantFrom(...ZONES).chain((zone) => fc.tuple(fc.constant(zone), anyDayOf(zone)));

  test('joins up without gaps or overlaps, and every instant of an hour reads as that hour', () => {
    fc.assert(
      fc.property(
        zonedDay,
        fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true }),
        ([zone, date], fraction) => {
          const day = localDay(zone, date);
          const exists = (at: number) => !Number.isNaN(at);
          assert.deepEqual(day.startsAt.filter(exists).slice(1), day.endsAt.filter(exists).slice(0, -1));
          for (const [hour, from] of day.startsAt.entries()) {
            if (!exists(from)) continue;
            const within = from + Math.floor(fraction * (day.endsAt[hour]! - from));
            for (const at of [from, within, day.endsAt[hour]! - 1]) {
              const local = Temporal.Instant.fromEpochMilliseconds(at).toZonedDateTimeISO(zone);
              assert.deepEqual([local.toPlainDate().toString(), local.hour], [date, hour]);
            }
          }
        },
      ),
      { numRuns: 500 },
    );
  });
});

function datesAroundChanges(timezone: string): string[] {
  const dates: string[] = [];
  let change = Temporal.ZonedDateTime.from(`1850-01-01T00:00[${timezone}]`).getTimeZoneTransition('next');
  for (; change !== null && dates.length < 600; change = change.getTimeZoneTransition('next')) {
    for (let days = -3; days <= 2; days++) dates.push(change.toPlainDate().add({ days }).toString());
  }
  // Apia had the whole of this day twice: 24 hours in a row cannot be cut from that.
  return dates.filter((date) => date !== '1892-07-04');
}
