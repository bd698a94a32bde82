import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, afterEach, before, beforeEach, describe, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { Client } from 'pg';
import { TestClock } from '../../test/support/clock.ts';
import { onBothEngines, onPostgres, type Engine, type TestDatabase } from '../../test/support/engines.ts';
import { openDesk } from '../../test/support/booking.ts';
import { makeFolder } from '../../test/support/process.ts';
import { until } from '../../test/support/until.ts';
import { useWorld } from '../../test/support/world.ts';
import { readConfig } from '../config.ts';
import { createLogger } from '../log.ts';
import { isOlder, VERSION } from '../version.ts';
import { read, type Db } from './database.ts';
import { migrate, readMigrations } from './migrate.ts';
import { openDatabase } from './open.ts';

const names = read<{ name: string }>('select name from schema_migrations order by name');
const marks = read<{ n: number }>('select n from marks order by n');

/** A database, and a folder for migrations of the test's own. */
function useBench(engine: Engine) {
  const bench = {} as { db: Db; url: string };
  let database: TestDatabase;
  const { path, remove } = makeFolder();
  const folder = pathToFileURL(`${path}/`);
  before(async () => {
    database = await engine.createDatabase();
    bench.url = database.url;
    bench.db = open();
  });
  after(async () => {
    await bench.db.close();
    await database.drop();
    remove();
  });
  const open = (): Db => openDatabase(readConfig({ DATABASE_URL: database.url }), createLogger('silent'));
  return Object.assign(bench, {
    open,
    put: (name: string, ...lines: string[]) =>
      writeFileSync(join(path, name), `-- oldest: 0.1.0\n${lines.join('\n')}\n`),
    putText: (name: string, text: string) => writeFileSync(join(path, name), text),
    run: async (onWait?: (why: string) => void, db = bench.db) => {
      const { applied } = await migrate(db, new TestClock(), { folder, ...(onWait && { onWait }) });
      return applied.map(({ name }) => name);
    },
  });
}

describe('versions', () => {
  test('are compared by their three numbers', () => {
    assert.equal(isOlder('0.1.0', '0.1.0'), false);
    assert.equal(isOlder('0.9.9', '0.10.0'), true);
    assert.equal(isOlder('1.0.0', '0.10.0'), false);
    assert.equal(isOlder('0.2.0-rc.1', '0.2.0'), false);
  });
});

onBothEngines('the migrations of this version', (engine) => {
  const world = useWorld(engine);

  test('leave those of the other engine out', async () => {
    const applied = await world.rows<{ name: string }>('select name from schema_migrations order by name');
    assert.equal(applied[0]?.name, `0001_schema.${engine.name}.sql`);
    const other = engine.name === 'sqlite' ? '.postgres.sql' : '.sqlite.sql';
    assert.deepEqual(
      applied.filter(({ name }) => name.endsWith(other)),
      [],
    );
  });

  test('say the oldest version that can run on them, which is none to come', async () => {
    const said = readMigrations(engine.name).map(({ name, oldest }) => ({ name, oldest }));
    const kept = await world.rows<{ name: string; oldest: string }>(
      'select name, oldest from schema_migrations order by name',
    );
    // A start raises that of 0005 once URLs of calendars are encrypted (calendars/urls.ts).
    const raised = kept.map(({ name, oldest }) =>
      name.startsWith('0005') ? { name, oldest: '0.1.0' } : { name, oldest },
    );
    assert.deepEqual(raised, said);
    assert.deepEqual(
      said.filter(({ oldest }) => isOlder(VERSION, oldest)),
      [],
    );
  });
});

test('no migration changes a column’s type on PostgreSQL: it would rewrite rows, and statements prepared before would fail', () => {
  const changing = readMigrations('postgres').filter(({ text }) =>
    /alter\s+column\s+\S+\s+(?:set\s+data\s+)?type\b/i.test(text),
  );
  assert.deepEqual(changing, []);
});

