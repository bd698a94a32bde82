import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import * as apiKeys from '../api-keys/api-keys.ts';
import { refused } from '../../test/support/answer.ts';
import { bookingBody, CREATE } from '../../test/support/booking.ts';
import { onBothEngines } from '../../test/support/engines.ts';
import { until } from '../../test/support/until.ts';
import { useWorld } from '../../test/support/world.ts';

const SPACES = '/api-listings/api/v1/spaces';

onBothEngines('callers', (engine) => {
  const world = useWorld(engine);
  let hostId: string;
  let key: string;
  before(async () => {
    hostId = await world.addHost();
    key = (await world.addKey(hostId)).key;
  });

  // What is no key at all, unknown, revoked or without the scope, is in test/authorisation.test.ts for each operation.
  test('a truncated key, a wrong scheme and a bad checksum are all 401 INVALID_API_KEY', async () => {
    for (const authorization of [
      '',
      `Basic ${key}`,
      key,
      `Bearer ${key.slice(0, -1)}${key.endsWith('x') ? 'y' : 'x'}`,
      `Bearer ${key.slice(0, 20)}`,
      'Bearer  ',
      `Bearer ${key} ${key}`,
    ]) {
      const answer = await world.call('GET', SPACES, { headers: { authorization } });
      assert.match(refused(answer, 401, 'INVALID_API_KEY').message, /^Unauthorized/);
      assert.equal(answer.headers.get('www-authenticate'), 'Bearer');
    }
  });

  test('a key in the query string is no key', async () => {
    refused(await world.call('GET', `${SPACES}?api_key=${key}&token=${key}`), 401, 'INVALID_API_KEY');
  });

  test('the scheme may be written in any case', async () => {
    const answer = await world.call('GET', SPACES, { headers: { authorization: `bearer ${key}` } });
    assert.equal(answer.status, 200);
  });

  test('a key that is revoked or expires is refused from its very next request on', async () => {
    const [revoked, expired] = [
      await world.addKey(hostId),
      await world.addKey(hostId, { expiresAt: world.clock.now() + 1000 }),
    ];
    for (const each of [revoked, expired])
      assert.equal((await world.call('GET', SPACES, { key: each.key })).status, 200);
    await world.ctx.db.transaction((tx) => apiKeys.revoke(tx, world.clock.now(), revoked.id));
    world.clock.advance({ seconds: 1 });
    for (const each of [revoked, expired])
      refused(await world.call('GET', SPACES, { key: each.key }), 401, 'API_KEY_REVOKED');
  });

  test('the scope is checked before the input, and the input before existence', async () => {
    const noScope = await world.addKey(hostId, { scopes: ['spaces:read'] });
    const path = '/api-availability/api/v1/spaces/nonsense/availability?date=never';
    refused(await world.call('GET', path, { key: noScope.key }), 403, 'INSUFFICIENT_SCOPE');
    refused(await world.call('GET', path, { key }), 422, 'VALIDATION_ERROR');
    refused(await world.call('GET', path.replace('never', '2027-04-01'), { key }), 404, 'NOT_FOUND');
  });

  for (const [method, path, ...bodies] of [
    [
      'PATCH',
      '/api-listing-update/api/v1/spaces/ID',
      { operating_hours: { start_hour: 9, end_hour: 9 } },
      { weekly_hours: {} },
      {},
      { connect_calendar: 'https://169.254.169.254/latest/meta-data' },
      { space_id: '0199a3c4-7d10-7c3e-9f6b-2f7d1c5a9b02', is_active: true },
    ],
    ['PATCH', '/api-webhooks/api/v1/webhooks/ID', { url: 'https://169.254.169.254/latest/meta-data' }],
    ['GET', '/api-availability/api/v1/spaces/ID/availability?date=9999-12-31&days=2', undefined],
    [
      'POST',
      '/api-blocks/api/v1/spaces/ID/blocks',
      { date: '2027-04-01', start_hour: 9, end_hour: 10, skip_occupied: true },
    ],
  ] as const)
    test(`what a schema cannot say is input too: ${method} ${path}`, async () => {
      for (const body of bodies)
        for (const id of ['nonsense', '0199a3c4-7d10-7c3e-9f6b-2f7d1c5a9b01'])
          refused(await world.call(method, path.replace('ID', id), { key, body }), 422, 'VALIDATION_ERROR');
    });

  test('last_used_at follows, at most a minute behind', async () => {
    const issued = await world.addKey(hostId);
    const lastUsed = async () => {
      const select = 'select last_used_at from api_keys where id = $1';
      return (await world.row<{ last_used_at: number }>(select, [issued.id])).last_used_at;
    };
    await world.call('GET', SPACES, { key: issued.key });
    const first = world.clock.now();
    await until(async () => (await lastUsed()) === first);
    world.clock.advance({ seconds: 59 });
    await world.call('GET', SPACES, { key: issued.key });
    world.clock.advance({ seconds: 1 });
    await world.call('GET', SPACES, { key: issued.key });
    await until(async () => (await lastUsed()) === world.clock.now());
  });

  test('neither the key nor the header nor guest data ever reaches the log', async () => {
    const spaceId = await world.addSpace(hostId);
    await world.call('GET', SPACES, { key });
    await world.call('GET', `${SPACES}?api_key=${key}`);
    const guest = { guest_email: 'secret.guest@example.com', guest_name: 'Secret Guest' };
    await world.call('POST', CREATE, { key, body: bookingBody(spaceId, guest) });
    await world.call('POST', CREATE, { key, body: '{"guest_email": "secret.guest@example.com", broken' });
    const log = world.logText();
    assert.match(log, /"route":"\/api-create-booking\/api\/v1\/bookings","status":200/);
    assert.match(log, new RegExp(`"host_id":"${hostId}"`));
    for (const secret of [key, key.slice(8, 38), 'Bearer', 'uthorization', 'secret.guest', 'Secret Guest']) {
      assert.equal(log.includes(secret), false, `the log contains ${secret}`);
    }
  });
});
