import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import type { ErrorCode } from '../errors.ts';
import { refused } from '../../test/support/answer.ts';
import { openDesk, type Desk } from '../../test/support/booking.ts';
import { onBothEngines } from '../../test/support/engines.ts';
import { markBusy } from '../../test/support/external-calendar.ts';
import { useWorld, type SpaceOverrides } from '../../test/support/world.ts';
import { NO_RULES, type BookingRules } from '../hours/schedule.ts';

const UNKNOWN_SPACE = '0199a3c4-7d10-7c3e-9f6b-2f7d1c5a9b01';

/** In their order; each is broken together with the next one. */
const RULES: readonly (readonly [rule: string, broken: Record<string, unknown>, code: ErrorCode])[] = [
  ['an unknown space', { space_id: UNKNOWN_SPACE }, 'NOT_FOUND'],
  ['the host as the guest', { guest_email: 'owner@example.com' }, 'SELF_BOOKING_BLOCKED'],
  ['a settlement mode that is not allowed', { settlement_mode: 'cash' }, 'BOOKING_INVALID_SETTLEMENT_MODE'],
  ['hours of the past', { date: '2027-02-28' }, 'VALIDATION_ERROR'],
  ['a price over the maximum', { start_hour: 0, end_hour: 3 }, 'BOOKING_VALUE_EXCEEDED'],
  ['one booking too many for this guest', { guest_email: 'eager@example.com' }, 'GUEST_BOOKING_VELOCITY'],
  ['hours that are held', { start_hour: 10, end_hour: 12 }, 'BOOKING_CONFLICT'],
];

onBothEngines('the order of rules for a new booking', (engine) => {
  const world = useWorld(engine, { GUEST_VELOCITY_MAX: '1' });
  let desk: Desk;
  before(async () => {
    // Two hours cost the maximum. The guest who may book once has booked 10 to 12.
    desk = await openDesk(world, { email: 'owner@example.com', max_booking_value: 100 });
    await desk.book({ start_hour: 10, end_hour: 12, guest_email: 'eager@example.com' });
  });
  const codeOf = async (broken: Record<string, unknown>) =>
    (await desk.book({ start_hour: 14, end_hour: 16, ...broken })).body.error.code;

  for (const [i, [rule, broken, code]] of RULES.entries()) {
    const [next, alsoBroken] = RULES[i + 1] ?? ['everything else', {}];
    test(`${rule} is ${code}, before ${next}`, async () => {
      assert.equal(await codeOf({ ...alsoBroken, ...broken }), code);
    });
  }
});

type Given = Record<string, unknown>;

const rule = (rules: Partial<BookingRules>): SpaceOverrides => ({ booking_rules: { ...NO_RULES, ...rules } });
const SIX_TO_TEN = { operating_hours: { start_hour: 6, end_hour: 22 } };
/** The clock stands at 7:00 in New York of this date. */
const TODAY = '2027-03-01';

/** What a space rejects and how it says so, and what it takes at the bound. */
const OPEN: [why: string, space: SpaceOverrides, broken: Given, fits: Given | null, detail: string][] = [
  ['of the past', {}, { date: '2027-02-28' }, null, 'date is in the past'],
  [
    'that have begun',
    SIX_TO_TEN,
    { date: TODAY, start_hour: 7, end_hour: 9 },
    { date: TODAY, start_hour: 8, end_hour: 9 },
    'start_hour must not have begun yet',
  ],
  [
    'before the space opens',
    SIX_TO_TEN,
    { start_hour: 5, end_hour: 7 },
    { start_hour: 6, end_hour: 7 },
    'start_hour to end_hour must lie within the operating hours',
  ],
  [
    'after the space has closed',
    SIX_TO_TEN,
    { start_hour: 21, end_hour: 23 },
    { start_hour: 21, end_hour: 22 },
    'start_hour to end_hour must lie within the operating hours',
  ],
  [
    'of an inactive space',
    { is_active: false },
    {},
    null,
    'space_id names a space that takes no bookings now',
  ],
  [
    'that daylight saving skips',
    {},
    { date: '2027-03-14', start_hour: 1, end_hour: 4 },
    { date: '2027-03-14', start_hour: 3, end_hour: 4 },
    'start_hour to end_hour has an hour that daylight saving skips on this date',
  ],
  [
    'that end in the year 10000 in UTC, so that no record could tell their time',
    {},
    { date: '9999-12-31', start_hour: 18, end_hour: 19 },
    { date: '9999-12-31', start_hour: 17, end_hour: 18 },
    'date must not reach into the year 10000',
  ],
  [
    'fewer than the least',
    rule({ min_hours: 3 }),
    { start_hour: 10, end_hour: 12 },
    { start_hour: 10, end_hour: 13 },
    'end_hour must be later: this space is booked for at least 3 hours',
  ],
  [
    'more than the most',
    rule({ max_hours: 1 }),
    { start_hour: 10, end_hour: 12 },
    { start_hour: 10, end_hour: 11 },
    'end_hour must be earlier: this space is booked for at most 1 hour',
  ],
  [
    'too soon',
    rule({ lead_hours: 3 }),
    { date: TODAY, start_hour: 9, end_hour: 11 },
    { date: TODAY, start_hour: 10, end_hour: 11 },
    'start_hour must be later: this space is booked at least 3 hours in advance',
  ],
  [
    'that have begun, where no lead time is needed',
    rule({ lead_hours: 0 }),
    { date: TODAY, start_hour: 7, end_hour: 8 },
    { date: TODAY, start_hour: 8, end_hour: 9 },
    'start_hour must not have begun yet',
  ],
  [
    'too far ahead',
    rule({ horizon_days: 1 }),
    { date: '2027-03-03', start_hour: 0, end_hour: 1 },
    { date: '2027-03-02', start_hour: 23, end_hour: 24 },
    'date must be earlier: this space is booked at most 1 day in advance',
  ],
  [
    'after today, where that is the horizon',
    rule({ horizon_days: 0 }),
    { date: '2027-03-02', start_hour: 0, end_hour: 1 },
    { date: TODAY, start_hour: 23, end_hour: 24 },
    'date must be earlier: this space is booked at most 0 days in advance',
  ],
  [
    'for more guests than there is room for',
    { capacity: 6 },
    { guest_count: 7 },
    { guest_count: 6 },
    'guest_count must be 6 or less, the capacity of the space',
  ],
];

