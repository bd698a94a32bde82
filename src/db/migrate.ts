import { readdirSync, readFileSync } from 'node:fs';
import { OperatorError } from '../errors.ts';
import type { Clock } from '../time/clock.ts';
import { read, write, type Db, type SchemaTx, type Sql, type Tx } from './database.ts';

const FOLDER = new URL('../../migrations/', import.meta.url);

export interface MigrateOptions {
  /** Puts into the database, in the same transaction, what must be there before anyone is served. */
  afterwards?(tx: Tx): Promise<void>;
  /** Thrown, with nothing changed, when this database has never been migrated. */
  refuseNew?: Error;
}

/**
 * Brings the schema up to date. Processes that start together wait here for the first one and find nothing left to do.
 */
export async function migrate(
  db: Db,
  clock: Clock,
  { afterwards, refuseNew }: MigrateOptions = {},
): Promise<{ applied: string[] }> {
  return db.exclusive(async (tx) => {
    await tx.script(
      'create table if not exists schema_migrations (name text primary key, applied_at bigint not null)',
    );
    if (refuseNew !== undefined && (await tx.all(selectApplied)).length === 0) throw refuseNew;
    const applied = await applyPending(tx, clock, db.engine);
    await afterwards?.(tx);
    return { applied };
  });
}

async function applyPending(tx: SchemaTx, clock: Clock, engine: Db['engine']): Promise<string[]> {
  const pending = await findPending(tx, engine);
  for (const name of pending) {
    await tx.script(readFileSync(new URL(name, FOLDER), 'utf8'));
    await tx.run(insertApplied, [name, clock.now()]);
  }
  return pending;
}

/** The migrations that this database has not seen. Throws where it has seen some that we do not know. */
export async function findPending(db: Sql, engine: Db['engine']): Promise<string[]> {
  const files = readdirSync(FOLDER)
    .filter((name) => name.endsWith('.sql') && isFor(name, engine))
    .sort();
  const done = new Set((await db.all(selectApplied)).map((row) => row.name));
  const unknown = [...done].filter((name) => !files.includes(name));
  if (unknown.length > 0) {
    throw new OperatorError(
      `the database was migrated by a newer Hourkeep (${unknown.join(', ')}); run that version or newer`,
    );
  }
  return files.filter((name) => !done.has(name));
}

/** A migration for one engine ends with its name: 0002_name.postgres.sql. */
function isFor(name: string, engine: Db['engine']): boolean {
  const only = /\.(sqlite|postgres)\.sql$/.exec(name)?.[1];
  return only === undefined || only === engine;
}

const selectApplied = read<{ name: string }>('select name from schema_migrations');

const insertApplied = write('insert into schema_migrations (name, applied_at) values ($1, $2)');
