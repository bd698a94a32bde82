import assert from 'node:assert/strict';
import { test } from 'node:test';
import { refused } from '../../test/support/answer.ts';
import { onBothEngines } from '../../test/support/engines.ts';
import { useWorld, type World } from '../../test/support/world.ts';
import { validSecrets } from '../secrets/signing-secrets.ts';

const PATH = '/api-webhooks/api/v1/webhooks';
/** Public, and no name: nothing is looked up. Nobody sends anything there in these tests. */
const URL_OK = 'https://93.184.215.14/hook';
const UNKNOWN_ID = '0199a3c4-7d10-7c3e-9f6b-2f7d1c5a9b01';

async function aKey(world: World): Promise<string> {
  return (await world.addKey(await world.addHost())).key;
}

async function create(world: World, key: string, overrides: object = {}) {
  const body = { url: URL_OK, events: ['booking.created'], ...overrides };
  const answer = await world.call('POST', PATH, { key, body });
  assert.equal(answer.status, 201, answer.text);
  return answer.body.data.webhook;
}

const sealed = (world: World, id: string) =>
  world.row<Parameters<typeof validSecrets>[2]>('select secret, old_secrets from webhooks where id = $1', [
    id,
  ]);

onBothEngines('webhook subscriptions', (engine) => {
  const world = useWorld(engine);
  const patch = (key: string, id: string, body: unknown) =>
    world.call('PATCH', `${PATH}/${id}`, { key, body });

  test('keep their secret encrypted, bound to their row and out of the log, until they are deleted', async () => {
    const key = await aKey(world);
    const { id, secret } = await create(world, key);
    const row = await sealed(world, id);
    assert.ok(!JSON.stringify(row).includes(secret.slice(6, 30)));
    assert.deepEqual(validSecrets(world.ctx.secrets, id, row, 0), [secret]);
    assert.throws(() => validSecrets(world.ctx.secrets, UNKNOWN_ID, row, 0));
    assert.ok(!world.logText().includes(secret));
    await world.call('DELETE', `${PATH}/${id}`, { key });
    assert.equal((await sealed(world, id)).secret, '');
  });

  test('never lead into a private network, neither at first nor after a change', async () => {
    const key = await aKey(world);
    const { id } = await create(world, key);
    // Which URLs are rejected, and why, is told in src/outbound/guard.test.ts.
    const details = [{ field: 'url', message: 'must lead to a public address' }];
    const body = { url: 'https://10.0.0.1/', events: ['booking.created'] };
    const created = await world.call('POST', PATH, { key, body });
    assert.deepEqual(refused(created, 422, 'VALIDATION_ERROR').details, details);
    const changed = await patch(key, id, { url: 'https://192.168.0.1/' });
    assert.deepEqual(refused(changed, 422, 'VALIDATION_ERROR').details, details);
    assert.deepEqual(
      (await world.call('GET', PATH, { key })).body.data.webhooks.map(({ url }) => url),
      [URL_OK],
    );
  });

  test('are twenty at most, also when many are made at once, in each environment', async () => {
    const hostId = await world.addHost();
    const [live, test] = [await world.addKey(hostId), await world.addKey(hostId, { environment: 'sandbox' })];
    for (let n = 0; n < 18; n++) await create(world, live.key);
    const body = { url: URL_OK, events: ['booking.created'] };
    const answers = await Promise.all(
      Array.from({ length: 6 }, () => world.call('POST', PATH, { key: live.key, body })),
    );
    const made = answers.filter(({ status }) => status === 201);
    assert.equal(made.length, 2);
    for (const answer of answers.filter(({ status }) => status !== 201)) {
      assert.deepEqual(refused(answer, 422, 'VALIDATION_ERROR').details, [
        { field: 'webhooks', message: 'are limited to 20 per environment; delete one first' },
      ]);
    }
    await create(world, test.key);
    await world.call('DELETE', `${PATH}/${made[0]!.body.data.webhook.id}`, { key: live.key });
    await create(world, live.key);
  });

  test('that are rotated twice at once keep all three secrets valid', async () => {
    const key = await aKey(world);
    const { id, secret } = await create(world, key);
    const both = await Promise.all([
      patch(key, id, { rotate_secret: true }),
      patch(key, id, { rotate_secret: true }),
    ]);
    const valid = validSecrets(world.ctx.secrets, id, await sealed(world, id), world.clock.now());
    const given = both.map(({ body }) => body.data.webhook.secret);
    assert.deepEqual(new Set(valid), new Set([...given, secret]));
  });
});

onBothEngines('POST webhooks in production', (engine) => {
  const world = useWorld(engine, { NODE_ENV: 'production' });

  test('refuses loopback, which only development opens', async () => {
    const key = await aKey(world);
    for (const url of ['http://localhost:4000/', 'https://127.0.0.1/', 'https://[::1]/']) {
      const answer = await world.call('POST', PATH, { key, body: { url, events: ['booking.created'] } });
      refused(answer, 422, 'VALIDATION_ERROR');
    }
  });
});
