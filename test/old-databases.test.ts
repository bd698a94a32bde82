import assert from 'node:assert/strict';
import { copyFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { rowsOfToday } from './support/keep-rows.ts';
import type { Db } from '../src/db/database.ts';
import { migrate } from '../src/db/migrate.ts';
import { refused } from './support/answer.ts';
import { CREATE } from './support/booking.ts';
import { TestClock } from './support/clock.ts';
import { engines, onBothEngines, type TestDatabase } from './support/engines.ts';
import { BOOKING, filled, KEY, onDatabase, open, ORDER, SPACE } from './support/old-database.ts';
import { startWorld, type World } from './support/world.ts';

// Databases are out there. test/schemas has rows of every schema that a release had, under the number of the last migration: 0.1.0 is
// 0001, 0.2.0 is 0004, 0.3.0 is 0009. Every migration runs on them.

const MIGRATIONS = new URL('../migrations/', import.meta.url);
const FILLED = readdirSync(new URL('schemas/', import.meta.url)).map((name) => name.replace('.sql', ''));

onBothEngines('rows that npm run keep-rows keeps', (engine) => {
  test('fit into a database of today, with a row in every table that has one in 0004.sql', async () => {
    const database = await engine.createDatabase();
    const rows = await onDatabase(database, async (db) => {
      await migrate(db, new TestClock());
      await db.migration(async (tx) => tx.script(await rowsOfToday()));
      return rowsOfAllTables(db);
    });
    await database.drop();
    const before = readFileSync(new URL('schemas/0004.sql', import.meta.url), 'utf8');
    const tables = [...before.matchAll(/^insert into (\w+)/gm)].map(([, table]) => table!);
    assert.deepEqual(
      tables.filter((table) => rows.get(table)!.length === 0),
      [],
    );
  });
});

for (const number of FILLED)
  onBothEngines(`a database of ${number} with rows`, (engine) => {
    let world: World;
    let rows: Map<string, object[]>;
    before(async () => {
      const database = await filled(engine, number);
      rows = await onDatabase(database, rowsOfAllTables);
      world = await startWorld({ ...engine, createDatabase: async () => database });
    });
    after(() => world.close());

    test('keeps every row, and every value in the columns that it had', async () => {
      const now = await rowsOfAllTables(world.ctx.db);
      for (const [table, before] of rows) {
        if (table === 'schema_migrations') continue;
        const columns = Object.keys(before[0] ?? {});
        assert.deepEqual(only(now.get(table) ?? [], columns), only(before, columns), table);
      }
    });

    test('answers the keys and replays the idempotency keys of that time, and those alone', async () => {
      const answer = await world.call('POST', CREATE, { key: KEY, body: ORDER });
      assert.equal(answer.status, 200, answer.text);
      assert.equal(answer.headers.get('idempotent-replayed'), 'true');
      assert.equal(answer.body.data.booking.id, BOOKING);
      const body = { ...ORDER, guest_phone: '+1 555 0199' };
      const { details } = refused(
        await world.call('POST', CREATE, { key: KEY, body }),
        422,
        'VALIDATION_ERROR',
      );
      assert.equal(details[0].message, 'was used before for a different request');
    });

    test('takes new bookings, and none over the old ones', async () => {
      const { idempotency_key: _, ...body } = ORDER;
      assert.equal((await world.call('POST', CREATE, { key: KEY, body })).status, 409);
      const free = { ...body, date: '2027-06-09' };
      assert.equal((await world.call('POST', CREATE, { key: KEY, body: free })).status, 200);
    });
  });

onBothEngines('a migration of a filled database', (engine) => {
  let database: TestDatabase;
  let db: Db;
  const path = mkdtempSync(join(tmpdir(), 'hourkeep-migrations-'));
  const apply = () => migrate(db, new TestClock(), { folder: pathToFileURL(`${path}/`) });
  const put = (name: string, text: string) => writeFileSync(join(path, name), `-- oldest: 0.1.0\n${text}\n`);
  before(async () => {
    for (const name of readdirSync(MIGRATIONS)) copyFileSync(new URL(name, MIGRATIONS), join(path, name));
    database = await filled(engine, '0001');
    db = open(database);
    await apply();
  });
  after(async () => {
    await db.close();
    await database.drop();
    rmSync(path, { recursive: true });
  });

  test('changes a check of bookings, to which other tables refer', async () => {
    const before = await rowsOfAllTables(db);
    put('9001_source.sqlite.sql', await rebuiltBookings(db));
    put(
      '9001_source.postgres.sql',
      `alter table bookings drop constraint bookings_source_check;
       alter table bookings add constraint bookings_source_check check (source in ('api', 'platform', 'partner')) not valid;
       alter table bookings validate constraint bookings_source_check;`,
    );
    assert.equal((await apply()).applied.length, 1);
    const now = await rowsOfAllTables(db);
    for (const table of before.keys())
      if (table !== 'schema_migrations') assert.deepEqual(now.get(table), before.get(table), table);
    const change = `update bookings set source = 'partner' where id = '${BOOKING}'`;
    assert.equal(await run(db, change), 1);
    await assert.rejects(run(db, change.replace('partner', 'nobody')), /check|CHECK/);
  });

  test('leaves references checked for those who write afterwards', async () => {
    const text = `delete from bookings where id = '${BOOKING}'`;
    await assert.rejects(run(db, text), /FOREIGN KEY constraint failed|violates foreign key constraint/);
  });

  const refusals: [what: string, name: string, text: string, said: RegExp][] = [
    [
      'a reference',
      '9002_lost.sql',
      `delete from spaces where id = '${SPACE}';`,
      /^9002_lost\.sql: (table \w+, row .*: refers to a row of spaces that is not there|.*violates foreign key constraint.*); nothing of it was done$/,
    ],
    [
      'a check',
      '9003_check.sql',
      `update bookings set end_hour = start_hour where id = '${BOOKING}';`,
      /^9003_check\.sql: (CHECK constraint failed: .*|.*violates check constraint.*); nothing of it was done$/,
    ],
  ];
  for (const [what, name, text, said] of refusals)
    test(`that breaks ${what} is refused in the database's own words, and changes nothing`, async () => {
      const before = await rowsOfAllTables(db);
      put(name, text);
      await assert.rejects(apply(), { name: 'OperatorError', message: said });
      rmSync(join(path, name));
      assert.deepEqual(await rowsOfAllTables(db), before);
    });
});

test('a reference that a migration breaks on SQLite is named by the key of its row, also without rowid', async () => {
  const database = await engines.find(({ name }) => name === 'sqlite')!.createDatabase();
  const db = open(database);
  const broken = db.migration((tx) =>
    tx.script(`
      create table parents (id text primary key);
      create table children (day text, hour integer, parent text references parents (id), primary key (day, hour)) without rowid;
      insert into children values ('2027-06-01', 10, null), ('2027-06-01', 11, 'nobody');`),
  );
  await assert.rejects(broken, {
    name: 'BrokenReference',
    message: 'table children, row day 2027-06-01, hour 11: refers to a row of parents that is not there',
  });
  await db.close();
  await database.drop();
});

/** The usual way to change a constraint on SQLite: create, copy, drop, rename, indexes. */
async function rebuiltBookings(db: Db): Promise<string> {
  if (db.engine !== 'sqlite') return '';
  const parts = await rowsOf(
    db,
    `select type, sql from sqlite_schema where tbl_name = 'bookings' and sql is not null`,
  );
  const [table, ...indexes] = parts.map((part) => (part as { sql: string }).sql);
  const made = table!
    .replace(/^create table "?bookings"?/i, 'create table bookings_new')
    .replace(`source in ('api', 'platform')`, `source in ('api', 'platform', 'partner')`);
  assert.notEqual(made, table);
  return `${made};
    insert into bookings_new select * from bookings;
    drop table bookings;
    alter table bookings_new rename to bookings;
    ${indexes.map((index) => `${index};`).join('\n')}`;
}

async function rowsOfAllTables(db: Db): Promise<Map<string, object[]>> {
  const tables = (await rowsOf(
    db,
    db.engine === 'sqlite'
      ? `select name from sqlite_schema where type = 'table' and name not like 'sqlite_%' order by name`
      : `select relname as name from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace order by 1`,
  )) as { name: string }[];
  const found = new Map<string, object[]>();
  for (const { name } of tables) found.set(name, sorted(await rowsOf(db, `select * from ${name}`)));
  return found;
}

function rowsOf(db: Db, text: string): Promise<object[]> {
  return db.all({ text, name: '', writes: false });
}

function run(db: Db, text: string): Promise<number> {
  return db.transaction((tx) => tx.run({ text, name: '', writes: true }));
}

function only(rows: readonly object[], columns: readonly string[]): object[] {
  return sorted(rows.map((row) => Object.fromEntries(columns.map((name) => [name, Reflect.get(row, name)]))));
}

function sorted(rows: readonly object[]): object[] {
  return rows.toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
}
