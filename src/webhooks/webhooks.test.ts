import assert from 'node:assert/strict';
import { test } from 'node:test';
import { refused } from '../../test/support/answer.ts';
import { onBothEngines } from '../../test/support/engines.ts';
import { aSubscriber, WEBHOOKS } from '../../test/support/webhooks.ts';
import { useWorld } from '../../test/support/world.ts';
import { validSecrets } from '../secrets/signing-secrets.ts';

/** Public, and no name: nothing is looked up. Nobody sends anything there in these tests. */
const PUBLIC = { url: 'https://93.184.215.14/hook' };
const UNKNOWN_ID = '0199a3c4-7d10-7c3e-9f6b-2f7d1c5a9b01';

onBothEngines('webhook subscriptions', (engine) => {
  const world = useWorld(engine);
  const sealed = (id: string) =>
    world.row<Parameters<typeof validSecrets>[2]>('select secret, old_secrets from webhooks where id = $1', [
      id,
    ]);
  const create = (key: string, { url } = PUBLIC) =>
    world.call('POST', WEBHOOKS, { key, body: { url, events: ['booking.created'] } });
  const remove = (key: string, id: string) => world.call('DELETE', `${WEBHOOKS}/${id}`, { key });

  test('keep their secret encrypted, bound to their row and out of the log, until they are deleted', async () => {
    const { key, subscribe } = await aSubscriber(world);
    const { id, secret } = await subscribe(PUBLIC);
    const row = await sealed(id);
    assert.ok(!JSON.stringify(row).includes(secret.slice(6, 30)));
    assert.deepEqual(validSecrets(world.ctx.secrets, id, row, 0), [secret]);
    assert.throws(() => validSecrets(world.ctx.secrets, UNKNOWN_ID, row, 0));
    assert.ok(!world.logText().includes(secret));
    await remove(key, id);
    assert.equal((await sealed(id)).secret, '');
  });

  test('never lead into a private network, neither at first nor after a change', async () => {
    const { key, subscribe, show } = await aSubscriber(world);
    const { id } = await subscribe(PUBLIC);
    // Which URLs are rejected, and why, is told in src/outbound/guard.test.ts.
    const details = [{ field: 'url', message: 'must lead to a public address' }];
    const created = await create(key, { url: 'https://10.0.0.1/' });
    assert.deepEqual(refused(created, 422, 'VALIDATION_ERROR').details, details);
    const body = { url: 'https://192.168.0.1/' };
    const changed = await world.call('PATCH', `${WEBHOOKS}/${id}`, { key, body });
    assert.deepEqual(refused(changed, 422, 'VALIDATION_ERROR').details, details);
    assert.equal((await show(id)).url, PUBLIC.url);
    assert.equal((await world.call('GET', WEBHOOKS, { key })).body.data.webhooks.length, 1);
  });

  test('are twenty at most, also when many are made at once, in each environment', async () => {
    const { hostId, key, subscribe } = await aSubscriber(world);
    const sandbox = await world.addKey(hostId, { environment: 'sandbox' });
    for (let n = 0; n < 18; n++) await subscribe(PUBLIC);
    const answers = await Promise.all(Array.from({ length: 6 }, () => create(key)));
    const made = answers.filter(({ status }) => status === 201);
    assert.equal(made.length, 2);
    for (const answer of answers.filter(({ status }) => status !== 201)) {
      assert.deepEqual(refused(answer, 422, 'VALIDATION_ERROR').details, [
        { field: 'webhooks', message: 'are limited to 20 per environment; delete one first' },
      ]);
    }
    assert.equal((await create(sandbox.key)).status, 201);
    await remove(key, made[0]!.body.data.webhook.id);
    await subscribe(PUBLIC);
  });

  test('that are rotated twice at once keep all three secrets valid', async () => {
    const { subscribe, patch } = await aSubscriber(world);
    const { id, secret } = await subscribe(PUBLIC);
    const both = await Promise.all([1, 2].map(() => patch(id, { rotate_secret: true })));
    const valid = validSecrets(world.ctx.secrets, id, await sealed(id), world.clock.now());
    assert.deepEqual(new Set(valid), new Set([...both.map((webhook) => webhook.secret), secret]));
  });
});

onBothEngines('POST webhooks in production', (engine) => {
  const world = useWorld(engine, { NODE_ENV: 'production' });

  test('refuses loopback, which only development opens', async () => {
    const { key } = await aSubscriber(world);
    for (const url of ['http://localhost:4000/', 'https://127.0.0.1/', 'https://[::1]/']) {
      const body = { url, events: ['booking.created'] };
      refused(await world.call('POST', WEBHOOKS, { key, body }), 422, 'VALIDATION_ERROR');
    }
  });
});