onBothEngines('a database that a newer version has migrated', (engine) => {
  const world = useWorld(engine);
  const migrated = (oldest: string) =>
    world.write(
      `insert into schema_migrations (name, oldest, applied_at) values ('9999_future.sql', $1, 0)`,
      [oldest],
    );
  afterEach(() => world.write(`delete from schema_migrations where name = '9999_future.sql'`));

  test('serves on and starts again where this version can run on it', async () => {
    const desk = await openDesk(world);
    await migrated(VERSION);
    assert.equal((await world.call('GET', '/readyz')).status, 200);
    assert.equal((await desk.book()).status, 200);
    assert.deepEqual((await migrate(world.ctx.db, world.clock)).applied, []);
  });

  test('refuses the start of a version that is too old, in one line', async () => {
    await migrated('99.0.0');
    await assert.rejects(migrate(world.ctx.db, world.clock), {
      name: 'OperatorError',
      message: `this is Hourkeep ${VERSION}, and the database needs 99.0.0 or newer (since 9999_future.sql); run that version`,
    });
  });
});

onBothEngines('a process that is too old for its database', (engine) => {
  const world = useWorld(engine);
  const reason = `this is Hourkeep ${VERSION}, and the database needs 99.0.0 or newer (since 9999_contract.sql)`;

  test('finds it out by the first statement that fails, and answers 503 instead of 500', async () => {
    const desk = await openDesk(world);
    await world.ctx.db.migration(async (tx) => {
      await tx.script('alter table bookings rename to rentals');
      await tx.script(
        `insert into schema_migrations (name, oldest, applied_at) values ('9999_contract.sql', '99.0.0', 0)`,
      );
    });
    const answer = await desk.book();
    assert.equal(answer.status, 503, answer.text);
    assert.equal(answer.body.error.code, 'SERVICE_UNAVAILABLE');
    assert.equal(answer.body.error.message, 'The service is temporarily unavailable; retry shortly');
    assert.equal(answer.headers.get('retry-after'), '1');
  });

  test('says why on /readyz', async () => {
    const answer = await world.call('GET', '/readyz');
    assert.equal(answer.status, 503);
    assert.equal(answer.body.error.message, reason);
    assert.deepEqual(answer.body.error.details, { reason: 'schema' });
    assert.equal((await world.call('GET', '/healthz')).status, 200);
  });

  test('refuses requests before it looks at anything, a wrong key too', async () => {
    const answer = await world.call('GET', '/api-listings/api/v1/spaces', { key: 'nobody' });
    assert.equal(answer.status, 503);
  });
});

onBothEngines('a concurrent migration', (engine) => {
  const bench = useBench(engine);
  const indexes = async (): Promise<string[]> => {
    const text =
      engine.name === 'sqlite'
        ? `select name from sqlite_schema where type = 'index' and tbl_name = 'marks'`
        : `select c.relname as name from pg_index i join pg_class c on c.oid = i.indexrelid
           where i.indrelid = 'marks'::regclass and i.indisvalid and not i.indisprimary`;
    return (await bench.db.all(read<{ name: string }>(text, ''))).map(({ name }) => name).sort();
  };

  test('makes its indexes with the rest of the schema in a new database', async () => {
    bench.put('0001_marks.sql', 'create table marks (n integer primary key, word text);');
    bench.put('0002_words.concurrently.sql', 'create index concurrently marks_by_word on marks (word);');
    assert.deepEqual(await bench.run(), ['0001_marks.sql', '0002_words.concurrently.sql']);
    assert.deepEqual(await indexes(), ['marks_by_word']);
  });

  test('makes and drops indexes of a table that is there', async () => {
    bench.put(
      '0003_more.concurrently.sql',
      '-- Two steps; one line each.',
      'create unique index concurrently marks_by_both on marks (word, n);',
      'drop index concurrently if exists marks_by_word;',
    );
    bench.put('0004_marks.sql', 'alter table marks add column seen integer;');
    assert.deepEqual(await bench.run(), ['0003_more.concurrently.sql', '0004_marks.sql']);
    assert.deepEqual(await indexes(), ['marks_by_both']);
    assert.deepEqual(await bench.run(), []);
  });

  if (engine.name === 'postgres')
    test('with anything else in it is refused', async () => {
      bench.put('0005_wrong.concurrently.sql', 'alter table marks drop column seen;');
      await assert.rejects(bench.run(), /0005_wrong\.concurrently\.sql: only "create index concurrently"/);
    });

  test('or any other without its oldest version is refused', async () => {
    bench.putText('0005_wrong.concurrently.sql', 'create index concurrently x on marks (n);\n');
    await assert.rejects(bench.run(), /0005_wrong\.concurrently\.sql must begin with "-- oldest: "/);
  });
});

