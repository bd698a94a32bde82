import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seeded } from '../../test/proof/race.ts';
import { refused } from '../../test/support/answer.ts';
import { openDesk } from '../../test/support/booking.ts';
import { onBothEngines } from '../../test/support/engines.ts';
import { operator } from '../../test/support/operator.ts';
import { useWorld, type SpaceOverrides } from '../../test/support/world.ts';
import { NO_RULES, type BookingRules } from '../hours/schedule.ts';
import { addDays } from '../time/dates.ts';
import { WEEKDAYS, type WeeklyHours } from '../time/weekdays.ts';
import { localDate } from '../time/zones.ts';
import * as forOperator from './for-operators.ts';

// The clock of these tests stands at noon UTC of Monday 2027-03-01: 7:00 in New York.

type Given = Record<string, unknown>;

/** What a rule allows at its bound, what it rejects one beyond, and the detail that says so. */
const RULES: [rules: Partial<BookingRules>, fits: Given, broken: Given, field: string, message: string][] = [
  [
    { min_hours: 3 },
    { start_hour: 10, end_hour: 13 },
    { start_hour: 10, end_hour: 12 },
    'end_hour',
    'must be later: this space is booked for at least 3 hours',
  ],
  [
    { max_hours: 1 },
    { start_hour: 10, end_hour: 11 },
    { start_hour: 10, end_hour: 12 },
    'end_hour',
    'must be earlier: this space is booked for at most 1 hour',
  ],
  [
    { lead_hours: 3 },
    { date: '2027-03-01', start_hour: 10, end_hour: 11 },
    { date: '2027-03-01', start_hour: 9, end_hour: 11 },
    'start_hour',
    'must be later: this space is booked at least 3 hours in advance',
  ],
  [
    { lead_hours: 0 },
    { date: '2027-03-01', start_hour: 8, end_hour: 9 },
    { date: '2027-03-01', start_hour: 7, end_hour: 8 },
    'start_hour',
    'must not have begun yet',
  ],
  [
    { horizon_days: 1 },
    { date: '2027-03-02', start_hour: 23, end_hour: 24 },
    { date: '2027-03-03', start_hour: 0, end_hour: 1 },
    'date',
    'must be earlier: this space is booked at most 1 day in advance',
  ],
  [
    { horizon_days: 0 },
    { date: '2027-03-01', start_hour: 23, end_hour: 24 },
    { date: '2027-03-02', start_hour: 0, end_hour: 1 },
    'date',
    'must be earlier: this space is booked at most 0 days in advance',
  ],
];

