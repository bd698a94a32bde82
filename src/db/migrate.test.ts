import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { TestClock } from '../../test/support/clock.ts';
import { engines, onPostgres } from '../../test/support/engines.ts';
import { useWorld } from '../../test/support/world.ts';
import { readConfig } from '../config.ts';
import { createLogger } from '../log.ts';
import { migrate } from './migrate.ts';
import { openDatabase } from './open.ts';

const FOLDER = new URL('../../migrations/', import.meta.url);

onPostgres('migrations', (engine) => {
  const world = useWorld(engine);

  test('those of SQLite are left out', async () => {
    const applied = (await world.rows('select name from schema_migrations')).map(({ name }) => name);
    assert.ok(applied.includes('0001_foundation.sql'));
    assert.deepEqual(
      applied.filter((name) => name.endsWith('.sqlite.sql')),
      [],
    );
  });
});

test('tables that are made anew on SQLite keep their rows, columns, references and indexes', async () => {
  const database = await engines.find(({ name }) => name === 'sqlite')!.createDatabase();
  const config = readConfig({ DATABASE_URL: database.url });
  assert.ok(config.database.engine === 'sqlite');
  const { file } = config.database;
  migrateUpTo('0007', file);
  const before = look(file);
  const clock = new TestClock();
  const db = openDatabase(config, createLogger('silent'), clock);
  const { applied } = await migrate(db, clock);
  await db.close();
  assert.equal(applied[0], '0008_lighter_writes.sqlite.sql');
  assert.deepEqual(look(file), before);
  for (const wrong of [
    "update bookings set status = 'lost'",
    "update bookings set payment_status = 'lost'",
    "update deliveries set status = 'lost'",
    'update hours set hour = 24',
    'update hours set booking_id = null',
    'update external_hours set hour = 24',
  ]) {
    assert.throws(() => new DatabaseSync(file).exec(wrong), /CHECK constraint failed/, wrong);
  }
  await database.drop();
});

const TABLES = ['bookings', 'deliveries', 'hours', 'external_hours'];

/** A database as an older version left it, with a row in every table of concern and a value of its own in every column. */
function migrateUpTo(last: string, file: string): void {
  const db = new DatabaseSync(file);
  db.exec('create table schema_migrations (name text primary key, applied_at bigint not null)');
  for (const name of readdirSync(FOLDER).sort()) {
    if (name.slice(0, 4) > last) continue;
    db.exec(readFileSync(new URL(name, FOLDER), 'utf8'));
    db.prepare('insert into schema_migrations values (?, 0)').run(name);
  }
  const put = (table: string, given: Record<string, string | number | null>): void => {
    const columns = db.prepare('select name, type from pragma_table_info(?)').all(table);
    const values = columns.map(({ name, type }, i) => {
      const value = given[String(name)];
      return value === undefined ? (type === 'TEXT' ? `${table} ${String(name)}` : 100 + i) : value;
    });
    db.prepare(`insert into ${table} values (${values.map(() => '?').join(', ')})`).run(...values);
  };
  const space = { host_id: 'host', environment: 'sandbox' };
  put('hosts', { id: 'host' });
  put('spaces', { ...space, id: 'space', open_hour: 1, close_hour: 20, is_active: 1 });
  put('bookings', {
    ...space,
    space_id: 'space',
    status: 'cancelled',
    source: 'platform',
    start_hour: 3,
    end_hour: 5,
    settlement_mode: 'platform_settled',
    payment_status: 'pending',
  });
  put('deliveries', { status: 'failed' });
  put('hours', { space_id: 'space', hour: 7, block_id: null });
  put('external_hours', { space_id: 'space', hour: 8 });
  db.close();
}

function look(file: string): unknown[] {
  const db = new DatabaseSync(file);
  const seen = TABLES.map((table) => ({
    rows: db.prepare(`select * from ${table}`).all(),
    columns: db.prepare('select * from pragma_table_info(?)').all(table),
    references: db.prepare('select * from pragma_foreign_key_list(?)').all(table),
    indexes: db
      .prepare(
        `select sql from sqlite_schema where type = 'index' and tbl_name = ? and sql is not null order by name`,
      )
      .all(table),
  }));
  assert.ok(seen.every(({ rows }) => rows.length === 1));
  assert.deepEqual(db.prepare('pragma integrity_check').all(), [{ __proto__: null, integrity_check: 'ok' }]);
  db.close();
  return seen;
}
