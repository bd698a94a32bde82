import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openDesk } from '../../test/support/booking.ts';
import { onBothEngines } from '../../test/support/engines.ts';
import { operator } from '../../test/support/operator.ts';
import { receiverFor, type Receiver } from '../../test/support/receiver.ts';
import { until } from '../../test/support/until.ts';
import { WEBHOOKS } from '../../test/support/webhooks.ts';
import { useWorld } from '../../test/support/world.ts';
import { list } from '../audit/list.ts';
import * as bookings from '../bookings/for-operators.ts';
import { newId } from '../ids/uuid.ts';
import { toTimestamp } from '../time/clock.ts';
import { deliverDue } from '../worker/deliver.ts';
import * as webhooks from './for-operators.ts';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const TRACEPARENT = `00-${TRACE}-00f067aa0ba902b7-01`;
const TYPES = ['booking.created', 'booking.cancelled', 'availability.changed', 'listing.updated'];

onBothEngines('the trail of a request', (engine) => {
  const world = useWorld(engine);

  async function aHost() {
    const desk = await openDesk(world);
    const receiver = await receiverFor();
    const body = { url: receiver.url, events: TYPES };
    const answer = await world.call('POST', WEBHOOKS, { key: desk.key, body });
    return { desk, receiver, webhookId: answer.body.data.webhook.id };
  }
  const ofType = (receiver: Receiver, type: string) =>
    receiver.received.find((received) => received.body.type === type)!;
  const deliveries = async (webhookId: string) =>
    webhooks.deliveries(world.ctx, await webhooks.get(world.ctx, webhookId), { limit: 10 });

  test('leads by its id from the log to the audit trail, the events, their deliveries and the receiver', async () => {
    const { desk, receiver, webhookId } = await aHost();
    const requestId = `trail-${newId()}`;
    const booked = await desk.book({}, { 'x-request-id': requestId, traceparent: TRACEPARENT });
    const bookingId = booked.body.data.booking.id;
    await deliverDue(world.ctx);

    const lines = () => world.logLines(`"request_id":"${requestId}"`);
    await until(() => lines().length > 0);
    const { record_id, trace_id } = JSON.parse(lines()[0]!);
    assert.deepEqual([record_id, trace_id], [bookingId, TRACE]);

    const entries = await list(world.ctx.db, { hostId: undefined, since: 0, limit: 10, request: requestId });
    assert.deepEqual(
      entries.map(({ action, subject }) => [action, subject]),
      [['booking.created', bookingId]],
    );

    const about = (await deliveries(webhookId)).map(({ event_id: _id, ...delivery }) => delivery);
    const facts = {
      status: 'delivered',
      attempts: 1,
      response_status: 204,
      error: null,
      last_attempt_at: toTimestamp(world.clock.now()),
      next_attempt_at: null,
      space_id: desk.spaceId,
      request_id: requestId,
    };
    assert.deepEqual(about, [
      { type: 'availability.changed', booking_id: null, ...facts },
      { type: 'booking.created', booking_id: bookingId, ...facts },
    ]);

    for (const { body, headers } of receiver.received)
      assert.deepEqual([body.request_id, headers['traceparent']], [requestId, TRACEPARENT]);
    assert.equal(receiver.received.length, 2);
  });

  test('is shown by event show, with what became of it at every subscription', async () => {
    const { desk, receiver, webhookId } = await aHost();
    const requestId = `trail-${newId()}`;
    const booked = await desk.book({}, { 'x-request-id': requestId });
    await deliverDue(world.ctx);
    const eventId = ofType(receiver, 'booking.created').body.id;
    const { deliveries: sent, ...event } = await webhooks.showEvent(world.ctx, eventId);
    assert.deepEqual(event, {
      id: eventId,
      type: 'booking.created',
      host_id: desk.hostId,
      environment: 'production',
      created_at: toTimestamp(world.clock.now()),
      request_id: requestId,
      booking_id: booked.body.data.booking.id,
      space_id: desk.spaceId,
    });
    // The desk has a subscription of its own, where nobody listens.
    const shown = sent.map((one) => [one.webhook_id, one.url, one.event_id, one.status, one.attempts]);
    assert.deepEqual(shown[0], [webhookId, receiver.url, eventId, 'delivered', 1]);
    assert.deepEqual([sent.length, sent[1]?.status], [2, 'pending']);
    const absent = newId();
    await assert.rejects(webhooks.showEvent(world.ctx, absent), {
      name: 'OperatorError',
      message: new RegExp(`^there is no event ${absent}; `),
    });
  });

  test('of a listing names its space; what the operator does has neither request nor trace, nor has a malformed one', async () => {
    const { desk, receiver } = await aHost();
    const path = `/api-listing-update/api/v1/spaces/${desk.spaceId}`;
    const headers = { traceparent: 'nonsense' };
    await world.call('PATCH', path, { key: desk.key, headers, body: { title: 'Attic' } });
    const { id } = await desk.made({}, { traceparent: TRACEPARENT });
    await bookings.cancel(world.ctx, operator, id, 'The heating is out of order');
    await deliverDue(world.ctx);
    const renamed = ofType(receiver, 'listing.updated');
    const listing = await webhooks.showEvent(world.ctx, renamed.body.id);
    assert.deepEqual([listing.booking_id, listing.space_id], [null, desk.spaceId]);
    assert.equal('traceparent' in renamed.headers, false);
    const cancelled = ofType(receiver, 'booking.cancelled');
    assert.deepEqual([cancelled.body.request_id, 'traceparent' in cancelled.headers], [null, false]);
    assert.equal((await webhooks.showEvent(world.ctx, cancelled.body.id)).request_id, null);
  });
});
