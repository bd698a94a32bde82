import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { after, before, test } from 'node:test';
import { Client } from 'pg';
import { onPostgres, type TestDatabase } from '../support/engines.ts';
import { makeVersion } from '../support/other-version.ts';
import { hourkeep, makeFolder } from '../support/process.ts';
import { until } from '../support/until.ts';

// kill -9 inside the transaction of a migration. test/long/upgrade.ts has the same while an index is built.

/** The second takes some seconds, so that it can be hit; the last one shows that the rest goes on. */
const MIGRATIONS = {
  '9001_before.sql': '-- oldest: 0.1.0\ncreate table kept_before (n integer);',
  '9002_long.sql': `-- oldest: 0.1.0
    create table half_done (n integer);
    insert into half_done select n from generate_series(1, 3000) as n, lateral (select pg_sleep(0.001 + n * 0)) as slow;`,
  '9003_after.sql': '-- oldest: 0.1.0\ncreate table kept_after (n integer);',
};

onPostgres('a migration', (engine) => {
  const folder = makeFolder();
  const version = makeVersion('9.0.0', MIGRATIONS);
  let database: TestDatabase;
  let client: Client;
  let settings: Record<string, string>;
  before(async () => {
    database = await engine.createDatabase();
    settings = { DATABASE_URL: database.url, DATA_DIR: folder.path };
    assert.equal((await hourkeep(['migrate'], settings)).code, 0);
    client = new Client({ connectionString: database.url });
    await client.connect();
  });
  after(async () => {
    await client.end();
    await database.drop();
    version.remove();
    folder.remove();
  });
  const isThere = async (table: string): Promise<boolean> =>
    (await client.query('select 1 where to_regclass($1) is not null', [table])).rows.length === 1;

  test('that is killed in the middle leaves nothing of itself, and the next one resumes with it', async () => {
    const killed = spawn(version.bin, ['migrate'], { env: { ...process.env, ...settings }, stdio: 'ignore' });
    const working = `select 1 from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid() and state = 'active' and query like '%half_done%'`;
    await until(async () => (await client.query(working)).rows.length === 1);
    killed.kill('SIGKILL');
    await once(killed, 'exit');
    assert.deepEqual([await isThere('kept_before'), await isThere('half_done')], [true, false]);

    const { code, stdout, stderr } = await hourkeep(['migrate', '--json'], settings, version.bin);
    assert.equal(code, 0, stderr);
    assert.deepEqual(JSON.parse(stdout), { applied: ['9002_long.sql', '9003_after.sql'] });
    const { rows } = await client.query<{ count: number }>('select count(*) from half_done');
    assert.equal(rows[0]!.count, 3000);
    assert.equal(await isThere('kept_after'), true);
  });
});
