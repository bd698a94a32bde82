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

onBothEngines('POST webhooks', (engine) => {
  const world = useWorld(engine);

  test('answers 201 with the record and, this once, the secret', async () => {
    const key = await aKey(world);
    const body = { url: URL_OK, events: ['booking.created', 'listing.updated'], description: 'Ours' };
    const answer = await world.call('POST', PATH, { key, body });
    assert.equal(answer.status, 201);
    const { id, secret, ...rest } = answer.body.data.webhook;
    assert.match(id, /^[0-9a-f-]{36}$/);
    assert.match(secret, /^whsec_[A-Za-z0-9+/]{43}=$/);
    assert.deepEqual(rest, {
      url: URL_OK,
      events: ['booking.created', 'listing.updated'],
      description: 'Ours',
      is_active: true,
      disabled_reason: null,
      created_at: '2027-03-01T12:00:00.000Z',
      updated_at: '2027-03-01T12:00:00.000Z',
      recent_deliveries: [],
    });
    const listed = await world.call('GET', PATH, { key });
    assert.deepEqual(listed.body.data.webhooks, [{ id, ...rest }]);
  });

  test('keeps the secret encrypted, and bound to its row', async () => {
    const { id, secret } = await create(world, await aKey(world));
    const row = await sealed(world, id);
    assert.ok(!JSON.stringify(row).includes(secret.slice(6, 30)));
    assert.deepEqual(validSecrets(world.ctx.secrets, id, row, 0), [secret]);
    assert.throws(() => validSecrets(world.ctx.secrets, UNKNOWN_ID, row, 0));
    assert.ok(!world.logText().includes(secret));
  });

  test('what is wrong is 422, and nothing is created', async () => {
    // Which URLs are rejected, and why, is told in src/outbound/guard.test.ts.
    const bad: readonly (readonly [overrides: object, field: string, message: string])[] = [
      [{ url: undefined }, 'url', 'is required'],
      [{ url: 'https://10.0.0.1/' }, 'url', 'must lead to a public address'],
      [{ events: undefined }, 'events', 'is required'],
      [{ events: [] }, 'events', 'must not be empty'],
      [{ events: ['booking.created', 'booking.created'] }, 'events', 'must not name anything twice'],
      [
        { events: ['booking.created', 'booking.deleted'] },
        'events.1',
        'must be one of booking.created, booking.cancelled, booking.completed, availability.changed, listing.updated, payment.confirmed',
      ],
      [{ is_active: true }, 'is_active', 'is not a known field'],
      [{ description: 'x'.repeat(501) }, 'description', 'must have at most 500 characters'],
    ];
    const key = await aKey(world);
    for (const [overrides, field, message] of bad) {
      const body = { url: URL_OK, events: ['booking.created'], ...overrides };
      const answer = await world.call('POST', PATH, { key, body });
      assert.deepEqual(refused(answer, 422, 'VALIDATION_ERROR').details, [{ field, message }]);
    }
    assert.deepEqual((await world.call('GET', PATH, { key })).body.data.webhooks, []);
  });

  test('the twenty-first is 422, also when many come at once', async () => {
    const key = await aKey(world);
    const body = { url: URL_OK, events: ['booking.created'] };
    const answers = await Promise.all(
      Array.from({ length: 30 }, () => world.call('POST', PATH, { key, body })),
    );
    assert.equal(answers.filter(({ status }) => status === 201).length, 20);
    for (const answer of answers.filter(({ status }) => status !== 201)) {
      assert.deepEqual(refused(answer, 422, 'VALIDATION_ERROR').details, [
        { field: 'webhooks', message: 'are limited to 20 per environment; delete one first' },
      ]);
    }
  });

  test('twenty of the other environment take no place away, and a deleted one gives its place back', async () => {
    const hostId = await world.addHost();
    const [live, test] = [await world.addKey(hostId), await world.addKey(hostId, { environment: 'sandbox' })];
    const { id } = await create(world, live.key);
    for (let i = 1; i < 20; i++) await create(world, live.key);
    await create(world, test.key);
    await world.call('DELETE', `${PATH}/${id}`, { key: live.key });
    await create(world, live.key);
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

onBothEngines('PATCH webhooks', (engine) => {
  const world = useWorld(engine);
  const patch = (key: string, id: string, body: unknown) =>
    world.call('PATCH', `${PATH}/${id}`, { key, body });

  test('rotate_secret answers with a new secret once, and keeps the old ones for a day', async () => {
    const key = await aKey(world);
    const { id, secret } = await create(world, key);
    const rotated = (await patch(key, id, { rotate_secret: true })).body.data.webhook.secret;
    assert.match(rotated, /^whsec_/);
    assert.notEqual(rotated, secret);
    const valid = async () => validSecrets(world.ctx.secrets, id, await sealed(world, id), world.clock.now());
    assert.deepEqual(await valid(), [rotated, secret]);
    world.clock.advance({ hours: 23 });
    const third = (await patch(key, id, { rotate_secret: true })).body.data.webhook.secret;
    assert.deepEqual(await valid(), [third, rotated, secret]);
    world.clock.advance({ hours: 1 });
    assert.deepEqual(await valid(), [third, rotated]);
    const listed = await world.call('GET', PATH, { key });
    assert.ok(!JSON.stringify(listed.body).includes('whsec_'));
  });

  test('two rotations at once both keep their secrets valid', async () => {
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

  test('what is wrong is 422', async () => {
    const bad: readonly (readonly [body: unknown, field: string, message: string])[] = [
      [{}, 'body', 'must have at least one field'],
      [{ secret: 'x' }, 'secret', 'is not a known field'],
      [{ rotate_secret: false }, 'rotate_secret', 'must be true'],
      [{ events: [] }, 'events', 'must not be empty'],
      [{ url: 'https://192.168.0.1/' }, 'url', 'must lead to a public address'],
      [{ url: null }, 'url', 'must be a string'],
    ];
    const key = await aKey(world);
    const { id } = await create(world, key);
    for (const [body, field, message] of bad)
      assert.deepEqual(refused(await patch(key, id, body), 422, 'VALIDATION_ERROR').details, [
        { field, message },
      ]);
  });

  test('of another host’s, a deleted or a malformed id is 404', async () => {
    const key = await aKey(world);
    const foreign = await create(world, await aKey(world));
    const deleted = await create(world, key);
    await world.call('DELETE', `${PATH}/${deleted.id}`, { key });
    for (const id of [foreign.id, deleted.id, UNKNOWN_ID, 'not-an-id']) {
      const { message } = refused(await patch(key, id, { is_active: false }), 404, 'NOT_FOUND');
      assert.equal(message, 'Not found: no such webhook');
    }
  });
});

onBothEngines('DELETE webhooks', (engine) => {
  const world = useWorld(engine);

  test('forgets the secret at once, and twice is 404', async () => {
    const key = await aKey(world);
    const { id } = await create(world, key);
    assert.equal((await world.call('DELETE', `${PATH}/${id}`, { key })).status, 200);
    assert.equal((await sealed(world, id)).secret, '');
    refused(await world.call('DELETE', `${PATH}/${id}`, { key }), 404, 'NOT_FOUND');
  });
});
