import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { test, type TestContext } from 'node:test';
import { Webhook as Signer } from 'standardwebhooks';
import { TestClock } from '../support/clock.ts';
import { onOneEngine } from '../support/engines.ts';
import { BIN, hourkeep } from '../support/process.ts';
import { receiverFor } from '../support/receiver.ts';
import { aSubscriber, WEBHOOKS } from '../support/webhooks.ts';
import { useWorld } from '../support/world.ts';
import { deliverDue } from '../../src/worker/deliver.ts';

/** Until the end of the test. */
async function startListening(t: TestContext, ...args: string[]) {
  const child = spawn(BIN, ['listen', '--port', '0', ...args], { env: { ...process.env, NO_COLOR: '1' } });
  const exit = once(child, 'exit');
  const stop = async (): Promise<number | null> => {
    child.kill('SIGTERM');
    const [code] = (await exit) as [number | null];
    return code;
  };
  t.after(stop);
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const [said] = (await once(createInterface({ input: child.stderr }), 'line')) as [string];
  const url = /http:\S+\//.exec(said)?.[0];
  assert.ok(url !== undefined, said);
  return { url, stop, nextLine: async () => String((await lines.next()).value) };
}

onOneEngine('hourkeep listen', (engine) => {
  const world = useWorld(engine, {}, new TestClock(new Date().toISOString()));

  async function onlyWebhook(key: string) {
    const { webhooks } = (await world.call('GET', WEBHOOKS, { key })).body.data;
    assert.equal(webhooks.length, 1);
    return webhooks[0]!;
  }

  test('subscribes, verifies, prints, and unsubscribes at the end', async (t) => {
    const host = await aSubscriber(world);
    const listening = await startListening(t, '--json', '--key', host.key, '--api', world.url);
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

  for (const [options, answered, says] of [
    [['--status', '503'], 503, /availability\.changed {2}verified {2}returned 503/],
    [['--forward-to', 'http://127.0.0.1:9/'], 502, /verified {2}returned 502 {2}your server: .+/],
  ] as const)
    test(`with ${options.join(' ')} answers ${answered}`, async (t) => {
      const host = await aSubscriber(world);
      const listening = await startListening(t, '--key', host.key, '--api', world.url, ...options);
      await host.emit();
      await deliverDue(world.ctx);
      assert.match(await listening.nextLine(), says);
      assert.equal((await onlyWebhook(host.key)).recent_deliveries[0]?.response_status, answered);
    });

  test('passes on what the server behind needs to verify a delivery itself, and answers as it does', async (t) => {
    const behind = await receiverFor();
    const host = await aSubscriber(world);
    const { id, secret } = await host.subscribe(behind);
    const listening = await startListening(t, '--json', '--secret', secret, '--forward-to', behind.url);
    await host.patch(id, { url: listening.url });
    behind.answer = () => ({ status: 503 });
    await host.emit();
    await deliverDue(world.ctx);
    const heard = JSON.parse(await listening.nextLine());
    assert.deepEqual([heard.verified, heard.forwarded, heard.answered], [true, 503, 503]);
    const { text, headers } = behind.received[0]!;
    assert.deepEqual(new Signer(secret).verify(text, headers as Record<string, string>), heard.body);
  });

  test('answers 401 to what it cannot trust, says why, and passes nothing on', async (t) => {
    const behind = await receiverFor();
    const [secret, another] = [7, 8].map((n) => `whsec_${Buffer.alloc(32, n).toString('base64')}`);
    const listening = await startListening(t, '--json', '--secret', secret!, '--forward-to', behind.url);
    const body = '{"type":"booking.created","data":{}}';
    const sign = (at: number, key = secret!) =>
      new Signer(key).sign('an-id', new Date(Math.floor(at / 1000) * 1000), body);
    const now = Date.now();
    const signed = (at: number, signature = sign(at)) => ({
      'webhook-id': 'an-id',
      'webhook-timestamp': String(Math.floor(at / 1000)),
      'webhook-signature': signature,
    });
    const cases: [headers: Record<string, string>, says: string][] = [
      [{}, 'the header webhook-id is missing'],
      [signed(now, sign(now, another)), 'its signature does not match'],
      [signed(now, 'v1,AAAA'), 'its signature does not match'],
      [signed(now, sign(now).replace('v1,', 'v2,')), 'its signature does not match'],
      [signed(now - 10 * 60_000), 'it is too old, or from the future'],
      [signed(now + 10 * 60_000), 'it is too old, or from the future'],
    ];
    for (const [headers, says] of cases) {
      assert.equal((await fetch(listening.url, { method: 'POST', headers, body })).status, 401, says);
      assert.equal(
        JSON.parse(await listening.nextLine()).problem,
        `This delivery cannot be trusted: ${says}`,
      );
    }
    assert.equal(behind.received.length, 0);
  });

  test('that cannot subscribe says why in one line and ends with 1', async () => {
    const args = ['listen', '--port', '0', '--key', 'hk_live_wrong', '--api', world.url];
    const { code, stderr } = await hourkeep(args, {});
    assert.match(stderr, /^hourkeep: http\S+ rejected the subscription: Unauthorized[^\n]*\n$/);
    assert.equal(code, 1);
  });

  test('prints what anybody sends it escaped, a line for each delivery', async (t) => {
    const listening = await startListening(t);
    const hostile = 'Ada\u001b[2J\r\n\u009b31m\u202e';
    const body = JSON.stringify({ type: hostile, data: { guest_name: hostile } });
    await fetch(listening.url, { method: 'POST', body, headers: { 'webhook-id': 'id\u009b31m' } });
    const line = listening.nextLine;
    const [heading, ...data] = [await line(), await line(), await line(), await line()];
    const shown = 'Ada\\u{1b}[2J\\u{d}\\u{a}\\u{9b}31m\\u{202e}';
    assert.ok(heading.endsWith(`  ${shown}  not verified  returned 200  id\\u{9b}31m`), heading);
    const inJson = 'Ada\\u001b[2J\\r\\n\\u009b31m\\u202e';
    assert.deepEqual(data, ['  {', `    "guest_name": "${inJson}"`, '  }']);
  });
});
