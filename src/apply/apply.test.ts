import assert from 'node:assert/strict';
import { beforeEach, describe, test } from 'node:test';
import { bookingBody, CREATE } from '../../test/support/booking.ts';
import { onBothEngines } from '../../test/support/engines.ts';
import { operator } from '../../test/support/operator.ts';
import { changesOf } from '../../test/support/trail.ts';
import { useWorld } from '../../test/support/world.ts';
import * as apiKeys from '../api-keys/api-keys.ts';
import { rotate } from '../api-keys/rotate.ts';
import { SCOPES } from '../ids/scopes.ts';
import * as calendars from '../calendars/calendars.ts';
import { subscribe } from '../spaces/update.ts';
import * as hosts from '../hosts/hosts.ts';
import { newId } from '../ids/uuid.ts';
import * as spaces from '../spaces/spaces.ts';
import { DAY_MS } from '../time/units.ts';
import { apply } from './apply.ts';
import { exportFile, orphans } from './export.ts';
import type { File, HostEntry, KeyEntry, SpaceEntry } from './file.ts';

const CALENDAR = 'http://127.0.0.1:9/busy.ics?s=secret';
const NOTHING = { created: [], changed: [], unchanged: 0, keys: [], invitations: [] };

onBothEngines('a file of hosts', (engine) => {
  const world = useWorld(engine);
  let serial = 0;
  let ref: string;
  let host: HostEntry;
  let space: SpaceEntry;
  let key: KeyEntry;

  beforeEach(() => {
    ref = `host-${++serial}`;
    space = {
      ref: 'attic',
      title: 'Attic',
      price_per_hour: 45,
      calendars: [{ ref: 'airbnb', url: CALENDAR }],
    };
    key = { ref: 'pms', name: 'Their PMS' };
    host = {
      ref,
      name: `Host ${serial}`,
      email: `applied-${serial}-${engine.name}@example.com`,
      timezone: 'europe/vienna',
      currency: 'EUR',
      spaces: [space],
      keys: [key],
    };
  });

  const run = (file: unknown, dryRun = false) => apply(world.ctx, operator, file, { dryRun });
  const now = (): File => ({ hosts: [host] });
  const idsOf = (created: { kind: string; id?: string }[]) =>
    Object.fromEntries(created.map(({ kind, id }) => [kind, id!]));
  /** What the file names, as the answer names it. */
  const thing = (kind: 'host' | 'space' | 'calendar' | 'key', made: Record<string, string>) => {
    const names = {
      host: { ref },
      space: { ref: 'attic' },
      calendar: { space: 'attic', ref: 'airbnb' },
      key: { ref: 'pms' },
    };
    return { kind, host: ref, ...names[kind], id: made[kind]! };
  };
  /** ANY stands for an id. */
  const refused = (file: unknown, ...said: string[]) =>
    assert.rejects(run(file), (error: Error) => {
      const ids = error.message.replace(/(?<=twin-\S+: )[0-9a-f-]{36}/, 'ANY');
      assert.deepEqual([error.name, ids.split('\n')], ['OperatorError', said]);
      return true;
    });
  const idOf = (name: string) => hosts.idOf(world.ctx.db, name);
  const everything = async () => {
    const tables = ['hosts', 'spaces', 'feeds', 'calendars', 'api_keys', 'audit', 'events'];
    return Promise.all(tables.map((table) => world.rows(`select * from ${table} order by 1, 2`)));
  };

  test('makes what is missing, with the defaults of the commands, and writes the trail', async () => {
    const done = await run(now());
    const made = idsOf(done.created);
    assert.deepEqual(done, {
      ...NOTHING,
      created: (['host', 'space', 'calendar', 'key'] as const).map((kind) => thing(kind, made)),
      keys: [{ host: ref, ref: 'pms', id: made['key'], key: done.keys[0]!.key }],
    });
    const { timezone, commission_rate, ref: kept } = await hosts.get(world.ctx.db, made['host']!);
    assert.deepEqual([timezone, commission_rate, kept], ['Europe/Vienna', 0.1, ref]);
    const { operating_hours, ...rest } = await spaces.showForOperator(world.ctx.db, made['space']!);
    assert.deepEqual(operating_hours, { start_hour: 0, end_hour: 24 });
    assert.deepEqual(
      [rest.timezone, rest.environment, rest.is_active],
      ['Europe/Vienna', 'production', true],
    );
    const answer = await world.call('GET', '/api-listings/api/v1/spaces', { key: done.keys[0]!.key });
    assert.deepEqual(
      answer.body.data.spaces.map(({ id }) => id),
      [made['space']],
    );
    assert.deepEqual(await changesOf(world, made['host']!), [
      ['host.added', made['host']],
      ['space.added', made['space']],
      ['calendar.added', made['calendar']],
      ['key.created', made['key']],
    ]);
  });

  test('the same again changes nothing, and says so', async () => {
    await run(now());
    const before = await everything();
    for (const dryRun of [false, true])
      assert.deepEqual(await run(now(), dryRun), { ...NOTHING, unchanged: 4 });
    assert.deepEqual(await everything(), before);
  });

  test('changes what differs, field by field, and leaves alone what is not said', async () => {
    const made = idsOf((await run(now())).created);
    Object.assign(host, { name: 'Another', commission_rate: 0.125, max_booking_value: 500 });
    Object.assign(space, {
      price_per_hour: 52.5,
      operating_hours: { start_hour: 9, end_hour: 22 },
      amenities: ['wifi'],
    });
    space.calendars![0]!.url = 'http://127.0.0.1:9/other.ics';
    Object.assign(key, { name: 'Their new PMS', expires_at: '2099-01-01T00:00:00+00:00' });
    const changed = [
      {
        ...thing('host', made),
        changes: {
          name: [`Host ${serial}`, 'Another'],
          commission_rate: [0.1, 0.125],
          max_booking_value: [null, 500],
        },
      },
      {
        ...thing('space', made),
        changes: {
          price_per_hour: [45, 52.5],
          operating_hours: [
            { start_hour: 0, end_hour: 24 },
            { start_hour: 9, end_hour: 22 },
          ],
          amenities: [[], ['wifi']],
        },
      },
      {
        ...thing('calendar', made),
        changes: { url: ['http://127.0.0.1:9', 'http://127.0.0.1:9'] },
      },
      {
        ...thing('key', made),
        changes: { name: ['Their PMS', 'Their new PMS'], expires_at: [null, '2099-01-01T00:00:00.000Z'] },
      },
    ];
    const expected = { ...NOTHING, changed };
    const before = await everything();
    assert.deepEqual(await run(now(), true), expected);
    assert.deepEqual(await everything(), before, 'a dry run changes nothing');
    assert.deepEqual(await run(now()), expected);
    assert.deepEqual((await changesOf(world, made['host']!)).slice(4), [
      ['host.updated', made['host']],
      ['space.updated', made['space']],
      ['calendar.updated', made['calendar']],
      ['key.updated', made['key']],
    ]);
    const { ref: _, name, email, timezone, currency } = host;
    const little = { hosts: [{ ref, name, email, timezone, currency }] };
    assert.deepEqual((await run(little)).unchanged, 1);
    assert.equal((await hosts.get(world.ctx.db, made['host']!)).commission_rate, 0.125);
  });

  test('a dry run tells what would be made, without ids, and makes nothing', async () => {
    const before = await everything();
    const dry = await run(now(), true);
    assert.deepEqual(await everything(), before);
    const done = await run(now());
    const created = done.created.map(({ id: _id, ...names }) => names);
    assert.deepEqual(dry, { ...done, created, keys: [{ host: ref, ref: 'pms' }] });
  });

  test('all mistakes are found in one run, whether the schema, the file, the network or the database tells', async () => {
    const taken = host.email;
    await run(now());
    const second = (fields: object) => ({ ...host, spaces: [], keys: [], ...fields });
    const before = await everything();
    const hosts = [
      second({ ref: 'wrong', name: 7, email: `wrong-${ref}@example.com`, colour: 'red' }),
      'nothing',
      second({ ref: undefined, email: `none-${ref}@example.com` }),
      second({ ref: 'taken', email: taken.toUpperCase() }),
      second({ ref: 'twin-1', email: `twin-${ref}@example.com` }),
      second({ ref: 'twin-2', email: `twin-${ref}@example.com` }),
      {
        ...host,
        currency: 'EUX',
        spaces: [
          { ...space, title: '', calendars: [{ ref: 'airbnb', url: 5 }] },
          {
            ...space,
            ref: 'loft',
            price_per_hour: 1.5,
            calendars: [{ ref: 'x', url: 'http://10.0.0.1/a.ics' }],
          },
        ],
        keys: [
          { ref: 'new', name: 'New', expires_at: '2020-01-01T00:00:00Z' },
          { ref: 'pms', name: ' ' },
        ],
      },
    ];
    await refused(
      JSON.parse(JSON.stringify({ hosts })),
      'hosts[0] (wrong).colour is not a known field',
      'hosts[0] (wrong).name must be a string',
      'hosts[1] must be a JSON object',
      'hosts[2].ref is required',
      `hosts[3] (taken).email: another host has the email ${taken.toUpperCase()}: ${await idOf(ref)}`,
      `hosts[5] (twin-2).email: another host has the email twin-${ref}@example.com: ANY`,
      `hosts[6] (${ref}).currency must be an ISO 4217 code such as USD`,
      `hosts[6] (${ref}).keys[0].expires_at must lie in the future`,
      `hosts[6] (${ref}).keys[1].name must not be blank`,
      `hosts[6] (${ref}).spaces[0].calendars[0].url must be a string`,
      `hosts[6] (${ref}).spaces[0].title must not be empty`,
      `hosts[6] (${ref}).spaces[1].calendars[0].url must be an https URL`,
    );
    assert.deepEqual(await everything(), before);
  });

  test('carries whether a host is deactivated, both ways, and its keys and links wait for it', async () => {
    host.deactivated = true;
    host.keys!.push({ ref: 'invited', name: 'Invited', invite: true });
    const done = await run(now());
    const made = idsOf(done.created);
    const status = async () =>
      (await world.call('GET', '/api-listings/api/v1/spaces', { key: done.keys[0]!.key })).status;
    assert.deepEqual([done.keys.length, done.invitations.length, await status()], [1, 1, 401]);
    assert.equal((await exportFile(world.ctx, made['host'])).hosts[0]!.deactivated, true);
    assert.equal((await run(now())).changed.length, 0);
    delete host.deactivated;
    assert.equal((await run(now())).changed.length, 0);
    host.deactivated = false;
    host.name = 'Active again';
    const changes = { name: [`Host ${serial}`, 'Active again'], deactivated: [true, false] };
    assert.deepEqual((await run(now(), true)).changed, [{ ...thing('host', made), changes }]);
    assert.deepEqual((await run(now())).changed[0]!.changes, changes);
    assert.equal(await status(), 200);
    assert.equal((await exportFile(world.ctx, made['host'])).hosts[0]!.deactivated, false);
    host.deactivated = true;
    assert.deepEqual((await run(now())).changed[0]!.changes, { deactivated: [false, true] });
    const trail = (await changesOf(world, made['host']!)).map(([action]) => action);
    assert.deepEqual(trail.slice(0, 2), ['host.added', 'host.deactivated']);
    assert.deepEqual(trail.slice(-3), ['host.updated', 'host.activated', 'host.deactivated']);
  });

  test('cannot change an environment or what a key may do, nor name a calendar anew that has a name', async () => {
    await run(now());
    space.environment = 'sandbox';
    space.calendars = [{ ref: 'again', url: CALENDAR }];
    key.scopes = ['spaces:read'];
    await refused(
      now(),
      `hosts[0] (${ref}).keys[0].scopes cannot change: make another key, and revoke this one`,
      `hosts[0] (${ref}).spaces[0].calendars[0].url is that of a calendar which the space has: airbnb`,
      `hosts[0] (${ref}).spaces[0].environment cannot change: it is production`,
    );
  });

  test('cannot say two things about one calendar, by its name and by its id', async () => {
    const made = idsOf((await run(now())).created);
    space.calendars!.push({ ref: made['calendar']!, url: 'http://127.0.0.1:9/other.ics' });
    await refused(
      now(),
      `hosts[0] (${ref}).spaces[0].calendars[1].ref stands for what an entry before it is about`,
    );
  });

  test('names the field that a rule protects: a currency with bookings, a timezone with hours ahead', async () => {
    const done = await run(now());
    const made = idsOf(done.created);
    const body = bookingBody(made['space']!);
    const booked = await world.call('POST', CREATE, { key: done.keys[0]!.key!, body });
    assert.equal(booked.status, 200);
    host.currency = 'USD';
    await refused(
      now(),
      `hosts[0] (${ref}).currency: host ${made['host']} has bookings: its currency can no longer change`,
    );
    host.currency = 'EUR';
    space.timezone = 'Asia/Seoul';
    await assert.rejects(run(now()), {
      message:
        /^hosts\[0\] \(host-\d+\)\.spaces\[0\]\.timezone: the timezone can change only while nothing lies ahead/,
    });
  });

  test('a revoked key counts as there', async () => {
    const { keys } = await run(now());
    await world.ctx.db.transaction((tx) => apiKeys.revoke(tx, world.clock.now(), keys[0]!.id!));
    assert.equal((await run(now())).unchanged, 4);
  });

  describe('with an invitation', () => {
    const claim = async (url: string) => {
      const answer = await world.call('POST', '/console/claim', { body: { token: url.split('#')[1] } });
      assert.equal(answer.status, 200);
      return answer.body.data as unknown as apiKeys.IssuedKey;
    };
    beforeEach(() => {
      key.invite = true;
    });

    test('makes a link instead of a key, and nothing the second time; an export does not have it', async () => {
      const dry = await run(now(), true);
      assert.deepEqual(dry.created.at(-1), { kind: 'key', host: ref, ref: 'pms' });
      assert.deepEqual(dry.invitations, [{ host: ref, ref: 'pms' }]);
      const done = await run(now());
      const made = idsOf(done.created);
      const { url = '', ...link } = done.invitations[0]!;
      assert.match(url, /^http:\/\/127\.0\.0\.1:0\/console\/welcome#[\w-]{43}$/);
      const expires_at = new Date(world.clock.now() + 7 * DAY_MS).toISOString();
      assert.deepEqual([done.keys, link], [[], { host: ref, ref: 'pms', id: made['key'], expires_at }]);
      const again = await run(now());
      assert.deepEqual([again.created, again.unchanged, again.invitations], [[], 4, []]);
      assert.deepEqual((await exportFile(world.ctx, made['host'])).hosts[0]!.keys, []);
    });

    test('the key that the host makes has the name, and counts as there', async () => {
      key.scopes = ['spaces:read'];
      key.expires_at = '2099-01-01T00:00:00Z';
      const [link] = (await run(now())).invitations;
      const issued = await claim(link!.url!);
      assert.deepEqual(
        [issued.id, issued.name, issued.scopes, issued.expires_at],
        [link!.id, 'Their PMS', ['spaces:read'], '2099-01-01T00:00:00.000Z'],
      );
      assert.equal((await run(now())).unchanged, 4);
      key.name = 'Another';
      assert.deepEqual(
        (await run(now())).changed.map(({ id }) => id),
        [issued.id],
      );
    });

    test('leads to a key with all scopes but keys:write, unless that is named', async () => {
      host.keys!.push({ ...key, ref: 'desk', scopes: ['spaces:read', 'keys:write'] });
      const { invitations } = await run(now());
      const issued = await Promise.all(invitations.map(({ url }) => claim(url!)));
      assert.deepEqual(
        issued.map(({ scopes }) => scopes),
        [SCOPES, ['spaces:read', 'keys:write']],
      );
    });

    test('an open one is changed as a key is, and its scopes cannot', async () => {
      const [link] = (await run(now())).invitations;
      key.name = 'Another';
      const { changed } = await run(now());
      const changes = { name: ['Their PMS', 'Another'] };
      assert.deepEqual(changed, [{ ...thing('key', { key: link!.id! }), changes }]);
      key.scopes = ['spaces:read'];
      await refused(
        now(),
        `hosts[0] (${ref}).keys[0].scopes cannot change: make another key, and revoke this one`,
      );
      assert.equal((await claim(link!.url!)).name, 'Another');
    });

    test('one that has expired does not count as there', async (t) => {
      world.clock.restoreAfter(t);
      const first = await run(now());
      world.clock.advance({ hours: 7 * 24 });
      const second = await run(now());
      assert.deepEqual([second.created.length, second.unchanged], [1, 3]);
      assert.notEqual(second.invitations[0]!.id, first.invitations[0]!.id);
    });

    test('a key that is there stays as it is', async () => {
      key.invite = false;
      await run(now());
      key.invite = true;
      assert.equal((await run(now())).unchanged, 4);
    });
  });

  test('the name of a key passes to the one that takes its place', async () => {
    const [pms] = (await run(now())).keys;
    const next = await world.ctx.db.transaction((tx) => rotate(tx, world.clock.now(), operator, pms!.id!, 0));
    assert.equal((await run(now())).unchanged, 4);
    key.name = 'Another';
    assert.deepEqual(
      (await run(now())).changed.map(({ id }) => id),
      [next.id],
    );
  });

  test('a calendar that the host has connected itself is the one with its address', async () => {
    const done = await run(now());
    const made = idsOf(done.created);
    const patch = async (body: object) => {
      const path = `/api-listing-update/api/v1/spaces/${made['space']}`;
      const answer = await world.call('PATCH', path, { key: done.keys[0]!.key, body });
      assert.equal(answer.status, 200);
      return answer.body.data.space.external_calendars.map(({ id }) => id);
    };
    const [id] = await patch({ disconnect_calendar: made['calendar'], connect_calendar: CALENDAR });
    for (const dryRun of [true, false, false]) {
      const { created, changed, unchanged } = await run(now(), dryRun);
      assert.deepEqual([created, changed, unchanged], [[], [], 4]);
    }
    const named = (await calendars.named(world.ctx.db, world.ctx.secrets)).find(
      (calendar) => calendar.id === id,
    );
    assert.equal(named!.ref, 'airbnb');
    space.calendars![0]!.url = 'http://127.0.0.1:9/other.ics';
    assert.deepEqual(
      (await run(now())).changed.map(({ kind, id: changed }) => [kind, changed]),
      [['calendar', id]],
    );
  });

  test('modes in another order are the same', async () => {
    host.settlement_modes = ['platform_settled', 'host_settled'];
    await run(now());
    host.settlement_modes = ['host_settled', 'platform_settled'];
    assert.equal((await run(now())).unchanged, 4);
  });

  test('is what an export prints: by id where there is no name, without secrets; applied, it changes nothing', async () => {
    const hostId = await world.addHost();
    const spaceId = await world.addSpace(hostId);
    const { id: calendarId } = await subscribe(world.ctx, operator, spaceId, CALENDAR);
    const issued = await world.addKey(hostId, { environment: 'sandbox' });
    const revoked = await world.addKey(hostId);
    await world.ctx.db.transaction((tx) => apiKeys.revoke(tx, world.clock.now(), revoked.id));
    const file = await exportFile(world.ctx, hostId);
    const [exported] = file.hosts;
    assert.deepEqual(
      [exported?.ref, exported?.spaces?.[0]?.ref, exported?.spaces?.[0]?.calendars, exported?.keys?.length],
      [hostId, spaceId, [{ ref: calendarId }], 1],
    );
    assert.deepEqual([exported?.keys?.[0]?.ref, exported?.keys?.[0]?.environment], [issued.id, 'sandbox']);
    for (const hidden of ['secret', issued.key]) assert.ok(!JSON.stringify(file).includes(hidden));
    const done = await run(file);
    assert.deepEqual([done.created, done.changed, done.unchanged], [[], [], 4]);
    await run(now());
    const all = await exportFile(world.ctx);
    assert.ok(
      all.hosts.some((entry) => entry.ref === ref && entry.spaces?.[0]?.calendars?.[0]?.ref === 'airbnb'),
    );
    assert.deepEqual((await run(all)).created, []);
    await assert.rejects(exportFile(world.ctx, newId()), { message: /^there is no host / });
  });

  test('an id of another database is a name like any other', async () => {
    host.ref = newId();
    space.ref = newId();
    const made = idsOf((await run(now())).created);
    assert.notEqual(made['host'], host.ref);
    assert.equal((await run(now())).unchanged, 4);
  });

  test('of two at once, one makes all of it', async () => {
    const done = await Promise.all([run(now()), run(now()), run(now())]);
    const made = done.filter(({ created }) => created.length === 4);
    const same = done.filter(({ unchanged }) => unchanged === 4);
    assert.deepEqual([made.length, same.length], [1, 2]);
  });

  test('does not name what is orphaned: that is listed, and stays', async () => {
    const made = idsOf((await run(now())).created);
    host.spaces = [{ ...space, calendars: [] }];
    host.keys = [];
    await run(now());
    const found = (await orphans(world.ctx, now())).filter(({ kind }) => kind !== 'host');
    assert.deepEqual(found, [thing('calendar', made), thing('key', made)]);
    const others = (await orphans(world.ctx, now())).filter(({ kind }) => kind === 'host');
    assert.ok(others.length > 0 && others.every(({ id }) => id !== made['host']));
  });
});
