import assert from 'node:assert/strict';
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { openContext } from '../../test/support/context.ts';
import { openDesk } from '../../test/support/booking.ts';
import { onBothEngines, type Engine } from '../../test/support/engines.ts';
import { hourkeep, makeFolder } from '../../test/support/process.ts';
import { useWorld } from '../../test/support/world.ts';
import { write } from '../db/database.ts';
import { migrate } from '../db/migrate.ts';
import { newId } from '../ids/uuid.ts';
import { ensureSecretKey } from '../secret-key/secret-key.ts';
import { createSecrets, type Secrets } from '../secrets/secrets.ts';
import { HOUR_MS } from '../time/units.ts';
import { VERSION } from '../version.ts';
import { loopsFor } from '../worker/tasks.ts';
import { examine } from './doctor.ts';

const recordedAt = write(`update settings set value = $1 where name = 'backed_up_at'`);
const SECRET_KEY = 'the key of this database';
const CHECKS = 'settings database schema clock disk secret worker backlog calendars backup'.split(' ');

onBothEngines('doctor', (engine) => {
  const world = useWorld(engine, { SECRET_KEY });
  let settings: Record<string, string>;
  before(async () => {
    settings = { DATABASE_URL: world.databaseUrl, SECRET_KEY };
    await world.ctx.db.transaction((tx) => ensureSecretKey(tx, world.ctx.config));
    for (const { name } of loopsFor(world.ctx.config))
      await world.write('insert into worker_runs (task, last_run_at) values ($1, $2)', [name, Date.now()]);
  });
  const check = async (name: string, more: Record<string, string> = {}) => {
    const found = await examine({ ...settings, ...more });
    const { check: _, ...finding } = found.find((each) => each.check === name)!;
    return finding;
  };
  const finds = async (name: string, status: string, message: RegExp, more: Record<string, string> = {}) => {
    const found = await check(name, more);
    assert.equal(found.status, status);
    assert.match(found.message, message);
  };
  const ago = (ms: number) => world.write('update worker_runs set last_run_at = $1', [Date.now() - ms]);

  test('finds a healthy service well, in ten lines', async () => {
    const found = await examine(settings);
    assert.deepEqual(
      found.map((each) => each.check),
      CHECKS,
    );
    assert.deepEqual(
      found.filter(({ status }) => status !== 'ok'),
      [],
    );
  });

  test('fails for a key that is not the database’s', async () => {
    const message = /SECRET_KEY is not the key of this database/;
    await finds('secret', 'fail', message, { SECRET_KEY: 'a key of somebody else' });
  });

  test('fails for webhook secrets that are encrypted with a key the database had before, and rotating mends it', async () => {
    const hostId = await world.addHost();
    const before = 'the key it had before';
    const [own, former] = [SECRET_KEY, before].map((key) => createSecrets(() => key)) as [Secrets, Secrets];
    const add = async (sealing: Secrets, until: number) => {
      const id = newId();
      const old = [{ secret: former.seal(id, 'whsec_old'), until }];
      await world.write(
        `insert into webhooks (host_id, id, environment, url, events, is_active, secret, old_secrets, created_at, updated_at)
         values ($1, $2, 'production', 'https://example.com', 'booking.created', 1, $3, $4, 0, 0)`,
        [hostId, id, sealing.seal(id, 'whsec_new'), JSON.stringify(old)],
      );
    };
    await add(former, 0);
    await add(own, Date.now() + HOUR_MS);
    // Its old secret does not sign any more.
    await add(own, 0);

    assert.deepEqual(await check('secret'), {
      status: 'fail',
      message:
        '2 webhooks and calendars wait: their secrets are encrypted with a key that this database had before; run hourkeep secret rotate with that key as SECRET_KEY_OLD',
    });
    const ended = await hourkeep(['secret', 'rotate'], { ...settings, SECRET_KEY_OLD: before });
    assert.deepEqual([ended.code, ended.stderr], [0, '']);
    assert.equal((await check('secret')).status, 'ok');
  });

  test('fails when no worker has run for minutes, and warns of a task that stands still', async () => {
    await world.write("update worker_runs set last_run_at = $1 where task = 'complete-bookings'", [1]);
    assert.match((await check('worker')).message, /^complete-bookings did not end well lately/);
    await ago(29_000);
    assert.equal((await check('worker')).status, 'ok');
    await ago(31_000);
    await finds(
      'worker',
      'warn',
      /^the last step was 3[1-9] s ago; start hourkeep serve or hourkeep worker$/,
    );
    await ago(5 * 60_000);
    const message = 'the last step was 5 min ago; start hourkeep serve or hourkeep worker';
    assert.deepEqual(await check('worker'), { status: 'fail', message });
    await ago(0);
  });

  test('fails for deliveries that nobody has tried for long, and only counts those of failing receivers', async () => {
    const { hostId } = await openDesk(world);
    const { id: webhookId } = await world.row<{ id: string }>('select id from webhooks where host_id = $1', [
      hostId,
    ]);
    await world.write('update webhooks set has_pending = 1 where id = $1', [webhookId]);
    const eventId = newId();
    await world.write(
      `insert into events (host_id, id, environment, type, data, created_at)
       values ($1, $2, 'production', 'booking.created', '{}', $3)`,
      [hostId, eventId, Date.now() - HOUR_MS],
    );
    await world.write(
      "insert into deliveries (host_id, webhook_id, event_id, status, attempts, due_at) values ($1, $2, $3, 'pending', 0, 0)",
      [hostId, webhookId, eventId],
    );
    const waits = /^1 deliveries not tried yet, 0 at receivers that fail; the oldest waits for 60 min/;
    await finds('backlog', 'fail', waits);
    await world.write('update webhooks set failing_since = 1 where id = $1', [webhookId]);
    const behind = '0 deliveries not tried yet, 1 at receivers that fail';
    assert.deepEqual(await check('backlog'), { status: 'ok', message: behind });
  });

  test('warns of bookings without a backup, and of one that is older than two days', async () => {
    assert.deepEqual(await check('backup'), { status: 'ok', message: 'none yet, and no bookings to lose' });
    await (await openDesk(world)).book();
    const make =
      engine.name === 'sqlite'
        ? 'run hourkeep backup FILE every day'
        : 'run pg_dump every day, and hourkeep backup --record after it';
    const none = `there are bookings and no backup; ${make}`;
    assert.deepEqual(await check('backup'), { status: 'warn', message: none });
    const recorded = await hourkeep(['backup', '--record', '--json'], settings);
    assert.deepEqual([recorded.code, recorded.stderr], [0, '']);
    assert.deepEqual(Object.keys(JSON.parse(recorded.stdout)), ['recorded_at']);
    assert.equal((await check('backup')).status, 'ok');
    const twoDaysAgo = (hours: number) =>
      world.ctx.db.once(recordedAt, [String(Date.now() - hours * HOUR_MS)]);
    await twoDaysAgo(47);
    assert.deepEqual(await check('backup'), { status: 'ok', message: 'the last one is 47 h old' });
    await twoDaysAgo(49);
    assert.deepEqual(await check('backup'), { status: 'warn', message: `the last one is 49 h old; ${make}` });
  });

  test('warns of a setting that is nearly one, and of nothing else in the environment', async () => {
    const message = /; DATABSE_URL is not a setting; did you mean DATABASE_URL\?$/;
    await finds('settings', 'warn', message, { DATABSE_URL: 'x', PGHOST: 'x', EDITOR: 'vi' });
    assert.equal((await check('settings', { PGHOST: 'x', HOME: '/', DATABSE_URL: '' })).status, 'ok');
  });

  test('warns of calendars that fail', async () => {
    const { hostId, spaceId } = await openDesk(world);
    await world.write(
      `insert into calendars (host_id, environment, space_id, id, url, failures, next_poll_at, created_at)
       values ($1, 'production', $2, $3, 'https://example.com/c.ics', 2, 0, 0)`,
      [hostId, spaceId, newId()],
    );
    const message = '1 not read at the last try; hourkeep calendar list tells why';
    assert.deepEqual(await check('calendars'), { status: 'warn', message });
  });

  if (engine.name === 'postgres')
    for (const [seconds, side] of [
      [-6, 'behind'],
      [6, 'ahead of'],
    ] as const)
      test(`fails for a clock that is six seconds ${side} PostgreSQL’s`, async () => {
        const found = await examine(settings, () => Date.now() + seconds * 1000);
        const { status, message } = found.find((each) => each.check === 'clock')!;
        assert.equal(status, 'fail');
        assert.match(
          message,
          new RegExp(`^this machine’s clock is [56]\\.\\d s ${side} PostgreSQL’s; set both`),
        );
      });

  test('warns of a clock that was set back', async () => {
    await world.write(`
      insert into audit (host_id, at, actor_type, actor_id, action, subject)
      select id, ${Date.now() + HOUR_MS}, 'clock', 'x', 'x', 'x' from hosts limit 1`);
    await finds('clock', 'warn', /^the last change is of .*, in the future/);
  });

  test('knows the migrations of a newer version, and whether this one can run on them', async () => {
    const migrated = `insert into schema_migrations (name, oldest, applied_at) values ('9999_future.sql', $1, 0)`;
    const forgotten = `delete from schema_migrations where name = '9999_future.sql'`;
    await world.write(migrated, [VERSION]);
    const message = `a newer Hourkeep has added 9999_future.sql, and ${VERSION} can run on it`;
    assert.deepEqual(await check('schema'), { status: 'ok', message });
    await world.write(forgotten);
    await world.write(migrated, ['99.0.0']);
    assert.deepEqual(await check('schema'), {
      status: 'fail',
      message: `this is Hourkeep ${VERSION}, and the database needs 99.0.0 or newer (since 9999_future.sql); run that version`,
    });
    await world.write(forgotten);
  });

  test('names what is not applied yet, and which versions go on with it', async () => {
    const name = `0001_schema.${engine.name}.sql`;
    await world.write('update schema_migrations set name = $1 where name = $2', ['0000_other.sql', name]);
    const message = `${name} not applied yet; run: hourkeep migrate (processes of 0.1.0 and newer go on with it)`;
    assert.deepEqual(await check('schema'), { status: 'fail', message });
    await world.write('update schema_migrations set name = $1 where name = $2', [name, '0000_other.sql']);
  });

  test('asks for SECRET_KEY and PUBLIC_URL in production', async () => {
    const production = { NODE_ENV: 'production' };
    assert.equal((await check('settings', { ...production, SECRET_KEY: '' })).status, 'fail');
    assert.match((await check('settings', production)).message, /set PUBLIC_URL/);
  });
});

