import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openDesk } from '../../test/support/booking.ts';
import { onBothEngines } from '../../test/support/engines.ts';
import { useWorld } from '../../test/support/world.ts';
import * as bookings from './bookings.ts';

onBothEngines('completion by the clock', (engine) => {
  const world = useWorld(engine, { GUEST_VELOCITY_MAX: '1000' });
  const drain = async () => {
    let completed = 0;
    for (let more = true; more;) {
      const step = await bookings.completeDue(world.ctx);
      completed += step.completed;
      more = step.more;
    }
    return completed;
  };

  test('comes when ends_at has passed, not before, and tells once', async () => {
    const desk = await openDesk(world);
    const { booking } = (await desk.book()).body.data;
    world.clock.set('2027-06-01T15:59:59.999Z');
    assert.equal(await drain(), 0);
    world.clock.set('2027-06-01T16:00:00Z');
    assert.equal(await drain(), 1);
    assert.equal(await drain(), 0);
    const after = { ...booking, status: 'completed', updated_at: '2027-06-01T16:00:00.000Z' };
    const path = `/api-booking-detail/api/v1/bookings/${booking.id}`;
    assert.deepEqual((await world.call('GET', path, { key: desk.key })).body.data.booking, after);
    const told = (await desk.events()).filter((event) => event.type === 'booking.completed');
    assert.deepEqual(told, [{ type: 'booking.completed', data: { booking: after } }]);
    assert.equal((await desk.heldHours()).length, 2);
  });

  test('three workers after an hour of downtime complete 450 bookings once each', async () => {
    const desk = await openDesk(world);
    world.clock.set('2027-07-01T00:00:00Z');
    for (let day = 2; day <= 20; day++) {
      const date = `2027-07-${String(day).padStart(2, '0')}`;
      await Promise.all(
        Array.from({ length: 24 }, (_, hour) => desk.book({ date, start_hour: hour, end_hour: hour + 1 })),
      );
    }
    world.clock.set('2027-07-21T05:00:00Z');
    const counts = await Promise.all([drain(), drain(), drain()]);
    assert.equal(
      counts.reduce((sum, count) => sum + count, 0),
      19 * 24,
    );
    const events = (await desk.events()).filter((event) => event.type === 'booking.completed');
    assert.equal(events.length, 19 * 24);
    assert.equal(
      new Set(events.map((event) => (event.data as { booking: { id: string } }).booking.id)).size,
      19 * 24,
    );
  });

  test('cancelled bookings stay cancelled', async () => {
    world.clock.set('2027-08-01T00:00:00Z');
    const desk = await openDesk(world);
    const { id } = (await desk.book({ date: '2027-08-02' })).body.data.booking;
    await desk.cancel(id);
    world.clock.set('2027-08-03T00:00:00Z');
    assert.equal(await drain(), 0);
  });

  test('is right by the instant on a day that repeats an hour', async () => {
    world.clock.set('2027-11-01T00:00:00Z');
    const desk = await openDesk(world);
    await desk.book({ date: '2027-11-07', start_hour: 0, end_hour: 2 });
    world.clock.set('2027-11-07T06:30:00Z');
    assert.equal(await drain(), 0, 'it is 1:30 for the second time: not over yet');
    world.clock.set('2027-11-07T07:00:00Z');
    assert.equal(await drain(), 1);
  });
});
