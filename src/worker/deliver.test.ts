import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { TestClock } from '../../test/support/clock.ts';
import { onBothEngines } from '../../test/support/engines.ts';
import { receiverFor, type Received, type Receiver } from '../../test/support/receiver.ts';
import { operator } from '../../test/support/operator.ts';
import { until } from '../../test/support/until.ts';
import { aReceiver, aSubscriber, claimDue } from '../../test/support/webhooks.ts';
import { useWorld, type World } from '../../test/support/world.ts';
import { openDatabase } from '../db/open.ts';
import * as events from '../events/events.ts';
import { deliverDue, startDeliveries, type Deliveries } from './deliver.ts';

/** The next one the receiver gets, after it has been answered as before. */
function arrival(receiver: Receiver, when: (received: Received) => boolean = () => true): Promise<Received> {
  const { promise, resolve } = Promise.withResolvers<Received>();
  const { answer } = receiver;
  receiver.answer = (received) => {
    if (when(received)) resolve(received);
    return answer(received);
  };
  return promise;
}

/** Stops with its test, however that ends: a worker that runs on would keep the process alive. */
function startWorker(t: TestContext, world: World, idleMs?: number): Deliveries {
  const worker = startDeliveries(world.ctx, idleMs);
  t.after(() => worker.stop(0));
  return worker;
}

/** Of looking by itself. */
const NEVER_MS = 1_000_000_000;

onBothEngines('a running worker', (engine) => {
  const world = useWorld(engine, {}, new TestClock(new Date().toISOString()));

  test('is woken by a commit, and does not have to look', async (t) => {
    const { receiver, host } = await aReceiver(world);
    startWorker(t, world, NEVER_MS);
    // More than one: on PostgreSQL it may not have begun to listen yet.
    await until(async () => {
      await host.emit();
      return receiver.received.length > 0;
    });
    assert.equal(receiver.received[0]?.body.type, 'availability.changed');
  });

  test('sends what has been written past it, on a connection that is not its own', async (t) => {
    const { receiver, host } = await aReceiver(world);
    startWorker(t, world);
    const other = openDatabase(world.ctx.config, world.ctx.log);
    t.after(() => other.close());
    const arrived = arrival(receiver);
    const owner = { hostId: host.hostId, environment: 'production', actor: operator } as const;
    const day = { spaceId: host.hostId, date: '2027-01-01' };
    await other.transaction((tx) =>
      events.append(tx, world.clock.now(), owner, events.availabilityChanged(day, [1], 'external_calendar')),
    );
    assert.equal((await arrived).body.data.cause, 'external_calendar');
  });

  test('is woken when a subscription is re-activated', async (t) => {
    const { receiver, host, id } = await aReceiver(world);
    await host.emit();
    await host.patch(id, { is_active: false });
    startWorker(t, world, NEVER_MS);
    await until(async () => {
      await host.patch(id, { is_active: false });
      await host.patch(id, { is_active: true });
      return receiver.received.length > 0;
    });
    assert.equal(receiver.received.length, 1);
  });

  test('does not let a receiver that hangs delay another one', async (t) => {
    const [hanging, healthy] = await Promise.all([receiverFor(), receiverFor()]);
    hanging.answer = () => undefined;
    const host = await aSubscriber(world);
    await host.subscribe(hanging);
    await host.subscribe(healthy);
    startWorker(t, world);
    const all = arrival(healthy, () => healthy.received.length === 50);
    for (let i = 0; i < 50; i++) await host.emit();
    await all;
    assert.equal(hanging.received.length, 8);
    await hanging.close();
  });

  test('keeps slots free for others, however many receivers hang', async (t) => {
    const [hanging, healthy] = await Promise.all([receiverFor(), receiverFor()]);
    hanging.answer = () => undefined;
    const crowd = await Promise.all(Array.from({ length: 5 }, () => aSubscriber(world)));
    for (const host of crowd) {
      await Promise.all(Array.from({ length: 15 }, () => host.subscribe(hanging)));
      for (let i = 0; i < 8; i++) await host.emit();
    }
    startWorker(t, world);
    await arrival(hanging, () => hanging.received.length > 500);
    const host = await aSubscriber(world);
    await host.subscribe(healthy);
    const all = arrival(healthy, () => healthy.received.length === 20);
    for (let i = 0; i < 20; i++) await host.emit();
    await all;
    // Not what has arrived: on a slow machine attempts time out, and others follow them.
    const { leased } = await world.row<{ leased: number }>(
      'select count(*) as leased from deliveries where lease_token is not null',
    );
    assert.ok(leased < 600, `${leased} in flight: half the slots in full, the rest one each`);
    await hanging.close();
  });

  test('that stops finishes what is in flight and records it', async (t) => {
    const { receiver, host, id } = await aReceiver(world);
    const arrived = arrival(receiver);
    const worker = startWorker(t, world);
    await host.emit();
    await arrived;
    await worker.stop();
    assert.equal((await host.newest(id)).status, 'delivered');
  });
});

onBothEngines('a worker that stops', (engine) => {
  const world = useWorld(engine, {}, new TestClock(new Date().toISOString()));

  test('hands back what hangs, so that the next one has it at once', async (t) => {
    const { receiver, host, id } = await aReceiver(world);
    receiver.answer = () => undefined;
    const arrived = arrival(receiver);
    const worker = startWorker(t, world);
    await host.emit();
    await arrived;
    assert.equal((await host.newest(id)).next_attempt_at, null);
    await worker.stop(0);
    receiver.answer = () => ({ status: 200 });
    await deliverDue(world.ctx);
    const { status, attempts } = await host.newest(id);
    assert.deepEqual([status, attempts], ['delivered', 1]);
  });
});

onBothEngines('a worker that starts', (engine) => {
  const world = useWorld(engine);
  const when = engine.name === 'sqlite' ? 'at once' : 'within a minute';

  test(`takes over ${when} what its dead predecessor had in hand`, async (t) => {
    const { receiver, host } = await aReceiver(world);
    await host.emit();
    await claimDue(world);
    const arrived = arrival(receiver);
    if (engine.name === 'postgres') world.clock.advance({ seconds: 59 });
    startWorker(t, world);
    await arrived;
  });
});

onBothEngines('a receiver that has moved to a private address', (engine) => {
  const world = useWorld(engine);

  // What else receivers do is told in src/outbound/request.test.ts.
  test('is not connected to', async () => {
    const { host, id } = await aReceiver(world);
    await world.write(`update webhooks set url = 'https://10.0.0.1/' where id = $1`, [id]);
    await host.deliver();
    assert.equal((await host.newest(id)).error, 'blocked_address');
  });
});
