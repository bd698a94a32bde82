import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onBothEngines } from '../../test/support/engines.ts';
import { operator } from '../../test/support/operator.ts';
import { until } from '../../test/support/until.ts';
import { aReceiver, aSubscriber, claimDue } from '../../test/support/webhooks.ts';
import { useWorld } from '../../test/support/world.ts';
import { newId } from '../ids/uuid.ts';
import { toTimestamp } from '../time/clock.ts';
import { deliverDue, startDeliveries } from '../worker/deliver.ts';
import * as webhooks from './for-operators.ts';

/** Of looking by itself. */
const NEVER_MS = 1_000_000_000;

onBothEngines('the operator', (engine) => {
  const world = useWorld(engine, { LOG_LEVEL: 'debug' });
  /** Gives up what waits for a retry, without the hours that this takes. */
  const giveUp = (id: string) =>
    world.write(
      `update deliveries set status = 'failed' where webhook_id = $1 and status = 'pending' and attempts > 0`,
      [id],
    );
  /** What the operator's commands wrote into the audit trail. */
  const entries = (id: string) =>
    world.rows<object>(
      `select action, host_id, environment from audit where subject = $1 and actor_type = 'operator'`,
      [id],
    );
  const resent = (hostId: string) => ({
    action: 'webhook.resent',
    host_id: hostId,
    environment: 'production',
  });

  test('sees each subscription, newest first, with what waits, what was given up and the last success', async () => {
    const foreign = await aReceiver(world);
    const { receiver, host, id } = await aReceiver(world);
    await host.deliver();
    const delivered = (await host.newest(id)).last_attempt_at;
    receiver.answer = () => ({ status: 500 });
    world.clock.advance({ seconds: 1 });
    await host.deliver();
    const failed = (await host.newest(id)).last_attempt_at;
    await giveUp(id);
    world.clock.advance({ seconds: 1 });
    await host.deliver();
    await host.emit();
    const another = await host.subscribe(receiver, ['booking.created', 'booking.cancelled']);
    const common = {
      host_id: host.hostId,
      host_name: 'Test Host',
      environment: 'production',
      url: receiver.url,
      is_active: true,
      disabled_reason: null,
    };
    const unused = { failing_since: null, pending: 0, failed: 0, last_delivered_at: null };
    const used = { failing_since: failed, pending: 2, failed: 1, last_delivered_at: delivered };
    assert.deepEqual(await webhooks.list(world.ctx, host.hostId), [
      { ...common, id: another.id, events: ['booking.created', 'booking.cancelled'], ...unused },
      { ...common, id, events: ['availability.changed'], ...used },
    ]);
    assert.deepEqual(
      (await webhooks.list(world.ctx)).map((each) => each.id),
      [another.id, id, foreign.id],
    );
  });

  test('learns of the last success also when a hundred deliveries after it wait', async () => {
    const { receiver, host, id } = await aReceiver(world);
    await host.deliver();
    const delivered = (await host.newest(id)).last_attempt_at;
    receiver.answer = () => ({ status: 500 });
    for (let i = 0; i < 101; i++) await host.emit();
    const { pending, last_delivered_at } = await webhooks.get(world.ctx, id);
    assert.deepEqual({ pending, last_delivered_at }, { pending: 101, last_delivered_at: delivered });
  });

  test('lists deliveries as the API shows them, newest first, of any status or of one', async () => {
    const { receiver, host, id } = await aReceiver(world);
    await host.deliver(2);
    receiver.answer = () => ({ status: 503 });
    await host.deliver();
    await giveUp(id);
    await host.deliver();
    await host.emit();
    const webhook = await webhooks.get(world.ctx, id);
    const about = { booking_id: null, space_id: host.hostId, request_id: null };
    const shown = (await host.show(id)).recent_deliveries.map((delivery) => ({ ...delivery, ...about }));
    assert.deepEqual(
      shown.map(({ status, attempts }) => `${status} ${attempts}`),
      ['pending 0', 'pending 1', 'failed 1', 'delivered 1', 'delivered 1'],
    );
    const listed = (status?: webhooks.DeliveryStatus, limit = 20) =>
      webhooks.deliveries(world.ctx, webhook, { status, limit });
    assert.deepEqual(await listed(), shown);
    for (const status of ['pending', 'failed', 'delivered'] as const) {
      const wanted = shown.filter((delivery) => delivery.status === status);
      assert.deepEqual(await listed(status), wanted);
      assert.deepEqual(await listed(status, 1), wanted.slice(0, 1));
    }
  });

  test('resends one event with its id at once: waiting for a retry, given up or delivered', async () => {
    const { receiver, host, id } = await aReceiver(world, 503);
    await host.deliver();
    const eventId = receiver.received[0]!.body.id;
    receiver.answer = () => ({ status: 204 });
    const webhook = await webhooks.get(world.ctx, id);
    for (const status of ['pending', 'delivered', 'failed']) {
      if (status === 'failed')
        await world.write(`update deliveries set status = 'failed' where webhook_id = $1`, [id]);
      assert.equal((await host.newest(id)).status, status);
      const sent = receiver.received.length;
      world.clock.advance({ seconds: 10 });
      assert.equal(await webhooks.resendEvent(world.ctx, operator, webhook, eventId), 1);
      assert.equal((await host.newest(id)).next_attempt_at, toTimestamp(world.clock.now()));
      await deliverDue(world.ctx);
      assert.equal(receiver.received.length, sent + 1);
      assert.equal(receiver.received.at(-1)!.text, receiver.received[0]!.text);
      assert.equal(receiver.received.at(-1)!.headers['webhook-id'], eventId);
    }
    assert.deepEqual(await entries(id), Array(3).fill(resent(host.hostId)));
  });

  test('who resends to a receiver that still fails starts the retries over, and attempts are all that were made', async () => {
    const { receiver, host, id } = await aReceiver(world, 503);
    await host.deliver();
    await world.write(`update deliveries set status = 'failed', attempts = 8 where webhook_id = $1`, [id]);
    const webhook = await webhooks.get(world.ctx, id);
    await webhooks.resendEvent(world.ctx, operator, webhook, receiver.received[0]!.body.id);
    await deliverDue(world.ctx);
    const delivery = await host.newest(id);
    assert.deepEqual([delivery.status, delivery.attempts], ['pending', 9]);
    const row = 'select attempts, earlier_attempts from deliveries where webhook_id = $1';
    assert.deepEqual({ ...(await world.row<object>(row, [id])) }, { attempts: 1, earlier_attempts: 8 });
  });

  test('cannot resend what is being sent at this moment', async () => {
    const { receiver, host, id } = await aReceiver(world);
    await host.emit();
    const [claimed] = (await claimDue(world)).filter((delivery) => delivery.webhook_id === id);
    const webhook = await webhooks.get(world.ctx, id);
    const resend = (dryRun: boolean) =>
      webhooks.resendEvent(world.ctx, operator, webhook, claimed!.event_id, { dryRun });
    assert.deepEqual([await resend(true), await resend(false)], [0, 0]);
    world.clock.advance({ minutes: 1 });
    assert.equal(await resend(false), 1);
    await deliverDue(world.ctx);
    assert.equal(receiver.received.length, 1);
  });

  test('resends all that was given up, or of events since then, and nothing else', async () => {
    const { receiver, host, id } = await aReceiver(world);
    await host.deliver();
    receiver.answer = () => ({ status: 503 });
    await host.deliver();
    await giveUp(id);
    world.clock.advance({ hours: 1 });
    const since = world.clock.now();
    for (let i = 0; i < 2; i++) {
      await host.deliver();
      await giveUp(id);
    }
    await host.deliver();
    const before = await webhooks.get(world.ctx, id);
    assert.deepEqual([before.failed, before.pending], [3, 1]);
    const resend = (wanted: { since?: number; dryRun?: boolean }) =>
      webhooks.resendFailed(world.ctx, operator, before, wanted);
    assert.equal(await resend({ since, dryRun: true }), 2);
    assert.equal(await resend({ dryRun: true }), 3);
    assert.deepEqual(await webhooks.get(world.ctx, id), before);

    receiver.answer = () => ({ status: 204 });
    receiver.received = [];
    assert.equal(await resend({ since }), 2);
    await deliverDue(world.ctx);
    const [, late, early] = (await host.show(id)).recent_deliveries;
    assert.deepEqual(
      receiver.received.map(({ body }) => body.id).sort(),
      [early!.event_id, late!.event_id].sort(),
    );
    assert.equal(await resend({}), 1);
    assert.equal(await resend({}), 0);
    assert.deepEqual(await entries(id), Array(2).fill(resent(host.hostId)));
  });

  test('who resends wakes a running worker, also where it had stopped to look', async (t) => {
    const { receiver, host, id } = await aReceiver(world);
    const worker = startDeliveries(world.ctx, NEVER_MS);
    t.after(() => worker.stop());
    // More than one: on PostgreSQL it may not have begun to listen yet.
    await until(async () => {
      await host.emit();
      return receiver.received.length > 0;
    });
    const eventId = receiver.received[0]!.body.id;
    await until(async () => (await webhooks.get(world.ctx, id)).pending === 0);
    // Time for its last look, after which it sleeps.
    for (let i = 0; i < 100; i++) await new Promise(setImmediate);
    await world.write('update webhooks set has_pending = 0 where id = $1', [id]);
    receiver.received = [];
    const webhook = await webhooks.get(world.ctx, id);
    assert.equal(await webhooks.resendEvent(world.ctx, operator, webhook, eventId), 1);
    await until(() => receiver.received.length > 0);
    assert.equal(receiver.received[0]!.body.id, eventId);
  });

  test('cannot resend what the subscription never had, what is not active, or to a deactivated host', async () => {
    const { host, id } = await aReceiver(world);
    await host.deliver();
    const webhook = await webhooks.get(world.ctx, id);
    const { event_id } = await host.newest(id);
    const rejects = async (message: string, event = event_id, of = webhook) => {
      for (const dryRun of [true, false])
        await assert.rejects(webhooks.resendEvent(world.ctx, operator, of, event, { dryRun }), { message });
    };
    await rejects(`webhook ${id} has no delivery of event ${host.hostId}`, host.hostId);
    await world.write('update hosts set deactivated_at = 1 where id = $1', [host.hostId]);
    await rejects(
      `host ${host.hostId} is deactivated, so nothing can be sent; "hourkeep host activate ${host.hostId}" lets it go on`,
    );
    await world.write('update hosts set deactivated_at = null where id = $1', [host.hostId]);
    await host.patch(id, { is_active: false });
    const message = `webhook ${id} is not active, so nothing can be sent; "hourkeep webhook enable ${id}" switches it on`;
    await rejects(message, event_id, await webhooks.get(world.ctx, id));
    // Switched off between the look and the deed.
    await assert.rejects(webhooks.resendEvent(world.ctx, operator, webhook, event_id), { message });
    assert.equal((await host.newest(id)).status, 'delivered');
  });

  test('finds the host in the log lines of deliveries', async () => {
    const { host, id } = await aReceiver(world, 410);
    await host.deliver();
    const lines = world.logLines(`"webhook_id":"${id}"`).map((line) => JSON.parse(line));
    assert.deepEqual(
      lines.map(({ message, host_id }) => [message, host_id]),
      [
        ['webhook attempt', host.hostId],
        ['webhook disabled', host.hostId],
      ],
    );
  });
});

onBothEngines('resending more than one transaction takes', (engine) => {
  const world = useWorld(engine);

  test('queues all of it', async () => {
    const host = await aSubscriber(world);
    const { id } = await host.subscribe({ url: 'http://127.0.0.1:9/' });
    const ids = Array.from({ length: 1001 }, () => newId());
    await world.write(`
      insert into events (host_id, id, environment, type, data, created_at)
      values ${ids.map((event) => `('${host.hostId}', '${event}', 'production', 'availability.changed', '{}', 1)`).join()}`);
    await world.write(`
      insert into deliveries (host_id, webhook_id, event_id, status, attempts, due_at)
      values ${ids.map((event) => `('${host.hostId}', '${id}', '${event}', 'failed', 8, 1)`).join()}`);
    const webhook = await webhooks.get(world.ctx, id);
    const seen: number[] = [];
    const progress = (queued: number) => void seen.push(queued);
    assert.equal(await webhooks.resendFailed(world.ctx, operator, webhook, { progress }), 1001);
    assert.deepEqual(seen, [1000, 1001]);
    const { failed, pending } = await webhooks.get(world.ctx, id);
    assert.deepEqual({ failed, pending }, { failed: 0, pending: 1001 });
  });
});
