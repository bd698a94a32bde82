import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { before, beforeEach, test } from 'node:test';
import { refused } from '../../test/support/answer.ts';
import { contractOf } from '../../test/support/contract.ts';
import { browserWith, CONSOLE, cookieOf, signIn, type Browser } from '../../test/support/console.ts';
import { onBothEngines, onOneEngine, onPostgres } from '../../test/support/engines.ts';
import { operator } from '../../test/support/operator.ts';
import { hold } from '../../test/support/overload.ts';
import { trailOf } from '../../test/support/trail.ts';
import { until } from '../../test/support/until.ts';
import { send, useWorld, type Answer, type World } from '../../test/support/world.ts';
import * as apiKeys from '../api-keys/api-keys.ts';
import { buildApp } from '../app.ts';
import { exportFile } from '../apply/export.ts';
import { openDatabase } from '../db/open.ts';
import { exportHost } from '../accounts/export.ts';
import { setActive } from '../accounts/update.ts';
import type { AnyCode } from '../errors.ts';
import { hashApiKey, newApiKey } from '../ids/api-key.ts';
import { SCOPES } from '../ids/scopes.ts';
import { newId } from '../ids/uuid.ts';
import { DAY_MS, HOUR_MS } from '../time/units.ts';
import * as sessions from './sessions.ts';

const SESSION = '/console/session';
const SPACES = '/api-listings/api/v1/spaces';
const CONSOLE_SPACES = `/console/api${SPACES}`;

const OF_A_SESSION = [
  ['GET', SESSION],
  ['DELETE', SESSION],
  ['GET', CONSOLE_SPACES],
  ['GET', '/console/keys'],
  ['POST', '/console/keys'],
] as const;

const post = (world: World, body: unknown, headers: Record<string, string> = {}) =>
  world.call('POST', SESSION, { body, headers });
const setCookies = (answer: Answer): string[] => answer.headers.getSetCookie();
const refusedAll = async (browser: Browser, code: AnyCode): Promise<void> => {
  for (const [method, path] of OF_A_SESSION) {
    const answer = await browser.call(method, path);
    refused(answer, 401, code);
    assert.deepEqual(setCookies(answer), []);
  }
};
const rowsOf = (world: World) =>
  world.rows<{ token_hash: string; expires_at: number }>(
    'select token_hash, expires_at from console_sessions order by token_hash',
  );
const revoke = (world: World, keyId: string) =>
  world.ctx.db.transaction((tx) => apiKeys.revoke(tx, world.clock.now(), keyId));

