import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onBothEngines } from '../../test/support/engines.ts';
import { operator } from '../../test/support/operator.ts';
import { until } from '../../test/support/until.ts';
import { aReceiver, aSubscriber, claimDue, WEBHOOKS } from '../../test/support/webhooks.ts';
import { useWorld } from '../../test/support/world.ts';
import { newId } from '../ids/uuid.ts';
import { toTimestamp } from '../time/clock.ts';
import { deliverDue, startDeliveries } from '../worker/deliver.ts';
import * as webhooks from './for-operators.ts';
import type { Webhook } from './schemas.ts';

interface Entry {
  actor_type: string;
  action: string;
  host_id: string;
  environment: string;
  reason: string | null;
}

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
  const trail = (id: string) =>
    world.rows<Entry>(
      'select actor_type, action, host_id, environment, reason from audit where subject = $1 order by id',
      [id],
    );
  /** What the operator's commands wrote into the audit trail. */
  const entry = (hostId: string, action: string, reason: string | null = null): Entry => ({
    actor_type: 'operator',
    action,
    host_id: hostId,
    environment: 'production',
    reason,
  });
  /** After webhook.created. */
  const lastEntries = async (id: string) => (await trail(id)).slice(1);

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

  test('lists those alone that fail or are disabled, a receiver that is gone among both', async () => {
    const [well, failing, gone] = [await aReceiver(world), await aReceiver(world), await aReceiver(world)];
    failing.receiver.answer = () => ({ status: 500 });
    gone.receiver.answer = () => ({ status: 410 });
    for (const { host } of [well, failing, gone]) await host.deliver();
    const ids = async (only: object): Promise<string[]> =>
      (await webhooks.list(world.ctx, undefined, only)).map(({ id }) => id);
    assert.deepEqual((await ids({ failing: true })).slice(0, 2), [gone.id, failing.id]);
    assert.deepEqual((await ids({ disabled: true })).slice(0, 1), [gone.id]);
    assert.equal((await ids({ failing: true })).includes(well.id), false);
    failing.receiver.answer = () => ({ status: 200 });
    world.clock.advance({ minutes: 10 });
    await deliverDue(world.ctx);
    assert.equal((await webhooks.get(world.ctx, failing.id)).failing_since, null);
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

  test('does not see a subscription that was deleted', async () => {
    const { host, id } = await aReceiver(world);
    await world.call('DELETE', `${WEBHOOKS}/${id}`, { key: host.key });
    assert.deepEqual(await webhooks.list(world.ctx, host.hostId), []);
    const message = `there is no webhook ${id}`;
    await assert.rejects(webhooks.get(world.ctx, id), { message });
    await assert.rejects(webhooks.disable(world.ctx, operator, id, 'x'), { message });
    assert.equal(await webhooks.enable(world.ctx, operator, id), false);
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
    const shown = (await host.show(id)).recent_deliveries;
    const listed = (status?: webhooks.DeliveryStatus, limit = 20) =>
      webhooks.deliveries(world.ctx, webhook, { status, limit });
    assert.deepEqual(
      shown.map(({ status, attempts, error }) => ({ status, attempts, error })),
      [
        { status: 'pending', attempts: 0, error: null },
        { status: 'pending', attempts: 1, error: 'unsuccessful_status' },
        { status: 'failed', attempts: 1, error: 'unsuccessful_status' },
        { status: 'delivered', attempts: 1, error: null },
        { status: 'delivered', attempts: 1, error: null },
      ],
    );
    const traced = shown.map((delivery) => ({
      ...delivery,
      booking_id: null,
      space_id: host.hostId,
      request_id: null,
    }));
    assert.deepEqual(await listed(), traced);
    for (const status of ['pending', 'failed', 'delivered'] as const) {
      const wanted = traced.filter((delivery) => delivery.status === status);
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
    const resent = entry(host.hostId, 'webhook.resent');
    assert.deepEqual(await lastEntries(id), [resent, resent, resent]);
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

  test('is refused an event that the subscription never had', async () => {
    const { host, id } = await aReceiver(world);
    await host.deliver();
    const other = await aReceiver(world);
    await other.host.deliver();
    const eventId = (await other.host.newest(other.id)).event_id;
    const webhook = await webhooks.get(world.ctx, id);
    await assert.rejects(webhooks.resendEvent(world.ctx, operator, webhook, eventId), {
      message: `webhook ${id} has no delivery of event ${eventId}`,
    });
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
    const resent = entry(host.hostId, 'webhook.resent');
    assert.deepEqual(await lastEntries(id), [resent, resent]);
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

  test('disables a subscription: it keeps what is due and gathers nothing, and only the operator ends that', async () => {
    const { receiver, host, id } = await aReceiver(world);
    await host.emit();
    assert.equal(await webhooks.disable(world.ctx, operator, id, 'floods its own server'), true);
    assert.equal(await webhooks.disable(world.ctx, operator, id, 'said twice'), false);
    await host.deliver();
    assert.equal(receiver.received.length, 0);
    const { is_active, disabled_reason, pending } = await webhooks.get(world.ctx, id);
    assert.deepEqual([is_active, disabled_reason, pending], [false, 'operator', 1]);

    const path = `${WEBHOOKS}/${id}`;
    await host.patch(id, { is_active: false, description: 'paused' });
    const refused = await world.call('PATCH', path, { key: host.key, body: { is_active: true } });
    assert.equal(refused.status, 422);
    assert.equal(refused.body.error.code, 'VALIDATION_ERROR');
    assert.equal(
      refused.body.error.message,
      'is_active cannot be true: the operator has disabled this webhook, and only they can enable it again',
    );
    const shown: Webhook = await host.show(id);
    assert.deepEqual([shown.is_active, shown.disabled_reason], [false, 'operator']);

    assert.equal(await webhooks.enable(world.ctx, operator, id), true);
    await deliverDue(world.ctx);
    assert.equal(receiver.received.length, 1);
    assert.equal((await host.patch(id, { is_active: true })).disabled_reason, null);
    assert.equal(await webhooks.enable(world.ctx, operator, id), false);
    const operators = (await trail(id)).filter((row) => row.actor_type === 'operator');
    assert.deepEqual(operators, [
      entry(host.hostId, 'webhook.disabled', 'floods its own server'),
      entry(host.hostId, 'webhook.enabled'),
    ]);
  });

  test('cannot resend to a subscription that is not active', async () => {
    const { host, id } = await aReceiver(world);
    await host.deliver();
    await host.patch(id, { is_active: false });
    const webhook = await webhooks.get(world.ctx, id);
    const message = `webhook ${id} is not active, so nothing can be sent; "hourkeep webhook enable ${id}" switches it on`;
    const delivery = await host.newest(id);
    for (const dryRun of [true, false]) {
      await assert.rejects(webhooks.resendFailed(world.ctx, operator, webhook, { dryRun }), { message });
      await assert.rejects(
        webhooks.resendEvent(world.ctx, operator, webhook, delivery.event_id, { dryRun }),
        { message },
      );
    }
    // Switched off between the look and the deed.
    const stale = { ...webhook, is_active: true };
    await assert.rejects(webhooks.resendEvent(world.ctx, operator, stale, delivery.event_id), { message });
    assert.equal((await host.newest(id)).status, 'delivered');
  });

  test('cannot resend to a host that is deactivated', async () => {
    const { host, id } = await aReceiver(world);
    await host.deliver();
    const { hostId } = host;
    await world.write('update hosts set deactivated_at = 1 where id = $1', [hostId]);
    const webhook = await webhooks.get(world.ctx, id);
    await assert.rejects(webhooks.resendFailed(world.ctx, operator, webhook), {
      message: `host ${hostId} is deactivated, so nothing can be sent; "hourkeep host activate ${hostId}" lets it go on`,
    });
  });

  test('finds the host in the log lines of deliveries', async () => {
    const { host, id } = await aReceiver(world, 410);
    await host.deliver();
    const lines = world
      .logText()
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>)
      .filter((line) => line['webhook_id'] === id);
    assert.deepEqual(
      lines.map(({ message, host_id }) => ({ message, host_id })),
      [
        { message: 'webhook attempt', host_id: host.hostId },
        { message: 'webhook disabled', host_id: host.hostId },
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
