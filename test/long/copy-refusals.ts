import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { text } from 'node:stream/consumers';
import { after, afterEach, before, beforeEach, test } from 'node:test';
import { Client } from 'pg';
import { readDemo } from '../support/demo.ts';
import { WEBHOOKS } from '../support/webhooks.ts';
import { freePort } from '../support/cluster.ts';
import { typed } from '../support/command-line.ts';
import { onPostgres, type TestDatabase } from '../support/engines.ts';
import {
  BIN,
  cleanEnvironment,
  makeFolder,
  startProcess,
  type Finished,
  type TestFolder,
} from '../support/process.ts';
import { until } from '../support/until.ts';
import { NOBODY, send } from '../support/world.ts';

onPostgres('hourkeep copy', (engine) => {
  /** A service lived here for a moment: demo data and a subscription. */
  const original = makeFolder();
  let folder: TestFolder;
  let file: string;
  let database: TestDatabase;
  let client: Client;

  before(async () => {
    const service = await startProcess('serve', { DATA_DIR: original.path });
    const demo = readDemo(original.path);
    const body = { url: NOBODY, events: ['booking.created'] };
    await send(service.url, 'POST', WEBHOOKS, { key: demo.keys.production, body });
    await service.end();
  });
  after(() => original.remove());
  beforeEach(async () => {
    folder = makeFolder();
    cpSync(original.path, folder.path, { recursive: true });
    file = join(folder.path, 'hourkeep.db');
    database = await engine.createDatabase();
    client = new Client({ connectionString: database.url });
    await client.connect();
  });
  afterEach(async () => {
    await client.end();
    await database.drop();
    folder.remove();
  });

  const copy = (settings: Record<string, string> = {}, to = database.url): Promise<Finished> =>
    typed(['copy', '--to', to], { DATA_DIR: folder.path, ...settings });
  const assertRefused = async (copying: Promise<Finished>, line: string | RegExp): Promise<void> => {
    const { code, stdout, stderr } = await copying;
    assert.deepEqual([code, stdout], [1, ''], stderr);
    assert.match(stderr, /^hourkeep: [^\n]+\n$/);
    if (typeof line === 'string') assert.equal(stderr, `hourkeep: ${line}\n`);
    else assert.match(stderr, line);
  };
  /** What another session sees. */
  const assertEmpty = async (): Promise<void> => {
    const { rows } = await client.query(
      `select relname from pg_class where relnamespace = 'public'::regnamespace
       union all select proname from pg_proc where pronamespace = 'public'::regnamespace`,
    );
    assert.deepEqual(rows, []);
  };
  const onFile = (statement: string): void => {
    const db = new DatabaseSync(file);
    db.exec(statement);
    db.close();
  };

  test('refuses a file that is being served, and one that is not there', async () => {
    const service = await startProcess('serve', { DATA_DIR: folder.path });
    const taken = copy();
    await assertRefused(taken, /^hourkeep: another process is serving .*hourkeep\.db; stop it first/);
    await service.end();
    const empty = makeFolder();
    await assertRefused(copy({ DATA_DIR: empty.path }), /^hourkeep: there is no database at /);
    assert.deepEqual(readdirSync(empty.path), []);
    empty.remove();
    await assertEmpty();
  });

  test('refuses a database that is PostgreSQL’s already', async () => {
    await assertRefused(
      copy({ DATABASE_URL: database.url }),
      'DATABASE_URL names PostgreSQL, and copy reads an SQLite file; set DATABASE_URL to sqlite:<path>, or only DATA_DIR',
    );
  });

  test('refuses a --to that names no PostgreSQL, or several, and does not repeat it', async () => {
    for (const to of ['mysql://root:geheim@db/x', 'postgres://a:geheim@one:5432,two:5432/c'])
      await assertRefused(
        copy({}, to),
        '--to must be postgres://user:password@host:port/database, of one server',
      );
  });

  test('refuses a server that cannot be reached, and a database that it does not know', async () => {
    const nobody = `postgres://hk:geheim@127.0.0.1:${await freePort()}/hk`;
    await assertRefused(
      copy({}, nobody),
      /^hourkeep: PostgreSQL at 127\.0\.0\.1:\d+: connect ECONNREFUSED .*; start PostgreSQL, or correct host and port in --to; nothing was copied\n$/,
    );
    await assertRefused(
      copy({}, `${database.url}_not`),
      /does not exist; create it, or correct its name in --to/,
    );
  });

  test('refuses a database with anything in it, and leaves that alone', async () => {
    await client.query('create schema other');
    for (const [made, drop] of [
      ['table theirs (id int)', 'table theirs'],
      ['table other.theirs (id int)', 'table other.theirs'],
      ['view theirs as select 1 as one', 'view theirs'],
      ['sequence theirs', 'sequence theirs'],
      ["function theirs() returns int language sql as 'select 1'", 'function theirs'],
      ["type theirs as enum ('one')", 'type theirs'],
    ]) {
      await client.query(`create ${made}`);
      await assertRefused(
        copy(),
        /^hourkeep: the database \w+ is not empty: it has \w+\.theirs; copy into a new one\n$/,
      );
      await client.query(`drop ${drop}`);
    }
    await assertEmpty();
  });

  test('refuses a migrated database, even one without rows', async () => {
    const { code } = await typed(['migrate'], { DATABASE_URL: database.url });
    assert.equal(code, 0);
    await assertRefused(copy(), /is not empty: it has public\.\w+ and \d+ more; copy into a new one\n$/);
    assert.deepEqual((await client.query('select from hosts')).rows, []);
  });

  test('refuses a database that is not in UTF-8', async () => {
    const name = new URL(database.url).pathname.slice(1);
    const url = new URL(database.url);
    await client.query(`create database ${name}_latin template template0 encoding 'LATIN1' locale 'C'`);
    url.pathname = `/${name}_latin`;
    await assertRefused(copy({}, url.href), `the database ${name}_latin is in LATIN1; create one in UTF8`);
    await client.query(`drop database ${name}_latin with (force)`);
  });

  test('refuses a file with an older or a newer schema', async () => {
    onFile('create table kept as select * from schema_migrations; delete from schema_migrations');
    await assertRefused(
      copy(),
      /^hourkeep: the file’s schema is not up to date \(0001_.*\); run "hourkeep migrate" first\n$/,
    );
    onFile(`insert into schema_migrations select * from kept;
      delete from kept where name not like '0001%'; update kept set name = '9999_later.sql';
      insert into schema_migrations select * from kept`);
    await assertRefused(
      copy(),
      'the file was migrated by a newer Hourkeep (9999_later.sql); copy with that version',
    );
    await assertEmpty();
  });

  test('refuses what is no database of ours, and does not touch it', async () => {
    const other = join(folder.path, 'other.db');
    const theirs = new DatabaseSync(other);
    theirs.exec('create table theirs (id int)');
    theirs.close();
    const contents = {
      [other]: /has no tables of Hourkeep/,
      [join(folder.path, 'text.db')]: /not a database/,
    };
    writeFileSync(join(folder.path, 'text.db'), 'a letter to my aunt'.repeat(100));
    for (const [path, why] of Object.entries(contents)) {
      const bytes = readFileSync(path);
      await assertRefused(copy({ DATABASE_URL: `sqlite:${path}` }), why);
      assert.deepEqual(readFileSync(path), bytes);
    }
  });

  test('refuses a key that is not the file’s, and a missing one', async () => {
    await assertRefused(
      copy({ SECRET_KEY: 'a key of somebody else' }),
      /^hourkeep: SECRET_KEY is not the key of this database/,
    );
    rmSync(join(folder.path, 'secret.key'));
    await assertRefused(copy(), /secret\.key is missing/);
    await assertEmpty();
  });

  test('says in the end what was copied, which key is needed and what to do next', async () => {
    const { code, stdout, stderr } = await copy();
    assert.deepEqual([code, stderr], [0, '']);
    assert.match(
      stdout,
      /^TABLE +ROWS +HASH\n(?:\w+ +\d+ +[0-9a-f]+\n)+\nCopied \d+ rows in [\d.]+ s; both /,
    );
    assert.match(
      stdout,
      /same secret key: use this DATA_DIR, or set SECRET_KEY to what .*secret\.key holds\.\n/,
    );
    assert.ok(stdout.includes(`\nNext: DATABASE_URL=${database.url} hourkeep serve\n`), stdout);
  });

  /**
   * The database's owner meddles with a table as soon as it is made. The functions are in pg_catalog, so the database
   * counts as empty.
   */
  const meddle = async (body: string): Promise<void> => {
    await client.query(`
      create function pg_catalog.hk_meddle() returns trigger language plpgsql as $$ begin ${body} end $$;
      create function pg_catalog.hk_made() returns event_trigger language plpgsql as $$ begin
        if exists (select from pg_event_trigger_ddl_commands() where object_identity = 'public.bookings') then
          create trigger meddle before insert on bookings for each row execute function hk_meddle();
        end if;
      end $$;
      create event trigger hk_made on ddl_command_end when tag in ('CREATE TABLE') execute function hk_made()`);
  };

  const MEDDLED: [what: string, body: string, line: RegExp][] = [
    [
      'PostgreSQL holds a value otherwise',
      "new.guest_name := new.guest_name || ' '; return new;",
      /^hourkeep: table bookings is not the same: (\d+) rows with the hash \w+ in the file, \1 rows with the hash \w+ in PostgreSQL; nothing was copied\n$/,
    ],
    [
      'PostgreSQL refuses a row',
      "raise exception 'no more rooms';",
      /^hourkeep: PostgreSQL at \S+: table bookings: no more rooms; nothing was copied\n$/,
    ],
  ];
  for (const [what, body, line] of MEDDLED)
    test(`undoes everything where ${what}`, async () => {
      await meddle(body);
      await assertRefused(copy(), line);
      await assertEmpty();
    });

  /** In the middle of the bookings, and waits there. */
  async function startCopyThatWaits() {
    await meddle('perform pg_advisory_xact_lock(4711); return new;');
    await client.query('select pg_advisory_lock(4711)');
    const env = cleanEnvironment({ DATA_DIR: folder.path });
    const child = spawn(BIN, ['copy', '--to', database.url], { env });
    const ended = Promise.all([once(child, 'close'), text(child.stderr)]).then(
      ([[code], stderr]): Finished => ({ code, stdout: '', stderr }),
    );
    let pid = 0;
    await until(async () => {
      const { rows } = await client.query(
        "select pid from pg_stat_activity where datname = current_database() and query like 'copy bookings%'",
      );
      pid = rows[0]?.pid ?? 0;
      return pid !== 0;
    });
    return { pid, child, ended };
  }
  const backendGone = (pid: number): Promise<void> =>
    until(
      async () =>
        (await client.query('select from pg_stat_activity where pid = $1', [pid])).rows.length === 0,
    );

  test('undoes everything when its connection is cut', async () => {
    const { pid, ended } = await startCopyThatWaits();
    await client.query('select pg_terminate_backend($1)', [pid]);
    await assertRefused(ended, /^hourkeep: PostgreSQL at \S+: .*; nothing was copied\n$/);
    await backendGone(pid);
    await assertEmpty();
  });

  test('leaves the database empty and the file fit for service when it is killed', async () => {
    const { pid, child, ended } = await startCopyThatWaits();
    child.kill('SIGKILL');
    await ended;
    await assertEmpty();
    await client.query('select pg_advisory_unlock_all()');
    await backendGone(pid);
    await assertEmpty();
    await (await startProcess('serve', { DATA_DIR: folder.path })).end();
  });

  test('lets nobody serve the file or write to it meanwhile', async () => {
    const { ended } = await startCopyThatWaits();
    await assert.rejects(startProcess('serve', { DATA_DIR: folder.path }), /another process is serving/);
    const host = '--name Late --email late@example.com --timezone UTC --currency USD'.split(' ');
    const late = await typed(['host', 'add', ...host], { DATA_DIR: folder.path });
    assert.deepEqual([late.code, late.stdout], [1, '']);
    assert.match(late.stderr, /^hourkeep: [^\n]+\n$/);
    await client.query('select pg_advisory_unlock_all()');
    assert.equal((await ended).code, 0);
    assert.ok((await client.query('select from hosts')).rows.length > 0);
  });
});
