import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openDesk } from '../../test/support/booking.ts';
import { onBothEngines } from '../../test/support/engines.ts';
import { operator } from '../../test/support/operator.ts';
import { changesOf } from '../../test/support/trail.ts';
import { useWorld } from '../../test/support/world.ts';
import { subscribe } from '../spaces/update.ts';
import { exportHost } from './export.ts';

onBothEngines('the export of a host', (engine) => {
  const world = useWorld(engine);

  test('has everything of the host and nothing of another, and is in the trail', async () => {
    const desk = await openDesk(world);
    const other = await openDesk(world);
    await other.book();
    const booked = await desk.made();
    for (const range of [
      { start_hour: 14, end_hour: 16 },
      { start_hour: 17, end_hour: 18 },
    ])
      await desk.block({ ...range, reason: 'Cleaning' });
    const url = 'http://127.0.0.1:9/busy.ics';
    const { id: calendarId } = await subscribe(world.ctx, operator, desk.spaceId, url);
    const exported = await exportHost(world.ctx, operator, desk.hostId);
    assert.equal(exported.host.id, desk.hostId);
    assert.deepEqual(
      exported.spaces.map(({ id }) => id),
      [desk.spaceId],
    );
    assert.deepEqual(
      exported.bookings.map(({ id, guest_email }) => [id, guest_email]),
      [[booked.id, booked.guest_email]],
    );
    assert.deepEqual(exported.blocks, [
      { space_id: desk.spaceId, date: '2027-06-01', hours: [14, 15, 17], reason: 'Cleaning' },
    ]);
    assert.deepEqual(
      exported.calendars.map(({ id }) => id),
      [calendarId],
    );
    assert.deepEqual([exported.keys.length, exported.webhooks.length], [1, 1]);
    const text = JSON.stringify(exported);
    for (const hidden of [desk.key, other.hostId, other.spaceId]) assert.ok(!text.includes(hidden));
    assert.deepEqual((await changesOf(world, desk.hostId)).at(-1), ['host.exported', desk.hostId]);
  });
});
