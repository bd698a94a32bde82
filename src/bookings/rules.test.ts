import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import type { ErrorCode } from '../errors.ts';
import { refused } from '../../test/support/answer.ts';
import { openDesk, type Desk } from '../../test/support/booking.ts';
import { onBothEngines } from '../../test/support/engines.ts';
import { useWorld } from '../../test/support/world.ts';

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
