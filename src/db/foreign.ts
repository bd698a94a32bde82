import { OperatorError } from '../errors.ts';
import { sayOn, type Engine, type Write } from './database.ts';
import type { Migration } from './migrations.ts';

type Ask = (statement: Write<{ name: string }>) => Promise<{ name: string }[]>;

/**
 * Throws where the database is another program's, or of a time before 0.1.0, the first release. False: it has none of our tables yet. Many
 * programs have a table schema_migrations; ours is known by its columns.
 */
export async function hasOurTables(ask: Ask, engine: Engine, known: readonly Migration[]): Promise<boolean> {
  const columns = (await ask(SELECT_COLUMNS[engine])).map(({ name }) => name);
  if (columns.includes('oldest')) return true;
  if (columns.includes('name') && columns.includes('applied_at')) throw beforeFirstRelease();
  if (columns.length > 0) throw foreign('schema_migrations');
  const tables = new Set((await ask(SELECT_TABLES[engine])).map(({ name }) => name));
  const taken = known.flatMap(tablesOf).find((table) => tables.has(table));
  if (taken !== undefined) throw foreign(taken);
  return false;
}

/** Migrations of the time before 0.1.0 had other names. */
export function refuseUnknown(applied: readonly string[], known: readonly Migration[]): void {
  if (applied.length > 0 && !known.some(({ name }) => applied.includes(name))) throw beforeFirstRelease();
}

function tablesOf({ text }: Migration): string[] {
  return [...text.matchAll(/^create table (\w+)/gim)].map(([, table]) => table!);
}

function foreign(table: string): OperatorError {
  return new OperatorError(
    `this database has a table "${table}" that Hourkeep did not make; give Hourkeep a database of its own (DATABASE_URL)`,
  );
}

function beforeFirstRelease(): OperatorError {
  return new OperatorError(
    'the schema of this database is older than Hourkeep 0.1.0 and cannot be brought up to date; start on a new database',
  );
}

/** Those of the table schema_migrations. */
const SELECT_COLUMNS = {
  sqlite: sayOn<{ name: string }>(
    'sqlite',
    `select coalesce(name, '') as name from pragma_table_info('schema_migrations')`,
  ),
  postgres: sayOn<{ name: string }>(
    'postgres',
    `select a.attname::text as name from pg_class c join pg_attribute a on a.attrelid = c.oid
     where c.relname = 'schema_migrations' and pg_table_is_visible(c.oid) and a.attnum > 0 and not a.attisdropped`,
  ),
};

/** On PostgreSQL those of the schema in which ours would be made. */
const SELECT_TABLES = {
  sqlite: sayOn<{ name: string }>(
    'sqlite',
    `select coalesce(name, '') as name from sqlite_schema where type in ('table', 'view')`,
  ),
  postgres: sayOn<{ name: string }>(
    'postgres',
    `select relname::text as name from pg_class
     where relkind in ('r', 'p', 'v', 'm', 'f') and relnamespace = current_schema()::regnamespace`,
  ),
};
