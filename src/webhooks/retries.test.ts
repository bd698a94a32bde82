import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { onBothEngines, type Engine } from '../../test/support/engines.ts';
import { numbers } from '../../test/support/numbers.ts';
import { operator } from '../../test/support/operator.ts';
import { receiverFor } from '../../test/support/receiver.ts';
import { aReceiver, claimDue } from '../../test/support/webhooks.ts';
import { startWorld, type World } from '../../test/support/world.ts';
import { deliverDue } from '../worker/deliver.ts';
import * as webhooks from './for-operators.ts';
import { parseRetryAfter, retryDelay } from './schedule.ts';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** Each of these moves the clock by days, so each has a world of its own. */
function inItsWorld(engine: Engine, title: string, body: (world: World) => Promise<void>): void {
  test(title, async (t) => {
    const world = await startWorld(engine);
    t.after(() => world.close());
    await body(world);
  });
}

describe('the retry schedule', () => {
  test('waits as long as it says, and up to 20 % longer, never shorter', () => {
    const schedule = [5 * SECOND, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 5 * HOUR, 10 * HOUR, 10 * HOUR];
    for (const [index, wait] of schedule.entries()) {
      const delays = [0, 1].map((random) => retryDelay('production', index + 1, 0, () => random));
      assert.deepEqual(delays, [wait, wait * 1.2]);
    }
    assert.equal(retryDelay('production', 8, 0), undefined);
  });

  test('is lengthened by Retry-After, never shortened, and never undercut by jitter', () => {
    const delays = [1, 2].map((attempts) => retryDelay('production', attempts, 60 * SECOND, () => 0));
    assert.deepEqual(delays, [60 * SECOND, 5 * MINUTE]);
    for (let i = 0; i < 1000; i++) assert.ok(retryDelay('production', 1, 60 * SECOND)! >= 60 * SECOND);
  });

  test('reads Retry-After as seconds or as a date, and ignores what makes no sense', () => {
    const now = Date.parse('2027-03-01T12:00:00Z');
    const cases: [string | undefined, number][] = [
      [undefined, 0],
      ['120', 120 * SECOND],
      [' 5 ', 5 * SECOND],
      ['0', 0],
      ['-5', 0],
      ['soon', 0],
      ['', 0],
      ['Mon, 01 Mar 2027 12:10:00 GMT', 10 * MINUTE],
      ['Mon, 01 Mar 2027 11:00:00 GMT', 0],
      ['99999999999999', 0],
      ['9999999999', 7 * 24 * HOUR],
    ];
    for (const [header, wait] of cases) assert.equal(parseRetryAfter(header, now), wait, String(header));
  });
});

onBothEngines('a subscription', (engine) => {
  inItsWorld(
    engine,
    'whose receiver answers 410 is disabled at once, and says why until it is active again',
    async (world) => {
      const { receiver, host, id } = await aReceiver(world, 410);
      await host.deliver();
      const webhook = await host.show(id);
      assert.deepEqual([webhook.is_active, webhook.disabled_reason], [false, 'receiver_gone']);
      world.clock.advance({ hours: 1 });
      await host.deliver();
      assert.equal(receiver.received.length, 1);
      assert.equal((await host.show(id)).recent_deliveries.length, 1);
      const changed = await host.patch(id, { description: 'Ours' });
      assert.deepEqual([changed.is_active, changed.disabled_reason], [false, 'receiver_gone']);
      const back = await host.patch(id, { is_active: true });
      assert.deepEqual([back.is_active, back.disabled_reason], [true, null]);
    },
  );

  inItsWorld(engine, 'that has moved on is not disabled by what its old address answers', async (world) => {
    const { receiver: old, host, id } = await aReceiver(world);
    const present = await receiverFor();
    old.answer = async () => {
      await host.patch(id, { url: present.url });
      return { status: 410 };
    };
    await host.deliver();
    assert.equal((await host.show(id)).is_active, true);
    await host.deliver();
    assert.equal(present.received.length, 1);
  });

  inItsWorld(engine, 'with nothing but failures for five days is disabled, and says why', async (world) => {
    const { host, id } = await aReceiver(world, 500);
    const fail = async () => {
      await host.deliver();
      return host.show(id);
    };
    await fail();
    world.clock.advance({ hours: 5 * 24, milliseconds: -1 });
    assert.equal((await fail()).is_active, true);
    world.clock.advance({ milliseconds: 1 });
    const webhook = await fail();
    assert.deepEqual([webhook.is_active, webhook.disabled_reason], [false, 'five_days_of_failures']);
    assert.match(world.logText(), /webhook disabled/);
  });
});

onBothEngines('what waits for its next attempt', (engine) => {
  /** Twelve deliveries that failed once, and are to be tried again in five seconds or more. */
  const afterAnOutage = async (world: World) => {
    const { receiver, host, id } = await aReceiver(world, 503);
    await host.deliver(12);
    receiver.answer = () => ({ status: 204 });
    receiver.received = [];
    return { receiver, host, id };
  };

  inItsWorld(engine, 'takes no more than its receiver’s eight places when re-activated', async (world) => {
    const { host, id } = await afterAnOutage(world);
    await host.patch(id, { is_active: false });
    await host.patch(id, { is_active: true });
    assert.deepEqual([(await claimDue(world)).length, (await claimDue(world)).length], [8, 0]);
  });

  inItsWorld(engine, 'is not sent a second time while a worker is sending it', async (world) => {
    const { receiver, host, id } = await afterAnOutage(world);
    world.clock.advance({ seconds: 6 });
    const [underWay] = await claimDue(world);
    await host.patch(id, { url: `${receiver.url}?moved` });
    await deliverDue(world.ctx);
    assert.equal(receiver.received.length, 11);
    assert.ok(receiver.received.every(({ body }) => body.id !== underWay!.event_id));
  });

  for (const who of ['host', 'operator']) {
    inItsWorld(engine, `is due at once, be it thousands, when the ${who} re-activates`, async (world) => {
      const { host, id } = await afterAnOutage(world);
      const [one] = (await host.show(id)).recent_deliveries;
      const newId = `(substr(cast(event_id as text), 1, 24) || '00000000' || n)::uuid`;
      await world.write(
        `insert into deliveries (host_id, webhook_id, event_id, status, attempts, due_at, last_attempt_at)
         select host_id, webhook_id, ${newId}, status, attempts, due_at + n, last_attempt_at
         from deliveries, ${numbers(1001, 3001)} where event_id = $1`,
        [one!.event_id],
      );
      await host.patch(id, { is_active: false });
      if (who === 'host') await host.patch(id, { is_active: true });
      else await webhooks.enable(world.ctx, operator, id);
      const late = 'select 1 from deliveries where webhook_id = $1 and due_at > $2';
      assert.deepEqual(await world.rows(late, [id, world.clock.now()]), []);
    });
  }
});
