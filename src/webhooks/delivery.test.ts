import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Webhook as Verifier } from 'standardwebhooks';
import { bookingBody, CREATE } from '../../test/support/booking.ts';
import { nextJune, TestClock } from '../../test/support/clock.ts';
import { onBothEngines } from '../../test/support/engines.ts';
import { receiverFor } from '../../test/support/receiver.ts';
import { aReceiver, aSubscriber } from '../../test/support/webhooks.ts';
import { useWorld, type World } from '../../test/support/world.ts';
import * as bookings from '../bookings/bookings.ts';
import { EVENT_TYPES } from '../events/events.ts';
import * as payments from '../payments/payments.ts';
import { deliverDue } from '../worker/deliver.ts';
import { operator } from '../../test/support/operator.ts';

/** The verifier compares with the machine's clock, so these worlds begin at its present. */
const present = () => new TestClock(new Date().toISOString());

const DATE = nextJune(1);

async function book(world: World, key: string, spaceId: string, fields: object = {}) {
  const body = bookingBody(spaceId, { date: DATE, start_hour: 10, end_hour: 12, ...fields });
  return world.call('POST', CREATE, { key, body });
}

onBothEngines('a delivery', (engine) => {
  const world = useWorld(engine, {}, present());

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

  test('is accepted by an independent verifier, and refused by it when tampered with', async () => {
    const { receiver, host, secret } = await aReceiver(world);
    await host.deliver();
    const [delivery] = receiver.received;
    assert.ok(delivery !== undefined);
    const headers = delivery.headers as Record<string, string>;
    const verifier = new Verifier(secret);
    assert.deepEqual(verifier.verify(delivery.text, headers), delivery.body);
    assert.throws(() => verifier.verify(delivery.text.replace('block_created', 'block_deleted'), headers));
    assert.throws(() => verifier.verify(delivery.text, { ...headers, 'webhook-id': 'another' }));
    assert.throws(() => verifier.verify(delivery.text, { ...headers, 'webhook-timestamp': '1700000000' }));
    assert.throws(() =>
      new Verifier(`whsec_${Buffer.alloc(32).toString('base64')}`).verify(delivery.text, headers),
    );
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

  test('is sent at once though the clock has been set back since', async (t) => {
    const { receiver, host } = await aReceiver(world);
    await host.emit();
    world.clock.restoreAfter(t);
    world.clock.advance({ minutes: -10 });
    await deliverDue(world.ctx);
    assert.equal(receiver.received.length, 1);
  });

  test('with any 2xx is delivered', async () => {
    const { receiver, host, id } = await aReceiver(world);
    const statuses = [200, 201, 202, 204, 299];
    receiver.answer = () => ({ status: statuses[receiver.received.length - 1]! });
    await host.deliver(statuses.length);
    const recent = (await host.show(id)).recent_deliveries;
    assert.deepEqual(new Set(recent.map(({ status }) => status)), new Set(['delivered']));
    assert.equal(receiver.received.length, 5);
  });

  for (const [status, error] of [
    [301, 'redirect'],
    [304, 'redirect'],
    [400, 'unsuccessful_status'],
    [404, 'unsuccessful_status'],
    [500, 'unsuccessful_status'],
  ] as const) {
    test(`answered with ${status} has failed, and nothing is followed`, async () => {
      const { receiver, host, id } = await aReceiver(world);
      const target = await receiverFor();
      receiver.answer = () => ({ status, headers: { location: target.url } });
      await host.deliver();
      const { status: state, attempts, ...delivery } = await host.newest(id);
      assert.deepEqual([state, attempts, delivery.error], ['pending', 1, error]);
      assert.equal(delivery.response_status, status);
      assert.equal(target.received.length, 0);
    });
  }

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