onBothEngines('a session of the console', (engine) => {
  const world = useWorld(engine, { RATE_LIMIT_PRODUCTION: '3', RATE_LIMIT_SANDBOX: '0' });
  let hostId: string;
  let key: { id: string; key: string };

  beforeEach(async () => {
    hostId = await world.addHost({ name: 'Rosa' });
    key = await world.addKey(hostId);
    await world.write('delete from console_sessions');
    world.clock.advance({ minutes: 2 });
  });

  test('begins with a key, and says whose it is', async () => {
    const answer = await post(world, { key: key.key });
    const data = {
      host: { id: hostId, name: 'Rosa' },
      environment: 'production',
      key: { id: key.id, name: 'test' },
      scopes: SCOPES,
      remember: false,
      expires_at: new Date(world.clock.now() + 12 * HOUR_MS).toISOString(),
    };
    const again = await browserWith(world, cookieOf(answer)).call('GET', SESSION);
    for (const { status, body, headers } of [answer, again]) {
      assert.deepEqual([status, body], [200, { success: true, data }]);
      assert.equal(headers.get('cache-control'), 'no-store');
    }
    assert.deepEqual(setCookies(again), []);
  });

  test('is a cookie of the console alone, which no script reads and no other site sends', async () => {
    for (const [remember, end] of [
      [false, ''],
      [true, '; Max-Age=2592000'],
    ] as const) {
      const [cookie = ''] = setCookies(await post(world, { key: key.key, remember }));
      assert.match(cookie, /^hk_console=[\w-]{43};/);
      assert.equal(cookie.replace(/^.*?;/, ''), ` Path=/console; HttpOnly; SameSite=Strict${end}`);
    }
  });

  test('is kept as a hash, which is in no export, and neither key nor token reaches the log', async () => {
    const { cookie } = await signIn(world, key.key);
    const token = cookie.split('=')[1]!;
    assert.deepEqual(
      (await rowsOf(world)).map((row) => row.token_hash),
      [hash('sha256', token, 'hex')],
    );
    assert.ok(!world.logText().includes(token) && !world.logText().includes(key.key));
    for (const exported of [await exportFile(world.ctx), await exportHost(world.ctx, operator, hostId)])
      assert.doesNotMatch(JSON.stringify(exported), new RegExp(`session|${hash('sha256', token, 'hex')}`));
  });

  test('asks the API in place of the key, with its limit, its scopes and its trail', async () => {
    const spaceId = await world.addSpace(hostId);
    const browser = await signIn(world, key.key);
    const path = `/console/api/api-blocks/api/v1/spaces/${spaceId}/blocks`;
    const made = await browser.call('POST', path, {
      body: { date: '2030-01-02', start_hour: 10, end_hour: 11, reason: 'Cleaning' },
      headers: { 'x-request-id': 'from-console' },
    });
    assert.equal(made.status, 200, made.text);
    assert.equal(made.headers.get('x-ratelimit-remaining'), '2');
    const entry = (await trailOf(world, hostId)).at(-1)!;
    assert.deepEqual([entry.actor_type, entry.actor_id, entry.request_id], ['key', key.id, 'from-console']);
    // The session's own requests do not count.
    for (let n = 0; n < 4; n++) assert.equal((await browser.call('GET', SESSION)).status, 200);
    assert.equal(
      (await world.call('GET', SPACES, { key: key.key })).headers.get('x-ratelimit-remaining'),
      '1',
    );
    assert.equal((await browser.call('GET', `${CONSOLE_SPACES}/`)).status, 200);
    refused(await browser.call('GET', CONSOLE_SPACES), 429, 'RATE_LIMIT_EXCEEDED');

    const narrow = await world.addKey(hostId, { scopes: ['bookings:read'] });
    const answer = await (await signIn(world, narrow.key)).call('GET', CONSOLE_SPACES);
    assert.deepEqual(refused(answer, 403, 'INSUFFICIENT_SCOPE').details, { required_scope: 'spaces:read' });
  });

  test('goes by the cookie under /console/api, whatever Authorization says', async () => {
    const other = await world.addHost();
    const theirs = await world.addKey(other);
    await world.addSpace(other);
    const browser = await signIn(world, key.key);
    const answer = await browser.call('GET', CONSOLE_SPACES, { key: theirs.key });
    assert.deepEqual([answer.status, answer.body.data.spaces], [200, []]);
    for (const headers of [{}, CONSOLE])
      refused(await world.call('GET', CONSOLE_SPACES, { key: key.key, headers }), 401, 'INVALID_API_KEY');
    refused(await world.call('GET', SESSION, { key: key.key, headers: CONSOLE }), 401, 'INVALID_API_KEY');
  });

  test('without the header is none, so no page of another site can use it', async () => {
    const { cookie } = await signIn(world, key.key);
    for (const headers of [{}, { 'x-hourkeep-console': '' }, { 'x-hourkeep-console': 'true' }])
      for (const [method, path] of OF_A_SESSION) {
        const answer = await world.call(method, path, { headers: { cookie, ...headers } });
        refused(answer, 401, 'INVALID_API_KEY');
        assert.equal(answer.headers.get('www-authenticate'), 'Bearer');
      }
    assert.equal((await rowsOf(world)).length, 1);
  });

  test('cannot be begun by a form of another site', async () => {
    const form = (type: string, body: string) => post(world, body, { 'content-type': type });
    for (const answer of [
      await form('application/x-www-form-urlencoded', `key=${key.key}`),
      await form('text/plain', JSON.stringify({ key: key.key })),
      await form('multipart/form-data; boundary=x', `--x\r\n\r\n${key.key}\r\n--x--`),
    ]) {
      refused(answer, 415, 'UNSUPPORTED_MEDIA_TYPE');
      assert.deepEqual(setCookies(answer), []);
    }
  });

  test('has a token of its own, whatever cookie came with the sign-in, and ends the one before', async () => {
    const planted = `hk_console=${'A'.repeat(43)}`;
    const first = await post(world, { key: key.key }, { cookie: planted });
    assert.notEqual(cookieOf(first), planted);
    refused(await browserWith(world, planted).call('GET', SESSION), 401, 'INVALID_API_KEY');
    const second = await post(world, { key: key.key }, { cookie: cookieOf(first) });
    assert.notEqual(cookieOf(second), cookieOf(first));
    refused(await browserWith(world, cookieOf(first)).call('GET', SESSION), 401, 'INVALID_API_KEY');
    assert.equal((await browserWith(world, cookieOf(second)).call('GET', SESSION)).status, 200);
  });

  test('counts for nothing where the browser sends two: one was put there by somebody else', async () => {
    const theirs = await signIn(world, (await world.addKey(await world.addHost())).key);
    const { cookie } = await signIn(world, key.key);
    const both = browserWith(world, `${theirs.cookie}; ${cookie}`);
    refused(await both.call('GET', CONSOLE_SPACES), 401, 'INVALID_API_KEY');
    // Other cookies of the same host name do not matter.
    assert.equal((await browserWith(world, `a=b; ${cookie};c=d`).call('GET', SESSION)).status, 200);
  });

  test('ends with signing out, and its cookie is of no use to whoever stole it', async () => {
    const browser = await signIn(world, key.key, true);
    const elsewhere = await signIn(world, key.key);
    const answer = await browser.call('DELETE', SESSION);
    assert.deepEqual([answer.status, answer.body], [200, { success: true, data: { signed_out: true } }]);
    assert.deepEqual(setCookies(answer), [
      'hk_console=; Path=/console; HttpOnly; SameSite=Strict; Max-Age=0',
    ]);
    await refusedAll(browser, 'INVALID_API_KEY');
    assert.equal((await elsewhere.call('GET', SESSION)).status, 200);
  });

  test('that is remembered lasts thirty days from its use, and is renewed once a day at most', async () => {
    const browser = await signIn(world, key.key, true);
    const start = world.clock.now();
    const ends = async () => (await rowsOf(world))[0]!.expires_at;
    world.clock.advance({ milliseconds: DAY_MS - 1 });
    assert.deepEqual(setCookies(await browser.call('GET', CONSOLE_SPACES)), []);
    assert.equal(await ends(), start + 30 * DAY_MS);
    world.clock.advance({ milliseconds: 1 });
    const renewed = await browser.call('GET', CONSOLE_SPACES);
    assert.equal(cookieOf(renewed), browser.cookie);
    assert.match(setCookies(renewed).join(), /; Max-Age=2592000$/);
    assert.equal(await ends(), start + 31 * DAY_MS);
    assert.deepEqual(setCookies(await browser.call('GET', SESSION)), []);
    world.clock.advance({ milliseconds: 30 * DAY_MS - 1 });
    const { body } = await browser.call('GET', SESSION);
    const { expires_at } = body.data as unknown as { expires_at: string };
    assert.equal(expires_at, new Date(world.clock.now() + 30 * DAY_MS).toISOString());
    world.clock.advance({ milliseconds: 30 * DAY_MS });
    refused(await browser.call('GET', CONSOLE_SPACES), 401, 'INVALID_API_KEY');
  });

  test('that is not remembered ends after twelve hours, used or not', async () => {
    const browser = await signIn(world, key.key);
    for (let hour = 1; hour < 12; hour++) {
      world.clock.advance({ milliseconds: HOUR_MS });
      const answer = await browser.call('GET', CONSOLE_SPACES);
      assert.deepEqual([answer.status, setCookies(answer)], [200, []]);
    }
    world.clock.advance({ milliseconds: HOUR_MS });
    refused(await browser.call('GET', CONSOLE_SPACES), 401, 'INVALID_API_KEY');
  });

  test('stops with its key, which is said with every later request', async () => {
    const browser = await signIn(world, key.key, true);
    await revoke(world, key.id);
    await refusedAll(browser, 'API_KEY_REVOKED');
    world.clock.advance({ milliseconds: 29 * DAY_MS });
    await sessions.prune(world.ctx);
    await refusedAll(browser, 'API_KEY_REVOKED');

    const expiring = await world.addKey(hostId, { expiresAt: world.clock.now() + HOUR_MS });
    const other = await signIn(world, expiring.key);
    world.clock.advance({ milliseconds: HOUR_MS });
    await refusedAll(other, 'API_KEY_REVOKED');
  });

  test('stops while its host is not active, and goes on when it is again', async () => {
    const browser = await signIn(world, key.key);
    const set = (active: boolean) =>
      world.ctx.db.transaction((tx) => setActive(tx, world.clock.now(), operator, hostId, active));
    await set(false);
    for (const path of [SESSION, CONSOLE_SPACES, '/console/keys'])
      assert.equal(
        refused(await browser.call('GET', path), 401, 'API_KEY_REVOKED').message,
        'The account of this API key is not active; ask the operator',
      );
    refused(await post(world, { key: key.key }), 401, 'API_KEY_REVOKED');
    await set(true);
    assert.equal((await browser.call('GET', CONSOLE_SPACES)).status, 200);
  });

  test('is not begun with a key that is not valid', async () => {
    await revoke(world, key.id);
    for (const wrong of [newApiKey('production'), '', 'hk_live_', `${newApiKey('sandbox')} `]) {
      const answer = await post(world, { key: wrong });
      refused(answer, 401, 'INVALID_API_KEY');
      assert.equal(answer.headers.get('www-authenticate'), 'Bearer');
    }
    refused(await post(world, { key: key.key }), 401, 'API_KEY_REVOKED');
    assert.deepEqual(await rowsOf(world), []);
  });

  test('is deleted by the worker when it has expired, and not before', async () => {
    await signIn(world, key.key);
    const remembered = await signIn(world, key.key, true);
    world.clock.advance({ milliseconds: 12 * HOUR_MS });
    await sessions.prune(world.ctx);
    assert.equal((await rowsOf(world)).length, 1);
    assert.equal((await remembered.call('GET', SESSION)).status, 200);
  });

  test('ends with all others when a backup is put in place', async () => {
    const browser = await signIn(world, key.key, true);
    await world.ctx.db.transaction((tx) => sessions.endSessions(tx));
    refused(await browser.call('GET', SESSION), 401, 'INVALID_API_KEY');
    assert.deepEqual(await rowsOf(world), []);
  });
});

