import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bookingBody, CREATE } from '../../test/support/booking.ts';
import { nextJune, TestClock } from '../../test/support/clock.ts';
import { onBothEngines } from '../../test/support/engines.ts';
import { receiverFor } from '../../test/support/receiver.ts';
import { aReceiver, aSubscriber } from '../../test/support/webhooks.ts';
import { useWorld, type World } from '../../test/support/world.ts';
import * as bookings from '../bookings/by-clock.ts';
import { EVENT_TYPES } from '../events/events.ts';
import * as payments from '../payments/payments.ts';
import { deliverDue } from '../worker/deliver.ts';
import { operator } from '../../test/support/operator.ts';

const DATE = nextJune(1);

async function book(world: World, key: string, spaceId: string, fields: object = {}) {
  const body = bookingBody(spaceId, { date: DATE, start_hour: 10, end_hour: 12, ...fields });
  return world.call('POST', CREATE, { key, body });
}

onBothEngines('a delivery', (engine) => {
  const world = useWorld(engine, {}, new TestClock(new Date().toISOString()));

  test('exists of every event, and the receiver finds each as the document says', async () => {
    const receiver = await receiverFor();
    const host = await aSubscriber(world);
    await host.subscribe(receiver, EVENT_TYPES);
    const spaceId = await world.addSpace(host.hostId);
    const { booking: paid } = (await book(world, host.key, spaceId, { settlement_mode: 'platform_settled' }))
      .body.data;
    await payments.confirm(world.ctx, operator, paid.id, 'transfer 7');
    const space = { key: host.key, body: { title: 'Renamed' } };
    await world.call('PATCH', `/api-listing-update/api/v1/spaces/${paid.space_id}`, space);
    const { booking: dropped } = (await book(world, host.key, spaceId, { start_hour: 14, end_hour: 15 })).body
      .data;
    const reason = { key: host.key, body: { reason: 'changed plans' } };
    await world.call('POST', `/api-cancel-booking/api/v1/bookings/${dropped.id}/cancel`, reason);
    const clock = new TestClock('2030-05-07T12:00:00Z');
    await bookings.completeDue({ ...world.ctx, clock });
    await deliverDue(world.ctx);
    const types = new Set(receiver.received.map(({ body }) => body.type));
    assert.deepEqual(types, new Set(EVENT_TYPES));
    for (const { headers, path } of receiver.received) {
      assert.equal(path, '/hook');
      assert.equal(headers['user-agent'], 'Hourkeep-Webhooks/1');
    }
  });

  test('never gets in the way of what it tells, even while subscriptions come and go', async () => {
    const { receiver, host } = await aReceiver(world);
    const comeAndGo = async (): Promise<void> => {
      for (let i = 0; i < 10; i++) {
        const { id } = await host.subscribe(receiver, ['listing.updated', 'availability.changed']);
        const answer = await world.call('DELETE', `/api-webhooks/api/v1/webhooks/${id}`, { key: host.key });
        assert.equal(answer.status, 200);
      }
    };
    const emitting = Array.from({ length: 50 }, () => host.emit());
    await Promise.all([comeAndGo(), comeAndGo(), ...emitting]);
    await deliverDue(world.ctx);
    assert.equal(new Set(receiver.received.map(({ body }) => body.id)).size, 50);
  });

  test('succeeds with any 2xx; any other status is a failure, and no redirect is followed', async () => {
    const outcomes: Record<number, string | null> = {
      200: null,
      202: null,
      299: null,
      301: 'redirect',
      304: 'redirect',
      400: 'unsuccessful_status',
      503: 'unsuccessful_status',
    };
    const target = await receiverFor();
    for (const [status, error] of Object.entries(outcomes)) {
      const { receiver, host, id } = await aReceiver(world);
      receiver.answer = () => ({ status: Number(status), headers: { location: target.url } });
      await host.deliver();
      const newest = await host.newest(id);
      assert.deepEqual(
        [newest.status, newest.attempts, newest.response_status, newest.error],
        [error === null ? 'delivered' : 'pending', 1, Number(status), error],
      );
    }
    assert.equal(target.received.length, 0);
  });

  test('never puts a secret, an address or a guest into the log', async () => {
    const receiver = await receiverFor();
    receiver.answer = () => ({ status: 500 });
    const host = await aSubscriber(world);
    const { secret } = await host.subscribe({ url: `${receiver.url}?token=hush` }, ['booking.created']);
    await book(world, host.key, await world.addSpace(host.hostId), { guest_name: 'Secretive Guest' });
    await deliverDue(world.ctx);
    assert.match(world.logText(), /webhook attempt/);
    for (const text of [secret, 'hush', 'Secretive', receiver.url])
      assert.ok(!world.logText().includes(text));
  });
});
