import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { onBothEngines } from '../../test/support/engines.ts';
import { numbers } from '../../test/support/numbers.ts';
import { planOf } from '../../test/support/plan.ts';
import { aReceiver, aSubscriber, claimDue } from '../../test/support/webhooks.ts';
import { NOBODY, useWorld } from '../../test/support/world.ts';
import { write } from '../db/database.ts';
import { deliverDue } from '../worker/deliver.ts';
import type { Attempt, Claimed } from './attempt.ts';
import * as queue from './queue.ts';
import { recordResults } from './results.ts';

const PLENTY: queue.Room = { rows: 1000, perEndpoint: 8 };

onBothEngines('the claim', (engine) => {
  const world = useWorld(engine);
  const ended = (error: Attempt['error'] = null): Attempt => ({
    at: world.clock.now(),
    error,
    responseStatus: error === null ? 200 : null,
    retryAfter: 0,
  });
  const record = (claimed: readonly Claimed[], attempt: Attempt | undefined) =>
    recordResults(
      world.ctx,
      claimed.map((delivery) => ({ delivery, attempt })),
    );
  /** Leaves nothing of earlier tests to claim. In one statement: claiming and recording it took most of the time. */
  beforeEach(() =>
    world.write(`update deliveries set status = 'delivered', lease_token = null where status = 'pending'`),
  );
  const emitting = async (count: number) => {
    const host = await aSubscriber(world);
    const { id } = await host.subscribe({ url: NOBODY });
    for (let i = 0; i < count; i++) await host.emit();
    return { host, id };
  };
  const countById = (claimed: Claimed[]) =>
    Object.fromEntries(
      [...Map.groupBy(claimed, (delivery) => delivery.webhook_id)].map(([id, group]) => [id, group.length]),
    );

  test('gives one receiver with a long queue no more than its share, and everyone else theirs', async () => {
    const { id: greedy } = await emitting(200);
    const { id: modest } = await emitting(3);
    const claimed = await claimDue(world, 200, 8);
    assert.deepEqual(countById(claimed), { [greedy]: 8, [modest]: 3 });
  });

  test('counts what other workers have in flight', async () => {
    const { id } = await emitting(20);
    assert.deepEqual(countById(await claimDue(world, 5, 8)), { [id]: 5 });
    assert.deepEqual(countById(await claimDue(world)), { [id]: 3 });
    assert.deepEqual(await claimDue(world), []);
  });

  test('by many workers at once hands every delivery to one of them, within the limit', async () => {
    const { id } = await emitting(40);
    const claims = await Promise.all(Array.from({ length: 8 }, () => claimDue(world)));
    const all = claims.flat();
    assert.deepEqual(countById(all), { [id]: 8 });
    assert.equal(new Set(all.map((delivery) => delivery.event_id)).size, 8);
  });

  test('takes first attempts before retries', async () => {
    const { host, id } = await emitting(1);
    await record(await claimDue(world), ended('timeout'));
    // Healthy again by another delivery, so that more than one at a time may go.
    await host.emit();
    await record(await claimDue(world), ended());
    world.clock.advance({ minutes: 1 });
    for (let i = 0; i < 8; i++) await host.emit();
    const first = await claimDue(world);
    assert.deepEqual(
      first.map(({ attempts }) => attempts),
      [0, 0, 0, 0, 0, 0, 0, 0],
    );
    await record(first, ended());
    const again = await claimDue(world);
    assert.deepEqual(
      again.map(({ attempts, webhook_id }) => ({ attempts, webhook_id })),
      [{ attempts: 1, webhook_id: id }],
    );
  });

  test('asks a receiver that fails with one delivery at a time, until it succeeds', async () => {
    const { id } = await emitting(20);
    await record(await claimDue(world, 1, 8), ended('connect_timeout'));
    const probe = await claimDue(world);
    assert.deepEqual(countById(probe), { [id]: 1 });
    assert.deepEqual(await claimDue(world), []);
    await record(probe, ended());
    assert.deepEqual(countById(await claimDue(world)), { [id]: 8 });
  });

  test('does not take a failure at an old address for one at the new', async () => {
    const { host, id } = await emitting(3);
    const old = await claimDue(world, 1, 8);
    await host.patch(id, { url: 'http://127.0.0.1:10/' });
    await record(old, ended('connection_refused'));
    assert.deepEqual(countById(await claimDue(world)), { [id]: 2 });
  });

  test('serves receivers in random order', async () => {
    for (let i = 0; i < 12; i++) await emitting(1);
    const orders = new Set<string>();
    for (let i = 0; i < 5; i++) {
      const claimed = await claimDue(world, 4, 8);
      orders.add(
        claimed
          .map((delivery) => delivery.webhook_id)
          .sort((a, b) => (a < b ? -1 : 1))
          .join(),
      );
      await record(claimed, undefined);
    }
    // Five times the same four of twelve: once in 60 thousand million runs.
    assert.ok(orders.size > 1);
  });

  test('leaves out a subscription that is deleted in the same moment', async (t) => {
    const { id } = await emitting(1);
    t.after(() => world.write('update webhooks set is_active = 0 where id = $1', [id]));
    // As the claim finds it whose last look comes after a deletion: active when it was chosen.
    await world.write(`update webhooks set deleted_at = 1, secret = '' where id = $1`, [id]);
    assert.deepEqual(await claimDue(world), []);
  });

  if (engine.name === 'postgres') {
    test('passes over the subscriptions that another worker is claiming for, and waits for nobody', async () => {
      const { id: held } = await emitting(1);
      const { id: free } = await emitting(1);
      await world.ctx.db.transaction(async (tx) => {
        await tx.tryLock([`deliveries to ${held}`]);
        assert.deepEqual(countById(await claimDue(world)), { [free]: 1 });
      });
      assert.deepEqual(countById(await claimDue(world)), { [held]: 1 });
    });

    test('passes over deliveries that somebody has locked, and takes those of other hosts', async () => {
      const locked = await emitting(2);
      const { id: other } = await emitting(1);
      const lockRows = write(`update deliveries set error = null where host_id = $1`);
      await world.ctx.db.transaction(async (tx) => {
        await tx.run(lockRows, [locked.host.hostId]);
        assert.deepEqual(countById(await claimDue(world)), { [other]: 1 });
      });
      assert.deepEqual(countById(await claimDue(world)), { [locked.id]: 2 });
    });
  }

  /** As many subscriptions, each with one delivery of the same event that is due in so many minutes. */
  const crowd = async (count: number, attempts: number, dueInMinutes: number) => {
    const { id } = await emitting(1);
    // A real id has 8, 9, a or b where these have 0, so that none of them is there already.
    const copyOf = (id: string): string =>
      `(substr(cast(${id} as text), 1, 19) || '0' || n || substr(cast(${id} as text), 24))::uuid`;
    const copies = numbers(101, 100 + count);
    await world.write(
      `insert into webhooks (host_id, id, environment, url, events, is_active, has_pending, secret, old_secrets,
         created_at, updated_at)
       select host_id, ${copyOf('id')}, environment, url, events, 1, 1, secret, old_secrets, created_at, updated_at
       from webhooks, ${copies} where id = $1`,
      [id],
    );
    await world.write(
      `insert into deliveries (host_id, webhook_id, event_id, status, attempts, due_at)
       select host_id, ${copyOf('webhook_id')}, event_id, status, $2::int, $3::bigint
       from deliveries, ${copies} where webhook_id = $1`,
      [id, attempts, world.clock.now() + dueInMinutes * 60_000],
    );
    const ids = Array.from({ length: count }, (_, i) => `${id.slice(0, 19)}0${101 + i}${id.slice(23)}`);
    return [id, ...ids];
  };

  /** The subscriptions that each look claims for, until a pass over all pages has claimed nothing. */
  const goThrough = async (pass: queue.Pass): Promise<string[][]> => {
    const looks: string[][] = [];
    for (let more = true; more && looks.length < 30;) {
      const claim = await pass.claim(world.ctx, PLENTY);
      looks.push(claim.claimed.map(({ webhook_id }) => webhook_id));
      ({ more } = claim);
    }
    return looks;
  };

  test('goes through all: with more subscriptions than one look takes in, each has its turn', async () => {
    const ids = await crowd(450, 0, 0);
    const served = (await goThrough(new queue.Pass())).flat();
    assert.deepEqual(served.sort(), ids.sort());
  });

  test('goes through all once when nothing is due, then rests', async () => {
    await crowd(250, 0, 60);
    await crowd(450, 1, 60);
    const pass = new queue.Pass();
    await goThrough(pass);
    const { count } = await world.row<{ count: number }>(
      'select count(*) as count from webhooks where has_pending = 1',
    );
    const looks = await goThrough(pass);
    assert.deepEqual([looks.length, looks.flat()], [Math.ceil(count / 200), []]);
  });

  test('finds what is due behind any number of others that wait for their next attempt', async () => {
    const { id: early } = await emitting(1);
    await record(await claimDue(world), ended('timeout'));
    await crowd(450, 1, 60);
    const { id: late } = await emitting(1);
    await record(await claimDue(world), ended('timeout'));
    world.clock.advance({ minutes: 1 });
    const found = (await goThrough(new queue.Pass())).flat();
    assert.ok(found.includes(early) && found.includes(late), found.join());
  });
});

