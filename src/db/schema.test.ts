import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { describe, test } from 'node:test';
import { Client } from 'pg';
import { engines, onPostgres, type Engine } from '../../test/support/engines.ts';
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
    assert.deepEqual(await migratedSqliteSchema(), sqliteSchema(shown));
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
    await onClient(shown.url, (client) => client.query(schemaFile('postgres')));
    assert.deepEqual(await onClient(migrated.url, postgresSchema), await onClient(shown.url, postgresSchema));
    await Promise.all([migrated.drop(), shown.drop()]);
  });

  test('says what each table is for', () => {
    assert.deepEqual(undocumentedTables('postgres'), []);
  });

  test('has the tables and columns of schema/sqlite.sql, and the rate limit’s own', async () => {
    const database = await engine.createDatabase();
    await onClient(database.url, (client) => client.query(schemaFile('postgres')));
    const { columns } = await onClient(database.url, postgresSchema);
    await database.drop();
    const onPostgres = columnNames(columns).filter((name) => !/^rate_(windows|slots)\./.test(name));
    const sqlite = new DatabaseSync(':memory:');
    sqlite.exec(schemaFile('sqlite'));
    assert.deepEqual(onPostgres, columnNames(sqliteColumns(sqlite)));
  });
});

type Row = Record<string, unknown>;

const columnNames = (columns: Row[]): string[] =>
  columns.map((row) => `${String(row['table_name'])}.${String(row['column_name'])}`).sort();

async function migratedSqliteSchema(): Promise<Row> {
  const database = await engines.find(({ name }) => name === 'sqlite')!.createDatabase();
  const config = readConfig({ DATABASE_URL: database.url });
  assert.ok(config.database.engine === 'sqlite');
  const db = openDatabase(config, createLogger('silent'));
  await migrate(db, systemClock);
  await db.close();
  const file = new DatabaseSync(config.database.file);
  const schema = sqliteSchema(file);
  file.close();
  await database.drop();
  return schema;
}

/** SQLite keeps the text of every table and index: all of it but comments and white space is compared. */
function sqliteSchema(db: DatabaseSync): Row {
  const rows = db.prepare('select name, sql from sqlite_schema where sql is not null order by name').all();
  return Object.fromEntries(rows.map(({ name, sql }) => [String(name), words(String(sql))]));
}

function words(sql: string): string {
  return sql
    .replaceAll(/--.*$/gm, '')
    .replace(/^create table if not exists/i, 'create table')
    .replaceAll(/([(),])/g, ' $1 ')
    .replaceAll(/\s+/g, ' ')
    .trim();
}

function sqliteColumns(db: DatabaseSync): Row[] {
  return db
    .prepare(
      `select m.name as table_name, c.name as column_name from sqlite_schema m, pragma_table_info(m.name) c
       where m.type = 'table' and m.name not like 'sqlite_%'`,
    )
    .all();
}

async function postgresSchema(client: Client): Promise<Record<'columns', Row[]> & Record<string, Row[]>> {
  const rows = async (text: string): Promise<Row[]> => (await client.query<Row>(text)).rows;
  return {
    columns: await rows(`
      select table_name, column_name, data_type, is_nullable, column_default, collation_name
      from information_schema.columns where table_schema = 'public' order by table_name, column_name`),
    tables: await rows(`
      select relname, relpersistence, reloptions from pg_class
      where relnamespace = 'public'::regnamespace and relkind = 'r' order by relname`),
    constraints: await rows(`
      select conrelid::regclass::text as table_name, conname, pg_get_constraintdef(oid) as definition
      from pg_constraint where connamespace = 'public'::regnamespace order by 1, 2`),
    indexes: await rows(`select indexname, indexdef from pg_indexes where schemaname = 'public' order by 1`),
    functions: await rows(`
      select proname, regexp_replace(regexp_replace(pg_get_functiondef(oid), '--[^\\n]*', '', 'g'), '\\s+', ' ', 'g')
        as definition
      from pg_proc where pronamespace = 'public'::regnamespace order by 1`),
  };
}

async function onClient<T>(url: string, work: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

function undocumentedTables(engine: Engine['name']): string[] {
  const tables = schemaFile(engine).matchAll(/^(.*)\ncreate (?:unlogged )?table (\w+)/gm);
  return [...tables].filter(([, before]) => !before!.startsWith('-- ')).map(([, , name]) => name!);
}
