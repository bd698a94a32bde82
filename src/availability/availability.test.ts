import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import * as blocks from '../blocks/blocks.ts';
import { bookingBody, CREATE } from '../../test/support/booking.ts';
import { markBusy } from '../../test/support/external-calendar.ts';
import { onBothEngines } from '../../test/support/engines.ts';
import { useWorld, type SpaceOverrides } from '../../test/support/world.ts';

onBothEngines('GET availability', (engine) => {
  const world = useWorld(engine);
  let hostId: string;
  let key: string;
  before(async () => {
    hostId = await world.addHost();
    key = (await world.addKey(hostId)).key;
  });
  const availability = async (spaceId: string, date: string) => {
    const answer = await world.call(
      'GET',
      `/api-availability/api/v1/spaces/${spaceId}/availability?date=${date}`,
      { key },
    );
    assert.equal(answer.status, 200);
    return answer.body.data;
  };
  const open = async (overrides: SpaceOverrides, date: string) => {
    const { slots } = await availability(await world.addSpace(hostId, overrides), date);
    return slots.filter((slot) => slot.available).map((slot) => slot.hour);
  };
  const range = (from: number, to: number) => Array.from({ length: to - from }, (_, i) => from + i);

  test('an open, empty day is exactly 24 available slots in order', async () => {
    const spaceId = await world.addSpace(hostId);
    const answer = await world.call(
      'GET',
      `/api-availability/api/v1/spaces/${spaceId}/availability?date=2027-06-18`,
      { key },
    );
    assert.equal(answer.status, 200);
    assert.deepEqual(answer.body, {
      success: true,
      data: {
        space_id: spaceId,
        date: '2027-06-18',
        timezone: 'America/New_York',
        slots: range(0, 24).map((hour) => ({ hour, available: true, block_reason: null })),
        blocks: [],
      },
    });
  });

  test('an hour that has begun is gone, on the space’s own clock', async (t) => {
    world.clock.restoreAfter(t);
    world.clock.set('2027-06-18T14:00:00Z');
    assert.deepEqual(await open({ timezone: 'America/New_York' }, '2027-06-18'), range(11, 24));
    assert.deepEqual(await open({ timezone: 'Asia/Seoul' }, '2027-06-18'), []);
    assert.deepEqual(await open({ timezone: 'Asia/Seoul' }, '2027-06-19'), range(0, 24));
  });

  test('a day has 24 slots: one that is skipped is not available, one that is repeated is', async () => {
    const without = (skipped: number) => range(0, 24).filter((hour) => hour !== skipped);
    assert.deepEqual(await open({ timezone: 'America/New_York' }, '2028-03-12'), without(2));
    assert.deepEqual(await open({ timezone: 'Europe/London' }, '2028-03-26'), without(1));
    assert.deepEqual(await open({ timezone: 'America/New_York' }, '2027-11-07'), range(0, 24));
  });

  test('booked goes before external_block goes before host_block', async () => {
    const spaceId = await world.addSpace(hostId);
    const date = '2027-07-01';
    const body = bookingBody(spaceId, { date, start_hour: 8, end_hour: 10 });
    await world.call('POST', CREATE, { key, body });
    await world.ctx.db.transaction(async (tx) => {
      const range = { hostId, spaceId, date, startHour: 10, endHour: 12 };
      await blocks.writeBlock(tx, world.clock.now(), { environment: 'production' }, range, null);
      for (const hour of [9, 11, 12, 12]) await markBusy(tx, { hostId, spaceId, date, hour });
    });
    const { slots } = await availability(spaceId, date);
    assert.deepEqual(slots.slice(7, 14), [
      { hour: 7, available: true, block_reason: null },
      { hour: 8, available: false, block_reason: 'booked' },
      { hour: 9, available: false, block_reason: 'booked' },
      { hour: 10, available: false, block_reason: 'host_block' },
      { hour: 11, available: false, block_reason: 'external_block' },
      { hour: 12, available: false, block_reason: 'external_block' },
      { hour: 13, available: true, block_reason: null },
    ]);
  });

  test('dates far away are just dates, up to the end of the year 9999 in UTC', async () => {
    assert.deepEqual(await open({}, '9999-12-30'), range(0, 24));
    assert.deepEqual(await open({}, '9999-12-31'), range(0, 18));
    assert.deepEqual(await open({}, '0001-01-01'), []);
  });
});