onBothEngines('what counts deliveries in flight', (engine) => {
  const world = useWorld(engine);

  for (const [name, { text }] of Object.entries({
    selectPending: queue.selectPending,
    claimFirst: queue.claimFirst,
  })) {
    test(`${name} reads no farther than leases last: behind them all retries of a failing receiver wait`, async () => {
      const plan = await planOf(world, text);
      const ranges = plan.match(/using( index)? deliveries_again.*(\n *Index Cond.*)?/gi) ?? [];
      assert.ok(ranges.length > 0, plan);
      assert.deepEqual(
        ranges.filter((range) => !/due_at ?</.test(range)),
        [],
      );
    });
  }
});

onBothEngines('the lease', (engine) => {
  const world = useWorld(engine);

  test('holds for as long as an attempt may take, 15 seconds; within 60 another worker takes over', async () => {
    const { receiver, host } = await aReceiver(world);
    await host.emit();
    const lost = await claimDue(world);
    for (const seconds of [0, 15]) {
      world.clock.advance({ seconds });
      await deliverDue(world.ctx);
      assert.equal(receiver.received.length, 0);
    }
    world.clock.advance({ seconds: 44 });
    await deliverDue(world.ctx);
    const ids = receiver.received.map(({ body }) => body.id);
    assert.deepEqual(ids, [lost[0]!.event_id]);
  });

  test('keeps a worker that comes back late from overwriting what another recorded', async () => {
    const { host, id } = await aReceiver(world);
    await host.emit();
    const [late] = await claimDue(world);
    world.clock.advance({ seconds: 59 });
    await deliverDue(world.ctx);
    const attempt = { at: world.clock.now(), error: 'timeout', responseStatus: null, retryAfter: 0 } as const;
    await recordResults(world.ctx, [{ delivery: late!, attempt }]);
    const { status, attempts } = await host.newest(id);
    assert.deepEqual([status, attempts], ['delivered', 1]);
  });
});
