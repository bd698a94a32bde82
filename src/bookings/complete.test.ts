import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { openDesk } from '../../test/support/booking.ts';
import { onBothEngines } from '../../test/support/engines.ts';
import { putBooking } from '../../test/support/put-booking.ts';
import { useWorld } from '../../test/support/world.ts';
import * as bookings from './bookings.ts';

onBothEngines('completion by the clock', (engine) => {
  const world = useWorld(engine);

  async function setUp(t: TestContext) {
    world.clock.restoreAfter(t);
    const desk = await openDesk(world);
    return {
      ...desk,
      /** The clock moves on and a worker does all there is to do. */
      passTo: async (instant: string) => {
        world.clock.set(instant);
        while ((await bookings.completeDue(world.ctx)).more);
      },
      completions: async () => (await desk.events()).filter((event) => event.type === 'booking.completed'),
    };
  }

  test('comes when ends_at has been reached and no millisecond earlier, is told once, and leaves the hours', async (t) => {
    const desk = await setUp(t);
    const booking = await desk.made();
    const held = await desk.heldHours();
    await desk.passTo('2027-06-01T15:59:59.999Z');
    assert.deepEqual([await desk.read(booking.id), await desk.completions()], [booking, []]);
    await desk.passTo('2027-06-01T16:00:00Z');
    await desk.passTo('2027-06-01T16:00:01Z');
    const completed = { ...booking, status: 'completed', updated_at: '2027-06-01T16:00:00.000Z' };
    assert.deepEqual(await desk.read(booking.id), completed);
    assert.deepEqual(await desk.completions(), [{ type: 'booking.completed', data: { booking: completed } }]);
    assert.deepEqual(await desk.heldHours(), held);
  });

  test('by two workers after a long downtime completes and tells each of 450 bookings once', async (t) => {
    const desk = await setUp(t);
    const booking = { host_id: desk.hostId, space_id: desk.spaceId, date: '2027-03-02' };
    const ids = await Promise.all(Array.from({ length: 450 }, () => putBooking(world, booking)));
    await Promise.all(Array.from({ length: 2 }, () => desk.passTo('2027-03-10T00:00:00Z')));
    const told = (await desk.completions()).map(({ data }) => data.booking.id);
    assert.deepEqual(told.toSorted(), ids.toSorted());
  });
});