onBothEngines('booking rules', (engine) => {
  const world = useWorld(engine);

  for (const [rules, fits, broken, field, message] of RULES) {
    const [[name, value]] = Object.entries(rules) as [[string, number]];
    const space: SpaceOverrides = { booking_rules: { ...NO_RULES, ...rules } };

    test(`${name} ${value} allows its bound and rejects one beyond, in words a guest may read`, async () => {
      const desk = await openDesk(world, {}, space);
      const { details } = refused(await desk.book(broken), 422, 'VALIDATION_ERROR');
      assert.deepEqual(details, [{ field, message }]);
      assert.deepEqual(await desk.heldHours(), []);
      const answer = await desk.book(fits);
      assert.equal(answer.status, 200, answer.text);
    });

    test(`${name} ${value} holds for moves, and not for the operator`, async () => {
      const desk = await openDesk(world, {}, space);
      const { id } = await desk.enter({ date: '2027-03-01', start_hour: 15, end_hour: 20 });
      const { details } = refused(await desk.book({ ...broken, replaces: id }), 422, 'VALIDATION_ERROR');
      assert.deepEqual(details, [{ field, message }]);
      if (message === 'must not have begun yet') return;
      const {
        date = '2027-06-01',
        start_hour,
        end_hour,
      } = broken as {
        date?: string;
        start_hour: number;
        end_hour: number;
      };
      const to = { date, startHour: start_hour, endHour: end_hour };
      assert.equal((await forOperator.move(world.ctx, operator, id, to)).replaces, id);
    });
  }

  test('a day that is closed in the week is closed for the operator too', async () => {
    const desk = await openDesk(world, {}, { weekly_hours: MONDAYS });
    await assert.rejects(desk.enter({ date: '2027-06-06' }), {
      message: 'start_hour to end_hour must lie within the operating hours',
    });
    assert.equal((await desk.enter({ date: '2027-06-07' })).status, 'confirmed');
  });

  test('narrower hours leave a booking alone, and the new ones decide for the next', async () => {
    const desk = await openDesk(world);
    const booking = await desk.made();
    const path = `/api-listing-update/api/v1/spaces/${desk.spaceId}`;
    await world.call('PATCH', path, { key: desk.key, body: { weekly_hours: MONDAYS } });
    assert.deepEqual(await desk.read(booking.id), booking);
    refused(await desk.book({ start_hour: 14, end_hour: 15 }), 422, 'VALIDATION_ERROR');
  });

  test('a single free hour stays available where two are the minimum', async () => {
    const rules = { ...NO_RULES, min_hours: 2, max_hours: 3 };
    const desk = await openDesk(world, {}, { booking_rules: rules });
    assert.equal((await availability(desk, '2027-06-01')).filter(Boolean).length, 24);
  });

  const availability = async (desk: { spaceId: string; key: string }, date: string): Promise<boolean[]> => {
    const path = `/api-availability/api/v1/spaces/${desk.spaceId}/availability?date=${date}`;
    const { slots } = (await world.call('GET', path, { key: desk.key })).body.data;
    return slots.map(({ available }) => available);
  };

  for (let seed = 1; seed <= 3; seed++)
    test(`what is available can be booked and nothing else, in random space ${seed}`, async (t) => {
      world.clock.restoreAfter(t);
      const { space, now } = randomSpace(seeded(seed));
      world.clock.set(now);
      const desk = await openDesk(world, {}, space);
      const today = localDate(space.timezone, world.clock.now());
      const { horizon_days } = space.booking_rules;
      for (const days of [0, 1, horizon_days, horizon_days + 1]) {
        const date = addDays(today, days);
        for (const [hour, isAvailable] of (await availability(desk, date)).entries()) {
          const answer = await desk.book({ date, start_hour: hour, end_hour: hour + 1 });
          assert.equal(answer.status, isAvailable ? 200 : 422, `${date} ${hour}: ${answer.text}`);
        }
      }
    });
});

const MONDAYS = {
  ...(Object.fromEntries(WEEKDAYS.map((day) => [day, null])) as WeeklyHours),
  monday: { start_hour: 9, end_hour: 18 },
};

/** Near a change of the clocks, with random hours for each day, a lead time and a horizon. */
function randomSpace(random: () => number) {
  const upTo = (max: number): number => Math.floor(random() * (max + 1));
  const [timezone, now] = [
    ['America/New_York', '2027-03-13T15:30:00Z'],
    ['Australia/Lord_Howe', '2027-10-02T03:10:00Z'],
    ['Europe/Vienna', '2027-10-30T22:59:59Z'],
    ['America/Havana', '2027-03-14T04:30:00Z'],
    ['Asia/Kathmandu', '2027-06-05T18:15:00Z'],
  ][upTo(4)] as [string, string];
  const day = () => {
    const start_hour = upTo(23);
    return upTo(5) === 0 ? null : { start_hour, end_hour: start_hour + 1 + upTo(23 - start_hour) };
  };
  const week = Object.fromEntries(WEEKDAYS.map((name) => [name, day()])) as WeeklyHours;
  const space = {
    timezone,
    weekly_hours: { ...week, sunday: { start_hour: 0, end_hour: 24 } },
    booking_rules: { ...NO_RULES, lead_hours: upTo(30), horizon_days: upTo(3) },
  };
  return { space, now };
}
