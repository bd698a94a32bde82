import assert from 'node:assert/strict';
import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { Webhook as Signer } from 'standardwebhooks';
import { TestClock } from '../support/clock.ts';
import { onOneEngine } from '../support/engines.ts';
import { receiverFor } from '../support/receiver.ts';
import { aSubscriber, WEBHOOKS } from '../support/webhooks.ts';
import { useWorld } from '../support/world.ts';
import { deliverDue } from '../../src/worker/deliver.ts';

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

onOneEngine('hourkeep listen', (engine) => {
  const world = useWorld(engine, {}, new TestClock(new Date().toISOString()));

  async function onlyWebhook(key: string) {
    const { webhooks } = (await world.call('GET', WEBHOOKS, { key })).body.data;
    assert.equal(webhooks.length, 1);
    return webhooks[0]!;
  }

  test('subscribes, verifies, prints, and unsubscribes at the end', async () => {
    const host = await aSubscriber(world);
    const listening = await startListening('--json', '--key', host.key, '--api', world.url);
    const subscription = await onlyWebhook(host.key);
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
    assert.match(await listening.nextLine(), /availability\.changed {2}verified {2}returned 503/);
    assert.equal((await onlyWebhook(host.key)).recent_deliveries[0]?.response_status, 503);
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

  test('passes on the bytes and headers that the server behind needs to verify them itself', async (t) => {
    const behind = await receiverFor();
    const host = await aSubscriber(world);
    const { id, secret } = await host.subscribe(behind);
    const listening = await startListening('--json', '--secret', secret, '--forward-to', behind.url);
    t.after(() => listening.stop());
    await host.patch(id, { url: listening.url });
    await host.emit();
    await deliverDue(world.ctx);
    const heard = JSON.parse(await listening.nextLine());
    assert.deepEqual([heard.verified, heard.forwarded, heard.answered], [true, 204, 204]);
    const { text, headers } = behind.received[0]!;
    assert.deepEqual(new Signer(secret).verify(text, headers as Record<string, string>), heard.body);
  });

  test('passes nothing on that it cannot trust', async (t) => {
    const behind = await receiverFor();
    const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
    const listening = await startListening('--json', '--secret', secret, '--forward-to', behind.url);
    t.after(() => listening.stop());
    assert.equal((await fetch(listening.url, { method: 'POST', body: '{}' })).status, 401);
    const heard = JSON.parse(await listening.nextLine());
    assert.deepEqual([heard.problem, heard.forwarded, behind.received.length], ['not signed', undefined, 0]);
    const unverified = spawn(BIN, ['listen', '--port', '0', '--forward-to', behind.url]);
    const [said] = (await once(createInterface({ input: unverified.stderr }), 'line')) as [string];
    const [code] = (await once(unverified, 'exit')) as [number];
    assert.equal(said, 'error: --forward-to passes on what is verified: give --key or --secret too');
    assert.equal(code, 2);
  });

  test('answers 502 where the server behind cannot be reached', async () => {
    const host = await aSubscriber(world);
    const forward = ['--forward-to', 'http://127.0.0.1:9/'];
    const listening = await startListening('--key', host.key, '--api', world.url, ...forward);
    await host.emit();
    await deliverDue(world.ctx);
    assert.match(await listening.nextLine(), /verified {2}returned 502 {2}your server: .+/);
    await listening.stop();
  });

  test('answers 401 to what it cannot trust, and says why', async (t) => {
    const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
    const listening = await startListening('--json', '--secret', secret);
    t.after(() => listening.stop());
    const body = '{"type":"booking.created","data":{}}';
    const sign = (at: number, key = secret) =>
      new Signer(key).sign('an-id', new Date(Math.floor(at / 1000) * 1000), body);
    const now = Date.now();
    const signed = (at: number, signature = sign(at)) => ({
      'webhook-id': 'an-id',
      'webhook-timestamp': String(Math.floor(at / 1000)),
      'webhook-signature': signature,
    });
    const another = `whsec_${Buffer.alloc(32, 8).toString('base64')}`;
    const cases: [headers: Record<string, string>, says: string][] = [
      [{}, 'not signed'],
      [signed(now, sign(now, another)), 'signature does not match'],
      [signed(now, 'v1,AAAA'), 'signature does not match'],
      [signed(now, sign(now).replace('v1,', 'v2,')), 'signature does not match'],
      [signed(now - 10 * 60_000), 'too old or too new'],
      [signed(now + 10 * 60_000), 'too old or too new'],
    ];
    for (const [headers, says] of cases) {
      assert.equal((await fetch(listening.url, { method: 'POST', headers, body })).status, 401, says);
      assert.equal(JSON.parse(await listening.nextLine()).problem, says);
    }
  });

  test('that cannot subscribe says why in one line and ends with 1', async () => {
    const child = spawn(BIN, ['listen', '--port', '0', '--key', 'hk_live_wrong', '--api', world.url]);
    const [said] = (await once(createInterface({ input: child.stderr }), 'line')) as [string];
    const [code] = (await once(child, 'exit')) as [number];
    assert.match(said, /^hourkeep: http\S+ rejected the subscription: Unauthorized/);
    assert.equal(code, 1);
  });
});
