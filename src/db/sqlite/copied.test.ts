import assert from 'node:assert/strict';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, suite, test } from 'node:test';
import { makeFolder, type TestFolder } from '../../../test/support/process.ts';
import { systemClock } from '../../time/clock.ts';
import { read, write, type Db } from '../database.ts';
import { migrate } from '../migrate.ts';
import { openSqlite } from './engine.ts';

const insert = write('insert into settings (name, value) values ($1, $2)');
const selectNames = read<{ name: string }>('select name from settings order by name');
const MARK = "insert into settings values ('copied_to', 'postgres://db/new at noon')";
const REFUSED = {
  name: 'OperatorError',
  message: /test\.db was copied to postgres:\/\/db\/new at noon; set DATABASE_URL to that/,
};

suite('an SQLite file that was copied', () => {
  let folder: TestFolder;
  let file: string;
  let db: Db;
  beforeEach(async () => {
    folder = makeFolder();
    file = join(folder.path, 'test.db');
    db = openSqlite({ file, lockWaitMs: 5000 });
    await migrate(db, systemClock);
  });
  afterEach(async () => {
    await db.close();
    folder.remove();
  });

  const onFile = (statement: string): void => {
    using other = new DatabaseSync(file);
    other.exec(statement);
  };
  const names = async (): Promise<string[]> => (await db.all(selectNames)).map(({ name }) => name);
  const put = (name: string): Promise<unknown> => db.transaction((tx) => tx.run(insert, [name, 'x']));

  test('takes no write, of whatever kind, and says where everything is now', async () => {
    onFile(MARK);
    await assert.rejects(put('a'), REFUSED);
    await assert.rejects(db.once(insert, ['b', 'x']), REFUSED);
    await assert.rejects(
      db.migration((tx) => tx.script("insert into settings values ('c', 'x')")),
      REFUSED,
    );
    assert.deepEqual(await names(), ['copied_to']);
  });

  test('takes none of a transaction that waited for the copy', async () => {
    const copying = new DatabaseSync(file);
    copying.exec('begin immediate');
    let hasBegun = false;
    const waiting = db.transaction(async (tx) => {
      hasBegun = true;
      await tx.run(insert, ['late', 'x']);
    });
    assert.deepEqual(await names(), []);
    assert.equal(hasBegun, false);
    copying.exec(`${MARK}; commit`);
    copying.close();
    await assert.rejects(waiting, REFUSED);
    assert.deepEqual(await names(), ['copied_to']);
  });

  test('lets transactions go on that keep nothing: reads, dry runs, a migration with nothing to do', async () => {
    onFile(MARK);
    assert.equal((await db.transaction((tx) => tx.all(selectNames))).length, 1);
    const dryRun = db.transaction(async (tx) => {
      await tx.run(insert, ['dry', 'x']);
      throw new Error('taken back');
    });
    await assert.rejects(dryRun, { message: 'taken back' });
    assert.deepEqual((await migrate(db, systemClock)).applied, []);
    assert.deepEqual(await names(), ['copied_to']);
  });

  test('takes writes from those who say that they know', async () => {
    onFile(MARK);
    await db.close();
    db = openSqlite({ file, lockWaitMs: 5000, anyway: true });
    await put('known');
    assert.deepEqual(await names(), ['copied_to', 'known']);
  });
});
