import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { openDesk, type Desk } from '../../test/support/booking.ts';
import { useCalendarServer } from '../../test/support/calendar-server.ts';
import { onBothEngines } from '../../test/support/engines.ts';
import { operator } from '../../test/support/operator.ts';
import { changesOf } from '../../test/support/trail.ts';
import { useWorld } from '../../test/support/world.ts';
import { list as listTrail } from '../audit/list.ts';
import * as calendars from '../calendars/calendars.ts';
import { subscribe } from './update.ts';
import * as spaces from './spaces.ts';
import type { SpaceChanges } from './fields.ts';
import { update } from './update.ts';

const ABSENT = '0199a3c4-7d10-7c3e-9f6b-2f7d1c5a9b01';

onBothEngines('changing a space as its operator', (engine) => {
  const world = useWorld(engine);
  const server = useCalendarServer();
  let desk: Desk;

  beforeEach(async () => {
    desk = await openDesk(world);
  });

  const change = (wanted: SpaceChanges, id = desk.spaceId) => update(world.ctx, operator, id, wanted);
  const show = () => spaces.showForOperator(world.ctx.db, desk.spaceId);
  const read = async () =>
    (await world.call('GET', `/api-listings/api/v1/spaces/${desk.spaceId}`, { key: desk.key })).body.data
      .space;

  test('changes every field it is given, tells the host which, and writes the audit trail', async () => {
    const before = await show();
    const wanted: SpaceChanges = {
      title: 'Garden Room',
      category_slug: 'meeting-room',
      description: null,
      address: '2 New Street',
      area: 'Newville',
      price_per_hour: 61.5,
      capacity: null,
      operating_hours: { start_hour: 9, end_hour: 18 },
      is_active: false,
      amenities: ['projector'],
      photo_urls: [],
      timezone: 'Asia/Seoul',
    };
    const all = { ...wanted, cancellation_notice_hours: 48 };
    const changed = await change(all);
    assert.deepEqual(changed, { ...before, ...all });
    assert.deepEqual(await show(), changed);
    assert.deepEqual(await desk.events(), [
      { type: 'listing.updated', data: { space: await read(), changed: Object.keys(wanted) } },
    ]);
    const [entry] = await listTrail(world.ctx.db, { hostId: desk.hostId, limit: 1 });
    assert.deepEqual([entry?.action, entry?.subject], ['space.updated', desk.spaceId]);
    const pairs = Object.entries(all).map(([name, value]) => [name, [Reflect.get(before, name), value]]);
    assert.deepEqual(entry?.changes, Object.fromEntries(pairs));
  });

  test('the notice window, which the host does not see, is changed without an event', async () => {
    assert.equal((await change({ cancellation_notice_hours: 3 })).cancellation_notice_hours, 3);
    assert.deepEqual(await desk.events(), []);
    assert.deepEqual(await changesOf(world, desk.hostId), [['space.updated', desk.spaceId]]);
  });

  test('the timezone cannot change while a booking or a block lies ahead', async () => {
    const { id } = await desk.made();
    await assert.rejects(change({ timezone: 'UTC' }), {
      message: `the timezone can change only while nothing lies ahead: there is booking ${id} on 2027-06-01 at 10:00`,
    });
    await desk.cancel(id);
    assert.equal((await change({ timezone: 'UTC' })).timezone, 'UTC');
    await desk.block();
    await assert.rejects(change({ timezone: 'Asia/Seoul', title: 'x' }), /there is a block on 2027-06-01/);
    assert.equal((await show()).title, 'Test Space');
  });

  test('bookings that are over, by the space’s own clock, do not hold the timezone', async (t) => {
    world.clock.restoreAfter(t);
    await desk.book({ start_hour: 10, end_hour: 12 });
    // 11:59 and 12:00 in New York.
    world.clock.set('2027-06-01T15:59:59Z');
    await assert.rejects(change({ timezone: 'UTC' }), /there is booking/);
    world.clock.set('2027-06-01T16:00:00Z');
    assert.equal((await change({ timezone: 'UTC' })).timezone, 'UTC');
  });

  test('a new timezone has external calendars read again, in the new time zone', async () => {
    const date = new Date(world.clock.now() + 5 * 86_400_000).toISOString().slice(0, 10);
    server.serve(
      `BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:x\r\nBEGIN:VEVENT\r\nUID:1\r\nDTSTART:${date.replaceAll('-', '')}T170000Z\r\nDTEND:${date.replaceAll('-', '')}T180000Z\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n`,
    );
    await subscribe(world.ctx, operator, desk.spaceId, server.url);
    await calendars.pollDue(world.ctx);
    assert.deepEqual(await desk.reasons(date), { 12: 'external_block' });
    await change({ timezone: 'UTC' });
    await calendars.pollDue(world.ctx);
    assert.deepEqual(await desk.reasons(date), { 17: 'external_block' });
  });

  test('a space that does not exist is refused', async () => {
    const says = { message: `there is no space ${ABSENT}` };
    await assert.rejects(change({ title: 'x' }, ABSENT), says);
    await assert.rejects(spaces.showForOperator(world.ctx.db, ABSENT), says);
  });
});
