import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { makeFolder } from '../../../test/support/process.ts';
import { read, write, type Db } from '../database.ts';
import { openSqlite } from './engine.ts';

const insertMark = write('insert into marks (n) values ($1)');
const countMarks = read<{ count: number }>('select count(*) as count from marks');
const oneMark = read<{ n: number }>('select n from marks where n = $1');

describe('reads of the embedded engine', () => {
  const folder = makeFolder();
  let db: Db;
  before(async () => {
    db = openSqlite({ file: join(folder.path, 'test.db'), lockWaitMs: 1000 });
    await db.migration((tx) => tx.script('create table marks (n integer primary key)'));
  });
  after(async () => {
    await db.close();
    folder.remove();
  });

  it('see what was committed before they were asked', async () => {
    for (let n = 1; n <= 20; n++) {
      await db.transaction((tx) => tx.run(insertMark, [n]));
      const counts = await Promise.all([db.get(countMarks), db.get(countMarks)]);
      assert.deepEqual(counts, [{ count: n }, { count: n }]);
    }
  });

  it('fail alone, without those that were asked in the same turn', async () => {
    const [first, broken, last] = await Promise.allSettled([
      db.get(oneMark, [1]),
      db.get({ ...oneMark, text: 'select n from no_such_table' }),
      db.all(oneMark, [2]),
    ]);
    assert.deepEqual(first, { status: 'fulfilled', value: { n: 1 } });
    assert.equal(broken.status, 'rejected');
    assert.deepEqual(last, { status: 'fulfilled', value: [{ n: 2 }] });
  });

  it('are not told that the database is away when a commit is refused for what it holds', async () => {
    await db.migration((tx) =>
      tx.script(`create table notes (n integer references marks (n) deferrable initially deferred)`),
    );
    const text = 'insert into notes (n) values (-1)';
    const refused = db.transaction((tx) => tx.run({ ...insertMark, text }));
    await assert.rejects(refused, { message: 'FOREIGN KEY constraint failed' });
    assert.deepEqual(await db.get(oneMark, [1]), { n: 1 });
  });

  it('that take long leave a turn of the event loop to others between them', async () => {
    const text = `
      with recursive counted (n) as (select 1 union all select n + 1 from counted where n < 100000)
      select max(n) as n from counted`;
    const slow = { ...oneMark, text };
    let turn = 0;
    const turns = new Set<number>();
    const count = (): void => {
      turn++;
      if (turns.size < 3) setImmediate(count);
    };
    setImmediate(count);
    await Promise.all([1, 2, 3].map(() => db.get(slow).then(() => turns.add(turn))));
    assert.equal(turns.size, 3);
  });

  it('see nothing of a transaction that found the disk full, also of what it wrote beside the statement that did', async () => {
    const full = openSqlite({ file: join(folder.path, 'full.db'), lockWaitMs: 1000 });
    const tables = 'create table marks (n integer primary key); create table films (film blob);';
    await full.migration((tx) => tx.script(`${tables} pragma max_page_count = 1;`));
    const film = { ...insertMark, text: 'insert into films (film) values (zeroblob(100000 + $1))' };
    const failed = full.transaction((tx) => Promise.all([tx.run(film, [1]), tx.run(insertMark, [1])]));
    await assert.rejects(failed, { name: 'DatabaseAway' });
    assert.deepEqual(await full.get(countMarks), { count: 0 });
    await full.close();
  });

  it('are refused, as transactions are, once the database is closed', async () => {
    const closed = openSqlite({ file: join(folder.path, 'closed.db'), lockWaitMs: 1000 });
    await closed.close();
    const write = (): Promise<number> => closed.transaction((tx) => tx.run(insertMark, [1]));
    for (const ask of [() => closed.get(countMarks), write, write]) await assert.rejects(ask);
  });
});
