import assert from 'node:assert/strict';
import { beforeEach, describe, test } from 'node:test';
import { refused } from '../../test/support/answer.ts';
import { onBothEngines } from '../../test/support/engines.ts';
import { operator } from '../../test/support/operator.ts';
import { trailOf } from '../../test/support/trail.ts';
import { useWorld, type Answer } from '../../test/support/world.ts';
import type { AnyCode } from '../errors.ts';
import { exportHost } from '../accounts/export.ts';
import { HOUR_MS, MINUTE_MS } from '../time/units.ts';
import * as apiKeys from './api-keys.ts';
import * as invitations from './invitations.ts';
import { rotate, successorOf } from './rotate.ts';
import { SCOPES, type Scope } from '../ids/scopes.ts';

const SPACES = '/api-listings/api/v1/spaces';
const tokenOf = (url: string): string => url.split('#')[1]!;

onBothEngines('an invitation', (engine) => {
  const world = useWorld(engine, { PUBLIC_URL: 'https://rooms.example.com/here', BASE_PATH: '/here' });
  let hostId: string;

  beforeEach(async () => {
    hostId = await world.addHost();
    // The limit by address is not what these tests are about.
    world.clock.advance({ minutes: 2 });
  });

  const inTransaction = <T>(
    work: (tx: Parameters<typeof invitations.invite>[0], now: number) => Promise<T>,
  ) => world.ctx.db.transaction((tx) => work(tx, world.clock.now()));
  const invite = (fields: Partial<invitations.NewInvitation> = {}) =>
    inTransaction((tx, now) =>
      invitations.invite(tx, now, operator, world.ctx.config, {
        hostId,
        environment: 'production',
        name: 'Console',
        scopes: SCOPES,
        linkMs: HOUR_MS,
        ...fields,
      }),
    );
  const claim = (token: unknown, headers: Record<string, string> = {}) =>
    world.call('POST', '/console/claim', { body: { token }, headers });
  const statusOf = async (key: string) => (await world.call('GET', SPACES, { key })).status;
  const keysOf = () => world.rows<{ id: string }>('select id from api_keys where host_id = $1', [hostId]);
  const issued = (answer: Answer) => answer.body.data as unknown as apiKeys.IssuedKey;
  const withdraw = (id: string) =>
    inTransaction((tx, now) => invitations.revokeOrWithdraw(tx, now, operator, id));

  test('is a link to the console, with its token where browsers send it to nobody', async () => {
    const { id, url, expires_at } = await invite();
    assert.match(url, /^https:\/\/rooms\.example\.com\/here\/console\/welcome#[\w-]{43}$/);
    assert.equal(expires_at, new Date(world.clock.now() + HOUR_MS).toISOString());
    assert.deepEqual(
      (await trailOf(world, hostId)).map(({ action, subject, actor_type }) => [action, subject, actor_type]),
      [['invitation.created', id, 'operator']],
    );
    assert.deepEqual(await keysOf(), []);
    assert.equal(
      (await world.call('GET', '/console/welcome')).headers.get('content-type'),
      'text/html; charset=utf-8',
    );
  });

  test('makes the key when it is claimed, as key create would, and names the request in the trail', async () => {
    const scopes: Scope[] = ['spaces:read', 'bookings:read'];
    const { id, url } = await invite({ environment: 'sandbox', name: 'Till', scopes });
    const answer = await claim(tokenOf(url), { 'x-request-id': 'claiming' });
    assert.equal(answer.status, 200);
    const { key } = issued(answer);
    assert.deepEqual(answer.body, {
      success: true,
      data: { id, key, host_id: hostId, environment: 'sandbox', name: 'Till', scopes, expires_at: null },
    });
    assert.match(key, /^hk_test_\w{36}$/);
    assert.equal(answer.headers.get('cache-control'), 'no-store');
    assert.equal(await statusOf(key), 200);
    const [, entry] = await trailOf(world, hostId);
    assert.deepEqual(
      [entry!.action, entry!.subject, entry!.actor_type, entry!.actor_id, entry!.request_id],
      ['key.created', id, 'key', id, 'claiming'],
    );
  });

  test('that many claim at once makes one key', async () => {
    for (let round = 1; round <= 5; round++) {
      const token = tokenOf((await invite()).url);
      const answers = await Promise.all(
        Array.from({ length: 12 }, (_, n) => claim(token, { 'x-forwarded-for': `192.0.2.${n}` })),
      );
      const made = answers.filter(({ status }) => status === 200);
      assert.equal(made.length, 1);
      for (const answer of answers)
        if (answer !== made[0]) assert.equal(answer.body.error.code, 'INVITATION_USED');
      assert.equal((await keysOf()).length, round);
      assert.equal(await statusOf(issued(made[0]!).key), 200);
    }
  });

  for (const [how, end, code, message] of [
    [
      'used',
      ({ url }) => claim(tokenOf(url)),
      'INVITATION_USED',
      'This link was already used to create a key; ask for a new link',
    ],
    [
      'too old',
      async () => world.clock.advance({ hours: 1 }),
      'INVITATION_EXPIRED',
      'This link has expired; ask for a new one',
    ],
    [
      'withdrawn, once or twice',
      async ({ id }) => {
        assert.deepEqual([await withdraw(id), await withdraw(id)], ['withdrawn', 'withdrawn']);
        const actions = (await trailOf(world, hostId)).map(({ action }) => action);
        assert.deepEqual(actions, ['invitation.created', 'invitation.withdrawn']);
      },
      'INVITATION_WITHDRAWN',
      'This link was withdrawn; ask for a new one',
    ],
  ] satisfies [string, (invited: invitations.Invitation) => Promise<unknown>, AnyCode, string][])
    test(`makes no key once it is ${how}`, async () => {
      const invited = await invite();
      await end(invited);
      const before = await keysOf();
      const answer = await claim(tokenOf(invited.url));
      const { error } = answer.body;
      assert.deepEqual([answer.status, error.code, error.message], [410, code, message]);
      assert.deepEqual(await keysOf(), before);
    });

  test('that was claimed is revoked as the key it became', async () => {
    const { id, url } = await invite();
    const { key } = issued(await claim(tokenOf(url)));
    assert.equal(await withdraw(id), 'revoked');
    refused(await world.call('GET', SPACES, { key }), 401, 'API_KEY_REVOKED');
  });

  test('withdrawn while it is claimed leaves no key that works', async () => {
    for (let round = 0; round < 10; round++) {
      const { id, url } = await invite();
      const [answer] = await Promise.all([claim(tokenOf(url)), withdraw(id)]);
      if (answer.status === 200) assert.equal(await statusOf(issued(answer).key), 401);
      else assert.equal(answer.body.error.code, 'INVITATION_WITHDRAWN');
    }
  });

  test('that never was is not found', async () => {
    for (const token of ['', 'x', 'A'.repeat(43)]) refused(await claim(token), 404, 'NOT_FOUND');
    await assert.rejects(withdraw(hostId), { message: `there is no key ${hostId}` });
  });

  test('makes a key with the end that it was given, and ends with it', async () => {
    const expiresAt = world.clock.now() + 10 * MINUTE_MS;
    const at = new Date(expiresAt).toISOString();
    const { url, expires_at } = await invite({ expires_at: at });
    assert.equal(expires_at, at);
    assert.equal(issued(await claim(tokenOf(url))).expires_at, at);
  });

  test('is listed among the keys, while it is open', async () => {
    const first = await world.addKey(hostId);
    const open = await invite({ name: 'Open' });
    await withdraw((await invite()).id);
    await invite({ linkMs: 0 });
    const listed = () => apiKeys.list(world.ctx.db, world.clock.now(), hostId);
    const [record, ...others] = await listed();
    assert.partialDeepStrictEqual(record, {
      id: open.id,
      name: 'Open',
      key: null,
      status: 'invited',
      created_at: new Date(world.clock.now()).toISOString(),
      invitation_expires_at: open.expires_at,
    });
    assert.deepEqual(
      others.map(({ id }) => id),
      [first.id],
    );
    await claim(tokenOf(open.url));
    assert.deepEqual(
      (await listed()).map(({ id, status }) => [id, status]),
      [
        [open.id, 'active'],
        [first.id, 'active'],
      ],
    );
  });

  test('leaves its token in no table, log line or export, and the key neither', async () => {
    const { url } = await invite();
    const { key } = issued(await claim(tokenOf(url)));
    await claim(tokenOf(url));
    const kept = [
      JSON.stringify(await world.rows('select * from invitations')),
      JSON.stringify(await world.rows('select * from api_keys')),
      JSON.stringify(await world.rows('select changes, subject, reason from audit')),
      JSON.stringify(await exportHost(world.ctx, operator, hostId)),
      world.logText(),
    ];
    for (const text of kept) for (const secret of [tokenOf(url), key]) assert.ok(!text.includes(secret));
    assert.match(world.logText(), /"route":"\/here\/console\/claim","status":200/);
  });

  test('can be tried 30 times a minute from one address, which a proxy tells', async () => {
    const from = (address: string) => ({ 'x-forwarded-for': `203.0.113.9, ${address}` });
    for (let n = 0; n < 30; n++) refused(await claim('x', from('198.51.100.1')), 404, 'NOT_FOUND');
    const answer = await claim('x', from('198.51.100.1'));
    refused(answer, 429, 'RATE_LIMIT_EXCEEDED');
    assert.equal(answer.headers.get('retry-after'), '60');
    refused(await claim('x', from('198.51.100.2')), 404, 'NOT_FOUND');
    world.clock.advance({ minutes: 1 });
    refused(await claim('x', from('198.51.100.1')), 404, 'NOT_FOUND');
  });

  describe('to rotate a key', () => {
    const rotated = (id: string, graceMs: number) =>
      inTransaction((tx, now) => rotate(tx, now, operator, id, graceMs));
    const inviteInstead = async (id: string, graceMs: number) =>
      inTransaction(async (tx, now) => {
        const wanted = { ...(await successorOf(tx, now, id)), linkMs: HOUR_MS, replaces: { id, graceMs } };
        return invitations.invite(tx, now, operator, world.ctx.config, wanted);
      });

    test('without one: both keys work during the grace, then the new one alone', async (t) => {
      world.clock.restoreAfter(t);
      const old = await world.addKey(hostId, { environment: 'sandbox', scopes: ['spaces:read'] });
      const { key, ...made } = await rotated(old.id, HOUR_MS);
      assert.deepEqual(made, {
        id: made.id,
        host_id: hostId,
        environment: 'sandbox',
        name: 'test',
        scopes: ['spaces:read'],
        expires_at: null,
        old: { id: old.id, revoked_at: new Date(world.clock.now() + HOUR_MS).toISOString() },
      });
      world.clock.advance({ minutes: 59 });
      assert.deepEqual([await statusOf(old.key), await statusOf(key)], [200, 200]);
      world.clock.advance({ minutes: 1 });
      refused(await world.call('GET', SPACES, { key: old.key }), 401, 'API_KEY_REVOKED');
      assert.equal(await statusOf(key), 200);
      assert.deepEqual(
        (await trailOf(world, hostId)).map(({ action, subject }) => [action, subject]),
        [
          ['key.rotated', old.id],
          ['key.created', made.id],
        ],
      );
    });

    test('keeps the end of the old one, which it does not make later', async () => {
      const expiresAt = world.clock.now() + HOUR_MS;
      const at = new Date(expiresAt).toISOString();
      const old = await world.addKey(hostId, { expiresAt });
      const made = await rotated(old.id, 2 * HOUR_MS);
      assert.deepEqual([made.expires_at, made.old.revoked_at], [at, at]);
    });

    test('is refused for one that was rotated, revoked or expired, or never was', async () => {
      const old = await world.addKey(hostId);
      const { id } = await rotated(old.id, HOUR_MS);
      await assert.rejects(rotated(old.id, 0), {
        message: `key ${old.id} was rotated before: key ${id} took its place`,
      });
      await withdraw(id);
      await assert.rejects(rotated(id, 0), {
        message: `key ${id} is revoked: make a new one with key create`,
      });
      const over = await world.addKey(hostId, { expiresAt: world.clock.now() });
      await assert.rejects(rotated(over.id, 0), {
        message: `key ${over.id} is expired: make a new one with key create`,
      });
      await assert.rejects(rotated(hostId, 0), { message: `there is no key ${hostId}` });
    });

    test('twice at once makes one key', async () => {
      const old = await world.addKey(hostId);
      const done = await Promise.allSettled([1, 2, 3].map(() => rotated(old.id, HOUR_MS)));
      assert.equal(done.filter(({ status }) => status === 'fulfilled').length, 1);
      assert.equal((await keysOf()).length, 2);
    });

    test('begins the grace when it is claimed', async (t) => {
      world.clock.restoreAfter(t);
      const old = await world.addKey(hostId, { scopes: ['spaces:read'] });
      const { id, url } = await inviteInstead(old.id, HOUR_MS);
      world.clock.advance({ minutes: 50 });
      assert.equal(await statusOf(old.key), 200);
      const made = issued(await claim(tokenOf(url)));
      assert.deepEqual([made.id, made.name, made.scopes], [id, 'test', ['spaces:read']]);
      world.clock.advance({ minutes: 59 });
      assert.deepEqual([await statusOf(old.key), await statusOf(made.key)], [200, 200]);
      world.clock.advance({ minutes: 1 });
      assert.deepEqual([await statusOf(old.key), await statusOf(made.key)], [401, 200]);
      const [replaced] = (await apiKeys.list(world.ctx.db, world.clock.now(), hostId)).filter(
        (key) => key.id === old.id,
      );
      const endedAt = new Date(world.clock.now()).toISOString();
      assert.deepEqual(
        [replaced!.status, replaced!.revoked_at, replaced!.replaced_by],
        ['revoked', endedAt, id],
      );
    });

    test('leaves the old one alone when it is withdrawn', async () => {
      const old = await world.addKey(hostId);
      const { id } = await inviteInstead(old.id, 0);
      await withdraw(id);
      assert.equal(await statusOf(old.key), 200);
      assert.equal((await rotated(old.id, 0)).name, 'test');
      assert.equal(await statusOf(old.key), 401);
    });
  });
});

onBothEngines('without the console', (engine) => {
  const world = useWorld(engine, { CONSOLE: 'off' });

  test('there is nothing to claim at, and nobody is invited', async () => {
    refused(await world.call('POST', '/console/claim', { body: { token: 'x' } }), 404, 'NOT_FOUND');
    refused(await world.call('GET', '/console/welcome'), 404, 'NOT_FOUND');
    assert.throws(() => invitations.refuseWithoutConsole(world.ctx.config), {
      name: 'OperatorError',
      message: 'CONSOLE=off: invitations are links to the console; use key create instead',
    });
  });
});