onBothEngines('doctor, of a database without tables', (engine: Engine) => {
  test('fails for the schema, and creates nothing', async () => {
    const database = await engine.createDatabase();
    if (engine.name === 'sqlite') writeFileSync(database.url.replace('sqlite:', ''), '');
    const found = await examine({ DATABASE_URL: database.url, SECRET_KEY });
    const failed = found.filter(({ status }) => status === 'fail').map((each) => each.check);
    assert.deepEqual(failed, [engine.name === 'sqlite' ? 'database' : 'schema']);
    const ctx = openContext({ DATABASE_URL: database.url });
    const { applied } = await migrate(ctx.db, ctx.clock);
    assert.equal(applied[0]!.name, `0001_schema.${engine.name}.sql`);
    await ctx.db.close();
    await database.drop();
  });
});

describe('doctor, of what is not there', () => {
  const folder = makeFolder();
  after(() => folder.remove());

  test('tells it in ten lines, exits with 1, and leaves the folder empty', async () => {
    const ended = await hourkeep(['doctor', '--json'], { DATA_DIR: folder.path });
    assert.equal(ended.code, 1);
    assert.equal(ended.stderr, 'hourkeep: 1 of 10 checks failed\n');
    const found = JSON.parse(ended.stdout);
    assert.deepEqual(
      found.map((each: { check: string }) => each.check),
      CHECKS,
    );
    const where = join(folder.path, 'hourkeep.db');
    assert.deepEqual(found[1], {
      check: 'database',
      status: 'fail',
      message: `there is no database at ${where}; set DATA_DIR or DATABASE_URL to where it is`,
    });
    assert.deepEqual(readdirSync(folder.path), []);
  });

  test('answers when PostgreSQL is away, and when the settings make no sense', async () => {
    const away = await examine({ DATABASE_URL: 'postgres://u:geheim@127.0.0.1:1/db', DATA_DIR: folder.path });
    assert.equal(away[1]?.status, 'fail');
    assert.match(away[1].message, /^PostgreSQL at 127\.0\.0\.1:1: .*ECONNREFUSED.*; start PostgreSQL/);
    assert.equal(JSON.stringify(away).includes('geheim'), false);
    const senseless = await examine({ PORT: 'ninety', DATA_DIR: folder.path });
    assert.equal(senseless.length, CHECKS.length);
    assert.match(senseless[0]!.message, /^PORT must be a whole number/);
  });
});