onBothEngines('guessing keys at the console’s sign-in', (engine) => {
  const world = useWorld(engine);
  let key: string;
  before(async () => {
    ({ key } = await world.addKey(await world.addHost()));
  });
  beforeEach(() => world.clock.advance({ minutes: 2 }));
  const from = (address: string) => ({ 'x-forwarded-for': address });
  const guess = (address: string) => post(world, { key: newApiKey('production') }, from(address));

  test('is over for a minute after ten of one address, for a right key too', async () => {
    for (let n = 0; n < 10; n++) refused(await guess('192.0.2.1'), 401, 'INVALID_API_KEY');
    world.clock.advance({ seconds: 20 });
    const answer = await post(world, { key }, from('192.0.2.1'));
    refused(answer, 429, 'RATE_LIMIT_EXCEEDED');
    assert.equal(answer.headers.get('retry-after'), '40');
    assert.deepEqual(setCookies(answer), []);
    refused(await post(world, '{', from('192.0.2.1')), 429, 'RATE_LIMIT_EXCEEDED');
    assert.equal((await post(world, { key }, from('192.0.2.2'))).status, 200);
    world.clock.advance({ seconds: 40 });
    assert.equal((await post(world, { key }, from('192.0.2.1'))).status, 200);
  });

  test('is told no more by sending many together', async () => {
    const wrong = newApiKey('production');
    const right = hold(world, [hashApiKey(key)]);
    const signingIn = post(world, { key }, from('192.0.2.3'));
    await until(() => right.count === 1);
    const guesses = hold(world, [hashApiKey(wrong)]);
    const answers = Array.from({ length: 20 }, () => post(world, { key: wrong }, from('192.0.2.3')));
    await until(() => guesses.count === 20);
    guesses.release();
    const statuses = (await Promise.all(answers)).map(({ status }) => status);
    right.release();
    assert.deepEqual(
      statuses.toSorted((a, b) => a - b),
      [...Array(10).fill(401), ...Array(10).fill(429)],
    );
    refused(await signingIn, 429, 'RATE_LIMIT_EXCEEDED');
  });

  test('is neither a request without a key nor a sign-in that succeeds', async () => {
    for (let n = 0; n < 12; n++) {
      for (const body of [{}, { key: 7 }, { key: null }, { key, remember: 'yes' }, { key, more: 1 }])
        refused(await post(world, body, from('192.0.2.4')), 422, 'VALIDATION_ERROR');
      assert.equal((await post(world, { key }, from('192.0.2.4'))).status, 200);
    }
  });
});

