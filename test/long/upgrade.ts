import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { after, before, test } from 'node:test';
import { Client } from 'pg';
import type { DemoFile } from '../../src/demo/demo.ts';
import { VERSION } from '../../src/version.ts';
import { askAt, bookAndLook, keepAsking, readDemo } from '../support/demo.ts';
import { onPostgres, type TestDatabase } from '../support/engines.ts';
import { makeVersion, type OtherVersion } from '../support/other-version.ts';
import { hourkeep, makeFolder, startProcess, type Running } from '../support/process.ts';
import { query } from '../support/query.ts';
import { until } from '../support/until.ts';

// An old and a new process on one PostgreSQL, while the new one migrates and clients keep asking both.

/** What the old version can live with: new columns and an index. */
const EXPAND = {
  '0002_notes.sql': `-- oldest: ${VERSION}
    alter table bookings add column note text;
    alter table api_keys add column note text;
    alter table rate_windows add column note text;`,
  '0003_notes.concurrently.sql': `-- oldest: ${VERSION}
    create index concurrently bookings_by_note on bookings (note, guest_name, id);`,
};
const SECOND_INDEX = {
  '0004_again.concurrently.sql': `-- oldest: ${VERSION}
    create index concurrently bookings_by_note_again on bookings (note, guest_email, id);`,
};
/** What it cannot. */
const CONTRACT = {
  '0005_rename.sql': '-- oldest: 9.2.0\nalter table external_hours rename to foreign_hours;',
};

onPostgres('an upgrade', (engine) => {
  const folder = makeFolder();
  const expanded = makeVersion('9.0.0', EXPAND);
  const indexed = makeVersion('9.1.0', { ...EXPAND, ...SECOND_INDEX });
  const contracted = makeVersion(
    '9.2.0',
    { ...EXPAND, ...SECOND_INDEX, ...CONTRACT },
    { from: 'external_hours', to: 'foreign_hours' },
  );
  const running: Running[] = [];
  let database: TestDatabase;
  let settings: Record<string, string>;
  let demo: DemoFile;
  let old: Running;

  const start = async (version?: OtherVersion): Promise<Running> => {
    const process = await startProcess('serve', settings, version?.bin);
    running.push(process);
    return process;
  };

  before(async () => {
    database = await engine.createDatabase();
    // A limit that nobody reaches: its function reads tables that the migrations change.
    const limits = { RATE_LIMIT_PRODUCTION: '10000', DATABASE_POOL_SIZE: '4' };
    settings = { DATA_DIR: folder.path, DATABASE_URL: database.url, ...limits };
    old = await start();
    demo = readDemo(folder.path);
  });
  after(async () => {
    await Promise.all(running.map((process) => process.end()));
    await database.drop();
    for (const version of [expanded, indexed, contracted]) version.remove();
    folder.remove();
  });

  const isValid = async (index: string): Promise<boolean | undefined> => {
    const text = `select indisvalid as valid from pg_index where indexrelid = to_regclass('${index}')`;
    return (await query<{ valid: boolean }>(database.url, text))[0]?.valid;
  };

  test('that adds columns and an index fails no request, of the old process or the new', async () => {
    const load = keepAsking(demo, askAt(old.url));
    await until(() => load.answered() > 50);
    const fresh = await start(expanded);
    load.asks.push(askAt(fresh.url));
    const sofar = load.answered();
    await until(() => load.answered() > sofar + 300);
    assert.deepEqual(await load.stop(), []);
    assert.equal(await isValid('bookings_by_note'), true);
    await fresh.end();
  });

  test('lets an old process start again that can run on it, and its doctor says so', async () => {
    await old.end();
    old = await start();
    assert.equal((await fetch(`${old.url}/readyz`)).status, 200);
    const { stdout } = await hourkeep(['doctor'], settings);
    assert.match(
      stdout,
      new RegExp(`a newer Hourkeep has added 0002_notes.sql, .*, and ${VERSION} can run on it`),
    );
  });

  test('that was killed while it built an index is finished by the next start, and fails no request', async () => {
    const load = keepAsking(demo, askAt(old.url));
    const writer = new Client({ connectionString: database.url });
    await writer.connect();
    // The build waits for a transaction that has written.
    await writer.query(`begin; update bookings set note = 'x' where id = (select id from bookings limit 1)`);
    const killed = spawn(indexed.bin, ['migrate'], { env: { ...process.env, ...settings }, stdio: 'ignore' });
    const building = `select 1 from pg_stat_activity
      where datname = current_database() and query like 'create index concurrently%' and wait_event_type = 'Lock'`;
    await until(async () => (await query(database.url, building)).length === 1);
    killed.kill('SIGKILL');
    await once(killed, 'exit');
    assert.equal(await isValid('bookings_by_note_again'), false);

    // The next one waits for the server, which works on for the dead process.
    const next = hourkeep(['migrate'], settings, indexed.bin);
    const waiting = `select 1 from pg_stat_activity
      where datname = current_database() and query like 'select pg_try_advisory_lock%'`;
    await until(async () => (await query(database.url, waiting)).length === 1);
    await writer.query('commit');
    await writer.end();
    const { code, stdout, stderr } = await next;
    assert.equal(code, 0, stderr);
    assert.equal(
      stdout,
      `Applied 0004_again.concurrently.sql: processes of ${VERSION} and newer go on with it.\n`,
    );
    assert.equal(await isValid('bookings_by_note_again'), true);
    assert.deepEqual(await load.stop(), []);
  });

  test('to what the old version cannot run on makes it refuse requests, and the new one serves on', async () => {
    const load = keepAsking(demo, askAt(old.url));
    await until(() => load.answered() > 50);
    const fresh = await start(contracted);
    await until(async () => (await fetch(`${old.url}/readyz`)).status === 503);
    const failed = await load.stop();
    const others = failed.filter(({ status, retryAfter }) => status !== 503 || retryAfter !== '1');
    assert.deepEqual(others, []);

    const answer = (await (await fetch(`${old.url}/readyz`)).json()) as { error: { message: string } };
    const reason = `this is Hourkeep ${VERSION}, and the database needs 9.2.0 or newer (since 0005_rename.sql)`;
    assert.equal(answer.error.message, reason);
    await until(() => old.output.stdout.includes(`${reason}: requests are rejected and the worker stops`));
    const refused = await bookAndLook(askAt(old.url), demo);
    assert.deepEqual(
      refused.filter(({ status }) => status !== 503),
      [],
    );

    const after = keepAsking(demo, askAt(fresh.url));
    await until(() => after.answered() > 50);
    assert.deepEqual(await after.stop(), []);
  });

  test('refuses the start of the old version with one line', async () => {
    const line = `hourkeep: this is Hourkeep ${VERSION}, and the database needs 9.2.0 or newer (since 0005_rename.sql); run that version\n`;
    for (const command of ['serve', 'api', 'worker', 'migrate']) {
      const { code, stderr } = await hourkeep([command], settings);
      assert.deepEqual({ code, stderr }, { code: 1, stderr: line });
    }
  });
});
