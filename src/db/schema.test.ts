import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { describe, test } from 'node:test';
import { engines, onPostgres, type Engine } from '../../test/support/engines.ts';
import { onConnection } from '../../test/support/query.ts';
import { columnNames, difference, postgresFacts, sqliteFacts } from '../../test/support/schema.ts';
import { readConfig } from '../config.ts';
import { createLogger } from '../log.ts';
import { systemClock } from '../time/clock.ts';
import { migrate } from './migrate.ts';
import { openDatabase } from './open.ts';

const schemaFile = (engine: Engine['name']): string =>
  readFileSync(new URL(`../../schema/${engine}.sql`, import.meta.url), 'utf8');

describe('schema/sqlite.sql', () => {
  const shown = new DatabaseSync(':memory:');
  shown.exec(schemaFile('sqlite'));

  test('is what the migrations make', async () => {
    assert.deepEqual(difference(await migratedOnSqlite(), sqliteFacts(shown)), []);
  });

  test('says what each table is for', () => {
    assert.deepEqual(undocumentedTables('sqlite'), []);
  });
});

describe('deploy/citus/distribute.sql', () => {
  test('says of every table where its rows are to be', () => {
    const script = readFileSync(new URL('../../deploy/citus/distribute.sql', import.meta.url), 'utf8');
    const tables = [...schemaFile('postgres').matchAll(/^create (?:unlogged )?table (\w+)/gm)].map(
      ([, table]) => table!,
    );
    assert.ok(tables.includes('bookings') && tables.includes('rate_slots'));
    assert.deepEqual(
      tables.filter((table) => !new RegExp(`\\b${table}\\b`).test(script)),
      [],
    );
  });
});

onPostgres('schema/postgres.sql', (engine) => {
  test('is what the migrations make', async () => {
    const [migrated, shown] = [await engine.createDatabase(), await engine.createDatabase()];
    const db = openDatabase(readConfig({ DATABASE_URL: migrated.url }), createLogger('silent'));
    await migrate(db, systemClock);
    await db.close();
    await onConnection(shown.url, (client) => client.query(schemaFile('postgres')));
    const facts = await onConnection(migrated.url, postgresFacts);
    assert.deepEqual(difference(facts, await onConnection(shown.url, postgresFacts)), []);
    await Promise.all([migrated.drop(), shown.drop()]);
  });

  test('says what each table is for', () => {
    assert.deepEqual(undocumentedTables('postgres'), []);
  });

  test('has the tables and columns of schema/sqlite.sql, and the rate limit’s own', async () => {
    const database = await engine.createDatabase();
    await onConnection(database.url, (client) => client.query(schemaFile('postgres')));
    const facts = await onConnection(database.url, postgresFacts);
    await database.drop();
    const onPostgres = columnNames(facts).filter((name) => !/^rate_(windows|slots)\./.test(name));
    const sqlite = new DatabaseSync(':memory:');
    sqlite.exec(schemaFile('sqlite'));
    assert.deepEqual(onPostgres, columnNames(sqliteFacts(sqlite)));
  });
});

test('the difference of two schemas is one line for each column, check, reference and index, and none for another text', () => {
  const factsOf = (text: string): string[] => {
    using db = new DatabaseSync(':memory:');
    db.exec(text);
    return sqliteFacts(db);
  };
  const one = factsOf("create table a (x integer primary key, y text, w check (w in ('p', 'q')));");
  const other = factsOf(`
    CREATE TABLE "a" (x integer primary key, -- words
      y text check (y > ''), z integer references a (x), w CHECK ( w  in ('p','q') ));
    create index a_by_y on a (y) where z is null;`);
  assert.deepEqual(difference(one, other), [
    `+ check a y>''`,
    '+ column a.z integer',
    '+ index a a_by_y (y BINARY) where z is null',
    '+ reference a (z) to a (x) on update NO ACTION on delete NO ACTION',
  ]);
});

async function migratedOnSqlite(): Promise<string[]> {
  const database = await engines.find(({ name }) => name === 'sqlite')!.createDatabase();
  const config = readConfig({ DATABASE_URL: database.url });
  assert.ok(config.database.engine === 'sqlite');
  const db = openDatabase(config, createLogger('silent'));
  await migrate(db, systemClock);
  await db.close();
  using file = new DatabaseSync(config.database.file);
  const facts = sqliteFacts(file);
  await database.drop();
  return facts;
}

function undocumentedTables(engine: Engine['name']): string[] {
  const tables = schemaFile(engine).matchAll(/^(.*)\ncreate (?:unlogged )?table (\w+)/gm);
  return [...tables].filter(([, before]) => !before!.startsWith('-- ')).map(([, , name]) => name!);
}
