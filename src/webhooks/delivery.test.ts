import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Webhook as Verifier } from 'standardwebhooks';
import { refused } from '../../test/support/answer.ts';
import { bookingBody, CREATE } from '../../test/support/booking.ts';
import { nextJune, TestClock } from '../../test/support/clock.ts';
import { onBothEngines } from '../../test/support/engines.ts';
import { receiverFor, type Received } from '../../test/support/receiver.ts';
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

  test('tells what happened, in the shape of the API’s own records', async () => {
    const receiver = await receiverFor();
    const host = await aSubscriber(world);
    await host.subscribe(receiver, ['booking.created', 'availability.changed']);
    const spaceId = await world.addSpace(host.hostId);
    const answer = await book(world, host.key, spaceId);
    const { booking } = answer.body.data;
    await deliverDue(world.ctx);
    const bodies = receiver.received.map(({ body }) => body).sort((a, b) => (a.type < b.type ? 1 : -1));
    const common = {
      timestamp: new Date(world.clock.now()).toISOString(),
      api_version: 'v1',
      environment: 'production',
      request_id: answer.headers.get('x-request-id'),
    };
    assert.deepEqual(bodies, [
      { id: bodies[0]!.id, type: 'booking.created', ...common, data: { booking } },
      {
        id: bodies[1]!.id,
        type: 'availability.changed',
        ...common,
        data: { space_id: spaceId, date: DATE, hours: [10, 11], cause: 'booking_created' },
      },
    ]);
    for (const { headers, body, path } of receiver.received) {
      assert.equal(path, '/hook');
      assert.equal(headers['webhook-id'], body.id);
      assert.equal(headers['content-type'], 'application/json');
      assert.equal(headers['user-agent'], 'Hourkeep-Webhooks/1');
    }
  });

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

  for (const [when, milliseconds, oldIsGood] of [
    ['until 24 hours after a rotation', -1, true],
    ['no longer when 24 hours have passed', 0, false],
  ] as const) {
    test(`is signed with the old secret too ${when}`, async (t) => {
      world.clock.restoreAfter(t);
      const receiver = await receiverFor();
      const host = await aSubscriber(world);
      // Rotated a day ago, so that the delivery is of the present, as the verifier wants it.
      world.clock.advance({ hours: -24 });
      const { id, secret: old } = await host.subscribe(receiver);
      const { secret } = await host.patch(id, { rotate_secret: true });
      world.clock.advance({ hours: 24, milliseconds });
      await host.deliver();
      const [{ text, headers }] = receiver.received as [Received];
      const verifies = (each: string) => {
        try {
          return new Verifier(each).verify(text, headers as Record<string, string>) !== undefined;
        } catch {
          return false;
        }
      };
      assert.deepEqual([verifies(secret!), verifies(old)], [true, oldIsGood]);
    });
  }

  test('goes to those who asked for its type, of the same host and environment', async () => {
    const [wanting, other, foreign, sandboxed] = await Promise.all(Array.from({ length: 4 }, receiverFor));
    const host = await aSubscriber(world);
    const { id } = await host.subscribe(wanting!, ['availability.changed', 'booking.created']);
    await host.subscribe(other!, ['listing.updated']);
    await (await aSubscriber(world)).subscribe(foreign!);
    const { key } = await world.addKey(host.hostId, { environment: 'sandbox' });
    const body = { url: sandboxed!.url, events: ['availability.changed'] };
    await world.call('POST', '/api-webhooks/api/v1/webhooks', { key, body });
    await host.deliver();
    const counts = [wanting, other, foreign, sandboxed].map((receiver) => receiver?.received.length);
    assert.deepEqual(counts, [1, 0, 0, 0]);
    const [{ body: event }] = wanting!.received as [Received];
    const rows = await world.rows('select webhook_id from deliveries where event_id = $1', [event.id]);
    assert.deepEqual(rows, [{ webhook_id: id }], 'and none waits for the others');
  });

  test('of a change that was rolled back does not exist', async () => {
    const receiver = await receiverFor();
    const host = await aSubscriber(world);
    await host.subscribe(receiver, ['booking.created']);
    const spaceId = await world.addSpace(host.hostId);
    await book(world, host.key, spaceId, { start_hour: 10, end_hour: 12 });
    const clash = await book(world, host.key, spaceId, { start_hour: 11, end_hour: 13 });
    refused(clash, 409, 'BOOKING_CONFLICT');
    await deliverDue(world.ctx);
    assert.equal(receiver.received.length, 1);
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

  test('shows up among the recent deliveries of its subscription', async () => {
    const { receiver, host, id } = await aReceiver(world);
    await host.emit();
    const now = new Date(world.clock.now()).toISOString();
    const waiting = {
      event_id: (await host.newest(id)).event_id,
      type: 'availability.changed',
      status: 'pending',
      attempts: 0,
      response_status: null,
      error: null,
      last_attempt_at: null,
      next_attempt_at: now,
    };
    assert.deepEqual((await host.show(id)).recent_deliveries, [waiting]);
    await deliverDue(world.ctx);
    const result = { status: 'delivered', attempts: 1, response_status: 204 };
    const delivered = { ...waiting, ...result, last_attempt_at: now, next_attempt_at: null };
    assert.deepEqual((await host.show(id)).recent_deliveries, [delivered]);
    assert.equal(receiver.received[0]!.body.id, waiting.event_id);
  });

  test('stands among the ten newest, newest first', async () => {
    const { receiver, host, id } = await aReceiver(world);
    await host.deliver(13);
    const recent = (await host.show(id)).recent_deliveries.map((delivery) => delivery.event_id);
    const all = receiver.received.map(({ body }) => body.id).sort((a, b) => (a < b ? 1 : -1));
    assert.deepEqual(recent, all.slice(0, 10));
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