onBothEngines('the API itself', (engine) => {
  const world = useWorld(engine);

  test('reads no cookie, on any of its paths', async () => {
    const hostId = await world.addHost();
    const { key } = await world.addKey(hostId);
    const browser = await signIn(world, key);
    const { endpoints } = await contractOf(world.url);
    assert.equal(endpoints.length, 18);
    for (const { method, template } of endpoints) {
      const answer = await browser.call(method, template.replaceAll(/\{\w+\}/g, newId()));
      assert.equal(answer.status, template === '/api-openapi' ? 200 : 401, `${method} ${template}`);
      assert.deepEqual(setCookies(answer), []);
    }
    assert.equal((await browser.call('POST', '/mcp', { body: {} })).status, 401);
  });

  test('is under /console/api with the endpoints that need a key, and nothing else', async () => {
    const { key } = await world.addKey(await world.addHost());
    const browser = await signIn(world, key);
    assert.equal((await browser.call('GET', CONSOLE_SPACES)).status, 200);
    assert.equal((await browser.call('GET', '/console/api/api-listings/api/v1/spaces?x=1')).status, 422);
    for (const path of ['/', '/api-openapi', '/docs', '/healthz', SESSION, CONSOLE_SPACES, '/no'])
      refused(await browser.call('GET', `/console/api${path}`), 404, 'NOT_FOUND');
    refused(await browser.call('POST', '/console/api/mcp', { body: {} }), 404, 'NOT_FOUND');
    const put = await browser.call('PUT', CONSOLE_SPACES);
    refused(put, 405, 'METHOD_NOT_ALLOWED');
    assert.equal(put.headers.get('allow'), 'GET, HEAD');
  });
});

