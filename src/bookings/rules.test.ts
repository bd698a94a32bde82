import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import type { ErrorCode, FieldError } from '../errors.ts';
import { refused } from '../../test/support/answer.ts';
import { openDesk, type Desk } from '../../test/support/booking.ts';
import { onBothEngines } from '../../test/support/engines.ts';
import { markBusy } from '../../test/support/external-calendar.ts';
import { useWorld } from '../../test/support/world.ts';

const UNKNOWN_SPACE = '0199a3c4-7d10-7c3e-9f6b-2f7d1c5a9b01';

/** In their order; each can be broken together with the next one. */
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

  for (const [rule, broken, code] of RULES) {
    test(`${rule} is ${code}`, async () => assert.equal(await codeOf(broken), code));
  }

  for (const [i, [second, alsoBroken]] of RULES.slice(1).entries()) {
    const [first, broken, code] = RULES[i]!;
    test(`${first} goes before ${second}`, async () => {
      assert.equal(await codeOf({ ...alsoBroken, ...broken }), code);
    });
  }
});

/** Why nobody can book an hour though nothing holds it, and the one detail that says so. */
const CLOSED: readonly (readonly [why: string, fields: Record<string, unknown>, detail: FieldError])[] = [
  ['a date of the past', { date: '2027-02-28' }, { field: 'date', message: 'is in the past' }],
  [
    'an hour that has begun',
    { date: '2027-03-01', start_hour: 7, end_hour: 9 },
    { field: 'start_hour', message: 'must not have begun yet' },
  ],
  [
    'an hour before the space opens',
    { start_hour: 5, end_hour: 7 },
    { field: 'start_hour', message: 'to end_hour must lie within the operating hours' },
  ],
  [
    'an hour after the space has closed',
    { start_hour: 21, end_hour: 23 },
    { field: 'start_hour', message: 'to end_hour must lie within the operating hours' },
  ],
];

onBothEngines('hours that cannot be booked', (engine) => {
  const world = useWorld(engine);
  const detailsOf = async (desk: Desk, fields: Record<string, unknown>) => {
    const { message, details } = refused(await desk.book(fields), 422, 'VALIDATION_ERROR');
    assert.equal(message, `${details[0].field} ${details[0].message}`);
    return details;
  };

  for (const [why, fields, detail] of CLOSED) {
    test(`${why}: ${detail.field} ${detail.message}`, async () => {
      const desk = await openDesk(world, {}, { operating_hours: { start_hour: 6, end_hour: 22 } });
      assert.deepEqual(await detailsOf(desk, fields), [detail]);
    });
  }

  test('those of an inactive space name the space', async () => {
    const desk = await openDesk(world, {}, { is_active: false });
    assert.deepEqual(await detailsOf(desk, {}), [
      { field: 'space_id', message: 'names a space that takes no bookings now' },
    ]);
  });

  test('one that daylight saving skips is named as such', async () => {
    const desk = await openDesk(world);
    assert.deepEqual(await detailsOf(desk, { date: '2027-03-14', start_hour: 1, end_hour: 4 }), [
      { field: 'start_hour', message: 'to end_hour has an hour that daylight saving skips on this date' },
    ]);
  });

  test('one that ends in the year 10000, in UTC, has no timestamp that a record could tell', async () => {
    const desk = await openDesk(world);
    assert.deepEqual(await detailsOf(desk, { date: '9999-12-31', start_hour: 18, end_hour: 19 }), [
      { field: 'date', message: 'must not reach into the year 10000' },
    ]);
    assert.equal((await desk.book({ date: '9999-12-31', start_hour: 17, end_hour: 18 })).status, 200);
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

  test('is itself allowed', async () => {
    const desk = await openDesk(world, {}, { price_per_hour: 1000 });
    const booking = await desk.made({ start_hour: 0, end_hour: 10 });
    assert.equal(booking.total_price, 10_000);
  });

  test('can be the host’s own', async () => {
    const desk = await openDesk(world, { max_booking_value: 99.99 });
    const error = refused(await desk.book(), 422, 'BOOKING_VALUE_EXCEEDED');
    assert.deepEqual(error.details, { value: 100, limit: 99.99, currency: 'USD' });
  });

  test('does not hold for platform bookings', async () => {
    const desk = await openDesk(world, { max_booking_value: 99.99 });
    assert.equal((await desk.enter()).total_price, 100);
  });
});
