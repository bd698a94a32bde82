import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { Client } from 'pg';
import { useCalendarServer } from '../../test/support/calendar-server.ts';
import { openDesk } from '../../test/support/booking.ts';
import { onBothEngines, onPostgres } from '../../test/support/engines.ts';
import { filled } from '../../test/support/old-database.ts';
import { operator } from '../../test/support/operator.ts';
import { until } from '../../test/support/until.ts';
import { TEST_SECRET_KEY, startWorld, useWorld, type World } from '../../test/support/world.ts';
import { rotateKey } from '../secret-key/rotate-key.ts';
import { ensureSecretKey } from '../secret-key/secret-key.ts';
import { createSecrets } from '../secrets/secrets.ts';
import { VERSION } from '../version.ts';
import * as calendars from './calendars.ts';
import { subscribe } from '../spaces/update.ts';

interface Row {
  id: string;
  url: string;
  sealed_url: string | null;
}

const rowsOf = (world: World) => world.rows<Row>('select id, url, sealed_url from calendars order by id');

/** What a host reads, as version 0.2.0 makes it of the column url. */
const shownByOldVersion = ({ url }: Row): string => `${new URL(url).host}/…${url.slice(-4)}`;

onBothEngines('the URL of an external calendar', (engine) => {
  const world = useWorld(engine, { SECRET_KEY: TEST_SECRET_KEY });
  const server = useCalendarServer();

  test('is encrypted, and stands nowhere in the database in clear', async () => {
    const desk = await openDesk(world);
    server.serveEvents('10:00-12:00 on 2027-06-02');
    const answer = await world.call('PATCH', `/api-listing-update/api/v1/spaces/${desk.spaceId}`, {
      key: desk.key,
      body: { connect_calendar: server.url },
    });
    const [shown] = answer.body.data.space.external_calendars;
    const [row] = await rowsOf(world);
    assert.equal(shown?.address, `${new URL(server.url).host}/….ics`);
    assert.equal(shownByOldVersion(row!), shown?.address);
    assert.equal(world.ctx.secrets.open(row!.id, row!.sealed_url!), server.url);
    await calendars.pollDue(world.ctx);
    assert.equal(server.requests.at(-1)?.url, new URL(server.url).pathname);
    const [listed] = await calendars.list(world.ctx);
    assert.deepEqual([listed?.status, listed?.url], ['ok', server.url]);
    assert.ok(!JSON.stringify(await everything(world)).includes('secret-token'));
    if (engine.name === 'sqlite') {
      const file = world.databaseUrl.slice('sqlite:'.length);
      for (const name of [file, `${file}-wal`]) assert.ok(!readFileSync(name).includes('secret-token'), name);
    }
  });

  test('is bound to its calendar', async () => {
    const [row] = await rowsOf(world);
    const other = await subscribe(world.ctx, operator, (await openDesk(world)).spaceId, `${server.url}?2`);
    await world.write('update calendars set sealed_url = $1 where id = $2', [row!.sealed_url, other.id]);
    await assert.rejects(calendars.sync(world.ctx, operator, other.id));
    await calendars.remove(world.ctx, operator, other.id);
  });

  test('waits in a process without its key, and is encrypted anew by secret rotate', async (t) => {
    const { ctx } = world;
    const [{ id }] = (await rowsOf(world)) as [Row];
    const withKeys = (secretKey: string, secretKeyOld?: string) => ({
      ...ctx,
      config: { ...ctx.config, secretKey, secretKeyOld },
      secrets: createSecrets(() => secretKey, secretKeyOld),
    });
    const OLD = TEST_SECRET_KEY;
    const NEW = 'a key that comes after the first';
    await ctx.db.migration((tx) => ensureSecretKey(tx, withKeys(OLD).config));
    world.clock.restoreAfter(t);
    world.clock.advance({ minutes: 20 });
    server.requests.length = 0;

    await calendars.pollDue(withKeys(NEW));
    assert.equal(server.requests.length, 0);
    await assert.rejects(calendars.sync(withKeys(NEW), operator, id), {
      message: `the URL of calendar ${id} is encrypted with a key that this process does not have; set SECRET_KEY to that key`,
    });
    const waiting = await world.row<{ failures: number; next: number; lease: string | null }>(
      'select failures, next_poll_at as next, lease_until as lease from calendars where id = $1',
      [id],
    );
    assert.deepEqual([waiting.failures, waiting.next <= world.clock.now(), waiting.lease], [0, true, null]);

    // The webhooks of two desks, and the calendar.
    assert.equal(await rotateKey(withKeys(NEW, OLD), operator), 3);
    await calendars.pollDue(ctx);
    assert.equal(server.requests.length, 0, 'the old key opens it no more');
    await calendars.pollDue(withKeys(NEW));
    assert.equal(server.requests.length, 1);
  });
});