onOneEngine('the console behind a proxy, with a base path and https', (engine) => {
  const world = useWorld(engine, { PUBLIC_URL: 'https://rooms.example.com/here', BASE_PATH: '/here' });

  test('has a cookie for its own path, which is not sent in the clear', async () => {
    const { key } = await world.addKey(await world.addHost());
    const answer = await post(world, { key });
    const browser = browserWith(world, cookieOf(answer));
    assert.equal((await browser.call('GET', CONSOLE_SPACES)).status, 200);
    const out = await browser.call('DELETE', SESSION);
    const attributes = '; Path=/here/console; HttpOnly; SameSite=Strict; Secure';
    assert.deepEqual(setCookies(answer), [browser.cookie + attributes]);
    assert.deepEqual(setCookies(out), [`hk_console=${attributes}; Max-Age=0`]);
  });
});

onOneEngine('CONSOLE=off', (engine) => {
  const world = useWorld(engine, { CONSOLE: 'off' });

  test('takes the console away, its sessions, and the keys that hosts make', async () => {
    const { key } = await world.addKey(await world.addHost());
    for (const [method, path] of [
      ...OF_A_SESSION,
      ['POST', SESSION],
      ['DELETE', `/console/keys/${newId()}`],
      ...['', '/today', '/sw.js', '/manifest.webmanifest'].map((path) => ['GET', `/console${path}`] as const),
    ] as const)
      refused(await world.call(method, path, { key, headers: CONSOLE }), 404, 'NOT_FOUND');
  });
});

onPostgres('a session at two processes', (engine) => {
  const world = useWorld(engine);

  test('is known to both, and over at both when it is ended or its key revoked', async (t) => {
    const db = openDatabase(world.ctx.config, world.ctx.log);
    const app = await buildApp({ ...world.ctx, db });
    const url = await app.listen({ host: '127.0.0.1', port: 0 });
    t.after(() => app.close().then(() => db.close()));
    const key = await world.addKey(await world.addHost());
    const [ended, revoked] = [await signIn(world, key.key), await signIn(world, key.key)];
    const atBoth = async ({ cookie, call }: Browser, judge: (answer: Answer) => unknown) => {
      for (const path of [SESSION, CONSOLE_SPACES, '/console/api/api-earnings/api/v1/earnings']) {
        judge(await send(url, 'GET', path, { headers: { cookie, ...CONSOLE } }));
        judge(await call('GET', path));
      }
    };
    for (const browser of [ended, revoked]) await atBoth(browser, ({ status }) => assert.equal(status, 200));
    assert.equal((await ended.call('DELETE', SESSION)).status, 200);
    await atBoth(ended, (answer) => refused(answer, 401, 'INVALID_API_KEY'));
    await revoke(world, key.id);
    await atBoth(revoked, (answer) => refused(answer, 401, 'API_KEY_REVOKED'));
  });
});
