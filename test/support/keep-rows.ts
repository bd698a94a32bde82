import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PLANNED_EACH_TIME, read } from '../../src/db/database.ts';
import { seedDemo } from '../../src/demo/seed.ts';
import { engines } from './engines.ts';
import { filled } from './old-database.ts';
import { startWorld } from './world.ts';
import { ROOT, schemaNumber } from '../../packaging/project.ts';

// npm run keep-rows, before a release: keeps rows of its schema, which test/old-databases.test.ts migrates from then on.

/** Migrations fill these. */
const FILLED_BY_MIGRATIONS = ['schema_migrations', 'day_hours'];
/** Numbered by the database, which takes no number from others. */
const NUMBERED = 'audit.id';

/**
 * Rows of today's schema, as inserts that both engines take: those of 0004.sql, which requests and commands made, migrated to today; and
 * the demo, which has a value in every field that somebody can set.
 */
export async function rowsOfToday(): Promise<string> {
  const engine = engines.find(({ name }) => name === 'sqlite')!;
  const world = await startWorld({ ...engine, createDatabase: () => filled(engine, '0004') });
  const { db, clock, secrets } = world.ctx;
  await db.transaction((tx) => seedDemo(tx, clock.now(), secrets, 'http://127.0.0.1:3000'));
  const inserts: string[] = [];
  // This file has them in the order of their references.
  const tables = readFileSync(join(ROOT, 'schema/sqlite.sql'), 'utf8').matchAll(/^create table (\w+)/gm);
  for (const [, table] of tables) {
    const rows = await db.all(read<Row>(`select * from ${table}`, PLANNED_EACH_TIME));
    if (rows.length === 0 || FILLED_BY_MIGRATIONS.includes(table!)) continue;
    const columns = Object.keys(rows[0]!).filter((column) => `${table}.${column}` !== NUMBERED);
    const values = rows.map((row) => `  (${columns.map((column) => literal(row[column]!)).join(', ')})`);
    inserts.push(`insert into ${table} (${columns.join(', ')}) values\n${values.join(',\n')};\n`);
  }
  await world.close();
  return inserts.join('');
}

type Row = Record<string, string | number | null>;

function literal(value: string | number | null): string {
  return typeof value === 'string' ? `'${value.replaceAll("'", "''")}'` : String(value);
}

if (import.meta.main) {
  const number = schemaNumber();
  const comment = `-- Rows of the schema of migration ${number}, by "npm run keep-rows". Never edited: databases out there have such rows.\n`;
  writeFileSync(join(ROOT, `test/schemas/${number}.sql`), comment + (await rowsOfToday()));
}