onBothEngines('calendars of a database of 0.2.0', (engine) => {
  test('are encrypted by a step of the worker, which refuses that version from then on', async (t) => {
    const database = await filled(engine, '0004');
    const world = await startWorld({ ...engine, createDatabase: async () => database });
    t.after(() => world.close());
    await world.write("delete from settings where name = 'secret_key_fingerprint'");
    const before = await rowsOf(world);
    assert.equal(before.length, 3);
    assert.equal(await calendars.sealClear(world.ctx), false);
    const after = await rowsOf(world);
    assert.deepEqual(
      after.map((row) => ({ id: row.id, url: world.ctx.secrets.open(row.id, row.sealed_url!) })),
      before.map(({ id, url }) => ({ id, url })),
    );
    assert.deepEqual(after.map(shownByOldVersion), before.map(shownByOldVersion));
    assert.ok(!JSON.stringify(after).includes('4711'));
    const needs = `select oldest from schema_migrations where name like '0005%'`;
    assert.equal((await world.row<{ oldest: string }>(needs)).oldest, VERSION);
  });
});

onPostgres('while a process of version 0.2.0 is connected', (engine) => {
  for (const name of ['hourkeep', 'hourkeep listen'])
    test(`as ${name}, URLs stay in clear; they are encrypted when it has ended`, async (t) => {
      const world = await startWorld({ ...engine, createDatabase: () => engine.createDatabase() });
      const old = new Client({ connectionString: world.databaseUrl, application_name: name });
      t.after(() => old.end());
      t.after(() => world.close());
      await old.connect();
      const { spaceId } = await openDesk(world);
      const url = 'http://127.0.0.1:9/secret-token/a.ics';
      assert.equal(await calendars.sealClear(world.ctx), false);
      const { id } = await subscribe(world.ctx, operator, spaceId, url);
      await calendars.sealClear(world.ctx);
      assert.deepEqual(await rowsOf(world), [{ id, url, sealed_url: null }]);

      await old.end();
      await noSession(world, name);
      await calendars.sealClear(world.ctx);
      const [row] = await rowsOf(world);
      assert.equal(world.ctx.secrets.open(id, row!.sealed_url!), url);
      assert.equal(row!.url, 'http://127.0.0.1:9/….ics');
      await assert.rejects(subscribe(world.ctx, operator, spaceId, url), {
        message: `the space has this calendar already: ${id}`,
      });
    });
});

/** A session is gone a moment after its connection. */
async function noSession(world: World, name: string): Promise<void> {
  const sessions = () =>
    world.rows(
      'select pid from pg_stat_activity where datname = current_database() and application_name = $1',
      [name],
    );
  await until(async () => (await sessions()).length === 0);
}

async function everything(world: World): Promise<unknown[]> {
  const tables = ['calendars', 'audit', 'events', 'deliveries', 'spaces', 'settings'];
  return Promise.all(tables.map((table) => world.rows(`select * from ${table}`)));
}