onBothEngines('a space takes no hours', (engine) => {
  const world = useWorld(engine);

  for (const [why, space, broken, fits, detail] of OPEN)
    test(`${why}: ${detail}`, async () => {
      const desk = await openDesk(world, {}, space);
      const { message, details } = refused(await desk.book(broken), 422, 'VALIDATION_ERROR');
      assert.equal(message, detail);
      assert.deepEqual(
        details.map((one) => `${one.field} ${one.message}`),
        [detail],
      );
      if (fits !== null) assert.equal((await desk.made(fits)).status, 'confirmed');
    });
});

onBothEngines('who may book what', (engine) => {
  const world = useWorld(engine);

  test('the host cannot be the guest, in any case and with any plus-tag', async () => {
    const desk = await openDesk(world, { email: 'Owner+studio@Example.com' });
    for (const guest_email of ['owner@example.com', 'OWNER@EXAMPLE.COM', 'Owner+party@example.com']) {
      refused(await desk.book({ guest_email }), 403, 'SELF_BOOKING_BLOCKED');
    }
  });

  test('a mode that is unknown, or not allowed to this host, is told with those that are', async () => {
    const desk = await openDesk(world, { settlement_modes: ['host_settled'] });
    for (const settlement_mode of ['cash', '', 'platform_settled', 'HOST_SETTLED']) {
      const error = refused(await desk.book({ settlement_mode }), 422, 'BOOKING_INVALID_SETTLEMENT_MODE');
      assert.deepEqual(error.details, { settlement_mode, allowed: ['host_settled'] });
    }
  });

  test('hours held by a booking, a block or an external calendar are all named', async () => {
    const desk = await openDesk(world);
    await desk.book({ start_hour: 10, end_hour: 12 });
    await desk.block({ start_hour: 13, end_hour: 14 });
    const busy = { hostId: desk.hostId, spaceId: desk.spaceId, date: '2027-06-01', hour: 14 };
    await world.ctx.db.transaction((tx) => markBusy(tx, busy));
    const error = refused(await desk.book({ start_hour: 11, end_hour: 16 }), 409, 'BOOKING_CONFLICT');
    assert.deepEqual(error.details, { hours: [11, 13, 14] });
    assert.match(error.message, /11:00, 13:00, 14:00/);
  });
});

onBothEngines('the maximum value of a booking', (engine) => {
  const world = useWorld(engine);

  for (const [currency, value, limit] of [
    ['USD', 10_000.1, 10_000],
    ['KRW', 1_000_010, 1_000_000],
    ['KWD', 1000.01, 1000],
  ] as const) {
    test(`of ${limit} ${currency} is told with the price of one that exceeds it`, async () => {
      const desk = await openDesk(world, { currency }, { price_per_hour: value / 10 });
      const answer = await desk.book({ start_hour: 0, end_hour: 10 });
      const error = refused(answer, 422, 'BOOKING_VALUE_EXCEEDED');
      assert.deepEqual(error.details, { value, limit, currency });
    });
  }
});
