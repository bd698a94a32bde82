import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { refused } from '../../test/support/answer.ts';
import { signIn } from '../../test/support/console.ts';
import { onBothEngines } from '../../test/support/engines.ts';
import { operator } from '../../test/support/operator.ts';
import { trailOf } from '../../test/support/trail.ts';
import { useWorld, type Answer, type Call } from '../../test/support/world.ts';
import { newId } from '../ids/uuid.ts';
import { HOUR_MS } from '../time/units.ts';
import type { IssuedKey } from './api-keys.ts';
import type { OwnKey } from './own-keys.ts';
import { rotate } from './rotate.ts';
import { ALL_SCOPES, SCOPES, type Scope } from '../ids/scopes.ts';

const KEYS = '/console/keys';
const SPACES = '/api-listings/api/v1/spaces';

onBothEngines('the keys that a host makes', (engine) => {
  const world = useWorld(engine, { RATE_LIMIT_SANDBOX: '5' });
  let hostId: string;
  let maker: { id: string; key: string };

  beforeEach(async () => {
    hostId = await world.addHost();
    maker = await world.addKey(hostId, { scopes: ALL_SCOPES });
  });

  const call = (method: string, path = KEYS, rest: Call = {}) =>
    world.call(method, path, { key: maker.key, ...rest });
  const make = (body: object, rest: Call = {}) =>
    call('POST', KEYS, { body: { name: 'Books', scopes: ['spaces:read'], ...body }, ...rest });
  const issued = (answer: Answer): IssuedKey => {
    assert.equal(answer.status, 200, answer.text);
    return answer.body.data as unknown as IssuedKey;
  };
  const listed = (answer: Answer): OwnKey[] => {
    assert.equal(answer.status, 200, answer.text);
    return (answer.body.data as unknown as { keys: OwnKey[] }).keys;
  };
  const fieldOf = (answer: Answer): string => refused(answer, 422, 'VALIDATION_ERROR').details[0].field;
  const statusOf = async (key: string) => (await world.call('GET', SPACES, { key })).status;

  test('are made with a name and scopes, as key create makes them, and work at once', async () => {
    const scopes: Scope[] = ['earnings:read', 'spaces:read'];
    const answer = await make({ name: 'Accountant', scopes }, { headers: { 'x-request-id': 'making' } });
    const { id, key } = issued(answer);
    assert.deepEqual(answer.body.data, {
      id,
      key,
      host_id: hostId,
      environment: 'production',
      name: 'Accountant',
      scopes: ['spaces:read', 'earnings:read'],
      expires_at: null,
    });
    assert.equal(answer.headers.get('cache-control'), 'no-store');
    assert.equal(await statusOf(key), 200);
    const entry = (await trailOf(world, hostId)).at(-1)!;
    assert.deepEqual(
      [entry.action, entry.subject, entry.actor_type, entry.actor_id, entry.environment, entry.request_id],
      ['key.created', id, 'key', maker.id, 'production', 'making'],
    );
  });

  test('are listed without their text: this environment’s, newest first, revoked ones not', async () => {
    const end = new Date(world.clock.now() + HOUR_MS).toISOString();
    const first = issued(await make({ name: 'Till', expires_at: end }));
    const revoked = issued(await make({ name: 'Gone' }));
    await call('DELETE', `${KEYS}/${revoked.id}`);
    await world.addKey(hostId, { environment: 'sandbox' });
    await world.addKey(await world.addHost());
    const rotated = await world.addKey(hostId);
    const { id: successor } = await world.ctx.db.transaction((tx) =>
      rotate(tx, world.clock.now(), operator, rotated.id, 0),
    );
    const answer = await call('GET');
    const keys = listed(answer);
    assert.deepEqual(
      keys.map(({ id }) => id),
      [maker.id, first.id, successor].toSorted().toReversed(),
    );
    assert.deepEqual(
      keys.find(({ id }) => id === first.id),
      {
        id: first.id,
        name: 'Till',
        scopes: ['spaces:read'],
        prefix: 'hk_live_',
        last4: first.key.slice(-4),
        created_at: new Date(world.clock.now()).toISOString(),
        last_used_at: null,
        expires_at: end,
      },
    );
    assert.ok(!answer.text.includes(first.key));
  });

  test('are revoked from their next request on, once', async () => {
    const made = issued(await make({}));
    const answer = await call('DELETE', `${KEYS}/${made.id}`, { headers: { 'x-request-id': 'ending' } });
    assert.deepEqual(
      [answer.status, answer.body],
      [200, { success: true, data: { id: made.id, revoked: true } }],
    );
    refused(await world.call('GET', SPACES, { key: made.key }), 401, 'API_KEY_REVOKED');
    const entry = (await trailOf(world, hostId)).at(-1)!;
    assert.deepEqual(
      [entry.action, entry.subject, entry.actor_type, entry.actor_id, entry.request_id],
      ['key.revoked', made.id, 'key', maker.id, 'ending'],
    );
    refused(await call('DELETE', `${KEYS}/${made.id}`), 404, 'NOT_FOUND');
    assert.equal((await trailOf(world, hostId)).length, 2);
  });

  test('of others, of the other environment and unknown ones are not found', async () => {
    const others = await world.addKey(await world.addHost());
    const sandbox = await world.addKey(hostId, { environment: 'sandbox' });
    for (const id of [others.id, sandbox.id, newId(), 'nonsense'])
      refused(await call('DELETE', `${KEYS}/${id}`), 404, 'NOT_FOUND');
    assert.equal(await statusOf(others.key), 200);
    assert.equal(await statusOf(sandbox.key), 200);
  });

  test('cannot be revoked by themselves, but by another', async () => {
    assert.equal(fieldOf(await call('DELETE', `${KEYS}/${maker.id.toUpperCase()}`)), 'id');
    assert.equal(await statusOf(maker.key), 200);
    const other = await world.addKey(hostId, { scopes: ['keys:write'] });
    assert.equal((await call('DELETE', `${KEYS}/${maker.id}`, { key: other.key })).status, 200);
    refused(await call('GET'), 401, 'API_KEY_REVOKED');
  });

  test('never have a scope that their maker lacks, nor keys:write', async () => {
    const narrow = await world.addKey(hostId, { scopes: ['bookings:read', 'keys:write'] });
    const byNarrow = (scopes: unknown) => make({ scopes }, { key: narrow.key });
    assert.equal(fieldOf(await byNarrow(['bookings:read', 'bookings:write'])), 'scopes');
    assert.equal(fieldOf(await byNarrow(['keys:write'])), 'scopes');
    assert.equal(fieldOf(await make({ scopes: [...ALL_SCOPES] })), 'scopes');
    for (const wrong of [{ scopes: [] }, { scopes: ['all'] }, { scopes: undefined }, { name: ' ' }])
      refused(await make(wrong), 422, 'VALIDATION_ERROR');
    assert.deepEqual(issued(await byNarrow(['bookings:read'])).scopes, ['bookings:read']);
    assert.deepEqual(issued(await make({ scopes: [...SCOPES] })).scopes, [...SCOPES]);
  });

  test('expire no later than their maker', async () => {
    const end = world.clock.now() + HOUR_MS;
    const at = (ms: number) => new Date(ms).toISOString();
    const expiring = await world.addKey(hostId, { scopes: ALL_SCOPES, expiresAt: end });
    const byExpiring = (fields: object) => make(fields, { key: expiring.key });
    assert.equal(issued(await byExpiring({})).expires_at, at(end));
    assert.equal(issued(await byExpiring({ expires_at: at(end) })).expires_at, at(end));
    assert.equal(issued(await byExpiring({ expires_at: at(end - 1) })).expires_at, at(end - 1));
    assert.equal(fieldOf(await byExpiring({ expires_at: at(end + 1) })), 'expires_at');
    assert.equal(fieldOf(await make({ expires_at: at(world.clock.now()) })), 'expires_at');
    assert.equal(fieldOf(await make({ expires_at: 'tomorrow' })), 'expires_at');
    assert.equal(issued(await make({ expires_at: at(end + 1) })).expires_at, at(end + 1));
  });

  test('are fifty at most, also when many are made at once, and a revoked or expired one makes room', async () => {
    const ends = world.clock.now() + HOUR_MS;
    for (let n = 0; n < 44; n++) await world.addKey(hostId, n === 0 ? { expiresAt: ends } : {});
    await world.addKey(hostId, { environment: 'sandbox' });
    const answers = await Promise.all(Array.from({ length: 12 }, () => make({})));
    const made = answers.filter(({ status }) => status === 200);
    assert.equal(made.length, 5);
    for (const answer of answers) if (!made.includes(answer)) assert.equal(fieldOf(answer), 'keys');
    await call('DELETE', `${KEYS}/${issued(made[0]!).id}`);
    issued(await make({}));
    assert.equal(fieldOf(await make({})), 'keys');
    world.clock.advance({ milliseconds: HOUR_MS });
    issued(await make({}));
  });

  test('need keys:write, and count towards the limit', async () => {
    const plain = await world.addKey(hostId);
    for (const [method, path] of [
      ['GET', KEYS],
      ['POST', KEYS],
      ['DELETE', `${KEYS}/${newId()}`],
    ] as const)
      assert.deepEqual(
        refused(await call(method, path, { key: plain.key }), 403, 'INSUFFICIENT_SCOPE').details,
        { required_scope: 'keys:write' },
      );
    const sandbox = await world.addKey(hostId, { environment: 'sandbox', scopes: ['keys:write'] });
    for (const left of ['4', '3', '2', '1', '0'])
      assert.equal(
        (await call('GET', KEYS, { key: sandbox.key })).headers.get('x-ratelimit-remaining'),
        left,
      );
    refused(await call('GET', KEYS, { key: sandbox.key }), 429, 'RATE_LIMIT_EXCEEDED');
  });

  test('are made in a session too; an Authorization header wins over it, right or wrong', async () => {
    const browser = await signIn(world, maker.key);
    const { id } = issued(
      await browser.call('POST', KEYS, { body: { name: 'App', scopes: ['spaces:read'] } }),
    );
    assert.equal((await trailOf(world, hostId)).at(-1)!.actor_id, maker.id);
    assert.equal((await browser.call('DELETE', `${KEYS}/${id}`)).status, 200);
    const other = await world.addKey(await world.addHost(), { scopes: ['keys:write'] });
    const theirs = listed(await browser.call('GET', KEYS, { key: other.key }));
    assert.deepEqual(
      theirs.map((each) => each.id),
      [other.id],
    );
    refused(await browser.call('GET', KEYS, { key: 'nonsense' }), 401, 'INVALID_API_KEY');
  });

  test('have a page at the same address, for a browser that asks for one', async () => {
    const html = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };
    const page = await world.call('GET', KEYS, { headers: html });
    assert.deepEqual([page.status, page.headers.get('content-type')], [200, 'text/html; charset=utf-8']);
    refused(await world.call('GET', KEYS), 401, 'INVALID_API_KEY');
    refused(
      await world.call('GET', KEYS, { headers: { ...html, 'x-hourkeep-console': '1' } }),
      401,
      'INVALID_API_KEY',
    );
    listed(await call('GET', KEYS, { headers: html }));
    refused(await world.call('GET', KEYS, { key: 'nonsense', headers: html }), 401, 'INVALID_API_KEY');
  });
});