onPostgres('migrations beside open transactions', (engine) => {
  const bench = useBench(engine);
  let other: Client;
  /** Its own: inside a transaction the list of what others do stands still. */
  let watcher: Client;
  before(async () => {
    bench.put('0001_marks.sql', 'create table marks (n integer primary key, word text);');
    await bench.run();
  });
  beforeEach(async () => {
    [other, watcher] = [1, 2].map(() => new Client({ connectionString: bench.url })) as [Client, Client];
    await Promise.all([other.connect(), watcher.connect()]);
  });
  afterEach(() => Promise.all([other.end(), watcher.end()]));

  test('give way to one that holds their table, so that others do not wait behind them', async () => {
    await other.query('begin; select n from marks');
    bench.put('0002_seen.sql', 'alter table marks add column seen integer;');
    const waits: string[] = [];
    const migrated = bench.run((why) => waits.push(why));
    await until(() => waits.length > 0);
    assert.match(
      waits[0]!,
      /^a migration needs a table that an open transaction holds .*; the next try is in 1 s$/,
    );
    assert.deepEqual(await bench.db.all(marks), []);
    await other.query('commit');
    assert.deepEqual(await migrated, ['0002_seen.sql']);
  });

  test('build an index while others write, and start processes that do not need it', async () => {
    // An open transaction that has written: the build waits for its end.
    await other.query('begin; insert into marks (n) values (1)');
    bench.put('0003_words.concurrently.sql', 'create index concurrently marks_by_word on marks (word);');
    const first = bench.run();
    await until(async () => (await isBuilding(watcher)) === 1);
    const db = bench.open();
    const second = bench.run(undefined, db);
    await bench.db.transaction((tx) =>
      tx.run({ text: 'insert into marks (n) values (2)', name: '', writes: true }),
    );
    // Another process of a version without this migration.
    await bench.db.migration((tx) => tx.all(names));
    await other.query('commit');
    const built = [await first, await second];
    assert.deepEqual(built.flat(), ['0003_words.concurrently.sql']);
    await db.close();
  });

  test('build an index anew that was left unfinished', async () => {
    await other.query('begin; insert into marks (n) values (3)');
    bench.put('0004_again.concurrently.sql', 'create index concurrently marks_by_seen on marks (seen);');
    const interrupted = assert.rejects(bench.run(), /terminating connection/);
    await until(async () => (await isBuilding(watcher)) === 1);
    await watcher.query(`select pg_terminate_backend(pid) from pg_stat_activity where ${BUILDING}`);
    await interrupted;
    await other.query('commit');
    const isValid = `select indisvalid from pg_index where indexrelid = 'marks_by_seen'::regclass`;
    assert.deepEqual((await other.query(isValid)).rows, [{ indisvalid: false }]);
    assert.deepEqual(await bench.run(), ['0004_again.concurrently.sql']);
    assert.deepEqual((await other.query(isValid)).rows, [{ indisvalid: true }]);
  });

  test('leave nothing of one that was killed in the middle, and the next run resumes with it', async () => {
    bench.put('0005_before.sql', 'create table kept (n integer);');
    bench.put('0006_long.sql', 'create table half_done (n integer); select pg_sleep(60);');
    const killed = assert.rejects(bench.run(), /terminating connection/);
    const sleeping = `datname = current_database() and pid <> pg_backend_pid() and query like '%half_done%'`;
    const isThere = async () =>
      (
        await watcher.query(
          `select to_regclass('kept') is not null as kept, to_regclass('half_done') as half`,
        )
      ).rows[0];
    await until(async () => (await isThere()).kept);
    await until(
      async () =>
        (await watcher.query(`select pg_terminate_backend(pid) from pg_stat_activity where ${sleeping}`))
          .rowCount === 1,
    );
    await killed;
    assert.deepEqual(await isThere(), { kept: true, half: null });
    bench.put('0006_long.sql', 'create table half_done (n integer);');
    assert.deepEqual(await bench.run(), ['0006_long.sql']);
  });
});

const BUILDING = `datname = current_database() and application_name = 'hourkeep migrate'
  and query like 'create index concurrently%' and wait_event_type = 'Lock'`;

async function isBuilding(client: Client): Promise<number> {
  const text = `select count(*)::int as count from pg_stat_activity where ${BUILDING}`;
  return (await client.query<{ count: number }>(text)).rows[0]!.count;
}
