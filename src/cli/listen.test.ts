import assert from 'node:assert/strict';
import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { TestClock } from '../../test/support/clock.ts';
import { onBothEngines } from '../../test/support/engines.ts';
import { receiverFor } from '../../test/support/receiver.ts';
import { aSubscriber, WEBHOOKS } from '../../test/support/webhooks.ts';
import { useWorld } from '../../test/support/world.ts';
import { deliverDue } from '../worker/deliver.ts';

const BIN = fileURLToPath(new URL('../../bin/hourkeep', import.meta.url));

interface Listening {
  child: ChildProcessWithoutNullStreams;
  url: string;
  nextLine(): Promise<string>;
  stop(): Promise<number | null>;
}

async function startListening(...args: string[]): Promise<Listening> {
  const child = spawn(BIN, ['listen', '--port', '0', ...args], { env: { ...process.env, NO_COLOR: '1' } });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const [said] = (await once(createInterface({ input: child.stderr }), 'line')) as [string];
  const url = /http:\S+\//.exec(said)?.[0];
  assert.ok(url !== undefined, said);
  return {
    child,
    url,
    nextLine: async () => String((await lines.next()).value),
    stop: async () => {
      child.kill('SIGTERM');
      const [code] = (await once(child, 'exit')) as [number | null];
      return code;
    },
  };
}

onBothEngines('hourkeep listen', (engine) => {
  const world = useWorld(engine, {}, new TestClock(new Date().toISOString()));

  test('subscribes, verifies, prints, and unsubscribes at the end', async () => {
    const host = await aSubscriber(world);
    const listening = await startListening('--json', '--key', host.key, '--api', world.url);
    const [subscription] = (await world.call('GET', WEBHOOKS, { key: host.key })).body.data.webhooks;
    assert.equal(subscription.url, listening.url);
    assert.equal(subscription.events.length, 6);
    await host.emit();
    await deliverDue(world.ctx);
    const heard = JSON.parse(await listening.nextLine());
    const [delivery] = (await host.show(subscription.id)).recent_deliveries;
    assert.equal(delivery!.status, 'delivered');
    assert.deepEqual(heard, {
      verified: true,
      problem: null,
      answered: 200,
      id: delivery!.event_id,
      body: heard.body,
    });
    assert.equal(heard.body.type, 'availability.changed');
    assert.equal(await listening.stop(), 0);
    assert.deepEqual((await world.call('GET', WEBHOOKS, { key: host.key })).body.data.webhooks, []);
  });

  test('answers with the status it was told', async () => {
    const host = await aSubscriber(world);
    const listening = await startListening('--key', host.key, '--api', world.url, '--status', '503');
    await host.emit();
    await deliverDue(world.ctx);
    assert.match(await listening.nextLine(), /availability\.changed {2}verified {2}answered 503/);
    const [subscription] = (await world.call('GET', WEBHOOKS, { key: host.key })).body.data.webhooks;
    assert.equal(subscription.recent_deliveries[0].response_status, 503);
    await listening.stop();
  });

  test('passes verified deliveries on, signature and all, and answers as the server behind does', async () => {
    const behind = await receiverFor();
    behind.answer = () => ({ status: 503 });
    const host = await aSubscriber(world);
    const forward = ['--forward-to', behind.url];
    const listening = await startListening('--json', '--key', host.key, '--api', world.url, ...forward);
    await host.emit();
    await deliverDue(world.ctx);
    const heard = JSON.parse(await listening.nextLine());
    assert.equal(heard.forwarded, 503);
    assert.equal(heard.answered, 503);
    assert.equal(behind.received.length, 1);
    assert.equal(behind.received[0]!.headers['webhook-id'], heard.id);
    assert.match(String(behind.received[0]!.headers['webhook-signature']), /^v1,/);
    await listening.stop();
  });

  test('answers 502 where the server behind cannot be reached', async () => {
    const host = await aSubscriber(world);
    const forward = ['--forward-to', 'http://127.0.0.1:9/'];
    const listening = await startListening('--key', host.key, '--api', world.url, ...forward);
    await host.emit();
    await deliverDue(world.ctx);
    assert.match(await listening.nextLine(), /verified {2}answered 502 {2}your server: .+/);
    await listening.stop();
  });

  test('answers 401 to what it cannot trust', async () => {
    const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
    const listening = await startListening('--secret', secret);
    const forged = await fetch(listening.url, {
      method: 'POST',
      headers: {
        'webhook-id': 'x',
        'webhook-timestamp': String(Math.floor(Date.now() / 1000)),
        'webhook-signature': 'v1,AAAA',
      },
      body: '{"type":"booking.created","data":{}}',
    });
    assert.equal(forged.status, 401);
    assert.match(await listening.nextLine(), /booking\.created {2}signature does not match {2}answered 401/);
    await listening.stop();
  });

  test('that cannot subscribe says why in one line and ends with 1', async () => {
    const child = spawn(BIN, ['listen', '--port', '0', '--key', 'hk_live_wrong', '--api', world.url]);
    const [said] = (await once(createInterface({ input: child.stderr }), 'line')) as [string];
    const [code] = (await once(child, 'exit')) as [number];
    assert.match(said, /^hourkeep: http\S+ refused: Unauthorized/);
    assert.equal(code, 1);
  });
});
