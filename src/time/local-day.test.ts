import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { isSkipped, localDay, localHour } from './local-day.ts';

const HOUR = 3_600_000;
const iso = (epochMs: number): string => new Date(epochMs).toISOString();
const length = (timezone: string, date: string, hour: number): number => {
  const day = localDay(timezone, date);
  return (day.endsAt[hour]! - day.startsAt[hour]!) / HOUR;
};

describe('a day of 24 wall-clock hours', () => {
  test('has hours of one hour each where nothing happens', () => {
    const day = localDay('Asia/Seoul', '2027-06-01');
    assert.equal(iso(day.startsAt[0]!), '2027-05-31T15:00:00.000Z');
    assert.equal(iso(day.endsAt[23]!), '2027-06-01T15:00:00.000Z');
    for (let hour = 0; hour < 24; hour++) assert.equal(length('Asia/Seoul', '2027-06-01', hour), 1);
  });

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

  test('skips midnight itself where summer begins at midnight (Beirut)', () => {
    const day = localDay('Asia/Beirut', '2027-03-28');
    assert.equal(isSkipped(day, 0), true);
    assert.equal(isSkipped(day, 1), false);
  });

  test('is the same counted from its start as cut hour by hour, on the days around every change of clocks', () => {
    for (const timezone of [
      'America/New_York',
      'Asia/Beirut',
      'Pacific/Apia',
      'America/Juneau',
      'Africa/Cairo',
    ]) {
      for (const date of datesAroundChanges(timezone)) {
        const day = localDay(timezone, date);
        for (const hour of [0, 1, 2, 12, 22, 23]) {
          const counted = { startsAt: day.startsAt[hour]!, endsAt: day.endsAt[hour]! };
          assert.deepEqual(counted, localHour(timezone, date, hour), `${timezone} ${date} ${hour}`);
        }
      }
    }
  });

  test('joins up without gaps or overlaps, and every instant of an hour reads as that hour', () => {
    const zones = [
      'Asia/Seoul',
      'America/New_York',
      'Australia/Lord_Howe',
      'Pacific/Apia',
      'Europe/London',
      'Asia/Kathmandu',
      'America/St_Johns',
      'Asia/Beirut',
    ];
    fc.assert(
      fc.property(
        fc.constantFrom(...zones),
        fc.integer({ min: 0, max: 365 * 40 }),
        fc.integer({ min: 0, max: 23 }),
        fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true }),
        (timezone, offset, hour, fraction) => {
          const date = Temporal.PlainDate.from('2000-01-01').add({ days: offset });
          const day = localDay(timezone, date.toString());
          const starts = day.startsAt.filter((at) => !Number.isNaN(at));
          const ends = day.endsAt.filter((at) => !Number.isNaN(at));
          assert.deepEqual(starts.slice(1), ends.slice(0, -1));
          if (isSkipped(day, hour)) return;
          const within =
            day.startsAt[hour]! + Math.floor(fraction * (day.endsAt[hour]! - day.startsAt[hour]!));
          const local = Temporal.Instant.fromEpochMilliseconds(within).toZonedDateTimeISO(timezone);
          assert.equal(local.hour, hour);
          assert.equal(local.toPlainDate().toString(), date.toString());
        },
      ),
      { numRuns: 500 },
    );
  });
});

function datesAroundChanges(timezone: string): string[] {
  const dates: string[] = [];
  let change = Temporal.ZonedDateTime.from(`1850-01-01T00:00[${timezone}]`).getTimeZoneTransition('next');
  for (; change !== null && dates.length < 150; change = change.getTimeZoneTransition('next')) {
    for (let days = -3; days <= 2; days++) dates.push(change.toPlainDate().add({ days }).toString());
  }
  return dates;
}
