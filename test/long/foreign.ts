import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { typed } from '../support/command-line.ts';
import { onBothEngines, type Engine } from '../support/engines.ts';
import { makeFolder } from '../support/process.ts';
import { query } from '../support/query.ts';

// A database that is not ours, or of a time before the first release: one line, never a stack.

const FOREIGN = (table: string): string =>
  `this database has a table "${table}" that Hourkeep did not make; give Hourkeep a database of its own (DATABASE_URL)`;
const BEFORE =
  'the schema of this database is older than Hourkeep 0.1.0 and cannot be brought up to date; start on a new database';

const OLD = 'create table schema_migrations (name text primary key, applied_at bigint not null)';
const CASES: [what: string, statements: string, line: string][] = [
  ['somebody else’s table hosts', 'create table hosts (ip text)', FOREIGN('hosts')],
  [
    'the migrations of another program',
    'create table schema_migrations (version text)',
    FOREIGN('schema_migrations'),
  ],
  [
    'a schema before 0.1.0',
    `${OLD}; insert into schema_migrations values ('0001_foundation.sql', 0); create table hosts (id text)`,
    BEFORE,
  ],
  [
    'migrations that no release has',
    `${OLD.replace('applied_at', 'oldest text not null, applied_at')};
     insert into schema_migrations values ('0001_foundation.sql', '0.1.0', 0); create table hosts (id text)`,
    BEFORE,
  ],
];

async function execute(engine: Engine, url: string, statements: string): Promise<unknown> {
  if (engine.name === 'postgres') return query(url, statements);
  using db = new DatabaseSync(url.replace('sqlite:', ''));
  return db.exec(`pragma journal_mode = wal; ${statements}`);
}

onBothEngines('a database with', (engine) => {
  for (const [what, statements, line] of CASES)
    test(`${what} is one line in migrate, serve, doctor and any other command`, async () => {
      const folder = makeFolder();
      const database = await engine.createDatabase();
      await execute(engine, database.url, statements);
      const settings = { DATABASE_URL: database.url, DATA_DIR: folder.path };
      for (const command of [['migrate'], ['serve'], ['host', 'list']]) {
        const { code, stderr } = await typed(command, settings);
        assert.deepEqual([code, stderr], [1, `hourkeep: ${line}\n`], command.join(' '));
      }
      const { code, stdout, stderr } = await typed(['doctor', '--json'], settings);
      assert.deepEqual([code, stderr], [1, 'hourkeep: 1 of 10 checks failed\n']);
      const checks = JSON.parse(stdout) as { status: string }[];
      const failed = checks.filter(({ status }) => status === 'fail');
      assert.deepEqual(failed, [{ check: 'schema', status: 'fail', message: line }]);
      await database.drop();
      folder.remove();
    });
});
