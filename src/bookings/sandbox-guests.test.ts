import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { openDesk, type Desk } from '../../test/support/booking.ts';
import { onBothEngines } from '../../test/support/engines.ts';
import { operator } from '../../test/support/operator.ts';
import { useWorld } from '../../test/support/world.ts';
import * as payments from '../payments/payments.ts';
import * as bookings from './bookings.ts';

onBothEngines('the guests of the sandbox', (engine) => {
  const world = useWorld(engine);
  let desk: Desk;
  beforeEach(async () => {
    desk = await openDesk(world, {}, { environment: 'sandbox' });
  });
  const read = async (id: string) =>
    (await world.call('GET', `/api-booking-detail/api/v1/bookings/${id}`, { key: desk.key })).body.data
      .booking;
  const types = async () => (await desk.events()).map(({ type }) => type);

  test('complete@ is completed by the worker, whatever its hours', async () => {
    const made = await desk.book({ guest_email: 'complete@sandbox.test' });
    assert.equal(made.status, 200);
    assert.equal(made.body.data.booking.status, 'confirmed');
    await bookings.serveSandboxGuests(world.ctx);
    assert.equal((await read(made.body.data.booking.id)).status, 'completed');
    assert.deepEqual(await types(), ['booking.created', 'availability.changed', 'booking.completed']);
    const earnings = await world.call('GET', '/api-earnings/api/v1/earnings', { key: desk.key });
    assert.equal(earnings.body.data.lifetime.bookings, 1);
  });

  test('pay@ has a platform_settled booking’s payment confirmed by the worker', async () => {
    const made = await desk.book({ guest_email: 'pay@sandbox.test', settlement_mode: 'platform_settled' });
    await bookings.serveSandboxGuests(world.ctx);
    assert.equal((await read(made.body.data.booking.id)).payment_status, 'confirmed');
    assert.deepEqual(await types(), ['booking.created', 'availability.changed', 'payment.confirmed']);
  });

  test('pay@ stays pending once the operator has made the payment void', async () => {
    const made = await desk.book({ guest_email: 'pay@sandbox.test', settlement_mode: 'platform_settled' });
    const { id } = made.body.data.booking;
    await bookings.serveSandboxGuests(world.ctx);
    await payments.makeVoid(world.ctx, operator, id, 'bounced');
    await bookings.serveSandboxGuests(world.ctx);
    assert.equal((await read(id)).payment_status, 'pending');
  });

  test('conflict@ is refused with 409 and every hour asked for, and nothing is kept', async () => {
    const answer = await desk.book({ guest_email: 'conflict@sandbox.test' });
    assert.equal(answer.status, 409);
    assert.equal(answer.body.error.code, 'BOOKING_CONFLICT');
    assert.deepEqual(answer.body.error.details, { hours: [10, 11] });
    assert.deepEqual(await desk.heldHours(), []);
    assert.deepEqual(await types(), []);
  });

  test('velocity@ is refused with 429 and Retry-After: 60', async () => {
    const answer = await desk.book({ guest_email: 'velocity@sandbox.test' });
    assert.equal(answer.status, 429);
    assert.equal(answer.body.error.code, 'GUEST_BOOKING_VELOCITY');
    assert.equal(answer.headers.get('retry-after'), '60');
    assert.deepEqual(await desk.heldHours(), []);
  });

  test('velocity@ and conflict@ are refused in the place of their rule: what comes before it comes first', async () => {
    for (const guest_email of ['velocity@sandbox.test', 'conflict@sandbox.test']) {
      const answer = await desk.book({ guest_email, settlement_mode: 'barter' });
      assert.equal(answer.body.error.code, 'BOOKING_INVALID_SETTLEMENT_MODE');
    }
  });

  test('keep@ is booked, and its cancellation is 422', async () => {
    const made = await desk.book({ guest_email: 'keep@sandbox.test' });
    assert.equal(made.status, 200);
    const { id } = made.body.data.booking;
    const answer = await desk.cancel(id);
    assert.equal(answer.status, 422);
    assert.equal(answer.body.error.code, 'BOOKING_CANCELLATION_BLOCKED');
    assert.equal((await read(id)).status, 'confirmed');
    assert.equal((await desk.heldHours()).length, 2);
  });

  test('do not count towards velocity', async () => {
    for (let hour = 0; hour < 11; hour++) {
      const answer = await desk.book({
        guest_email: 'keep@sandbox.test',
        start_hour: hour,
        end_hour: hour + 1,
        date: '2027-06-09',
      });
      assert.equal(answer.status, 200, `booking ${hour + 1}`);
    }
  });

  test('are ordinary addresses in production', async () => {
    const production = await openDesk(world);
    let hour = 0;
    for (const name of ['complete', 'pay', 'conflict', 'velocity', 'keep']) {
      hour += 2;
      const answer = await production.book({
        guest_email: `${name}@sandbox.test`,
        settlement_mode: 'platform_settled',
        start_hour: hour,
        end_hour: hour + 1,
      });
      assert.equal(answer.status, 200, name);
      const { id } = answer.body.data.booking;
      await bookings.serveSandboxGuests(world.ctx);
      const cancelled = (await production.cancel(id)).body.data.booking;
      assert.equal(cancelled.status, 'cancelled', name);
      assert.equal(cancelled.payment_status, 'pending', name);
    }
  });
});
