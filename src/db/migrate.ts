import { OperatorError } from '../errors.ts';
import type { Clock } from '../time/clock.ts';
import { sayOn, write, type Db, type SchemaTx, type Sql, type Tx } from './database.ts';
import { hasOurTables, refuseUnknown } from './foreign.ts';
import { indexChanges, plainText, readMigrations, type Migration } from './migrations.ts';
import { selectApplied, whyTooOld } from './schema-watch.ts';
import { BrokenReference } from './sqlite/references.ts';

export interface MigrateOptions {
  /** Puts into the database, in the last transaction, what must be there before anyone is served. */
  afterwards?(tx: Tx): Promise<void>;
  /** Thrown, with nothing changed, when this database has never been migrated. */
  refuseNew?: Error;
  /** Told why it takes long. */
  onWait?(why: string): void;
  /** Tests bring migrations of their own. */
  folder?: URL;
}

/** What of a database a migration needs. */
type Migrating = Pick<Db, 'engine' | 'migration' | 'concurrently'>;

/**
 * Brings the schema up to date while other processes, older ones too, go on serving: each migration is a transaction of
 * its own and gives way when it cannot have its locks at once; indexes are built concurrently, outside of any. Processes
 * that start together wait here for the first one and find nothing left to do.
 */
export async function migrate(
  db: Migrating,
  clock: Clock,
  options: MigrateOptions = {},
): Promise<{ applied: Migration[] }> {
  const applied: Migration[] = [];
  for (;;) {
    const begun: Migration[] = [];
    const { done, builds, more } = await db
      .migration((tx) => advance(tx, db, clock, options, begun), options.onWait)
      .catch((error: unknown) => {
        throw explained(error, begun.at(-1));
      });
    applied.push(...done);
    if (builds !== undefined && (await build(db, clock, builds, options))) applied.push(builds);
    if (!more) return { applied };
  }
}

interface Advance {
  /** What was applied. */
  done: readonly Migration[];
  /** What comes next, and not in a transaction. */
  builds?: Migration;
  more: boolean;
}

async function advance(
  tx: SchemaTx,
  db: Migrating,
  clock: Clock,
  { afterwards, refuseNew, folder }: MigrateOptions,
  begun: Migration[],
): Promise<Advance> {
  // A role that may only read and write rows can start where there is nothing to migrate.
  if (!(await hasOurTables((statement) => tx.all(statement), db.engine, readMigrations(db.engine, folder))))
    await tx.script(CREATE_MIGRATIONS);
  const { applied, pending } = await lookAtSchema(tx, db.engine, folder);
  const isNew = applied.length === 0;
  if (refuseNew !== undefined && isNew) throw refuseNew;
  const [next] = pending;
  // A new database has no rows and serves nobody: it gets everything at once, or nothing.
  if (!isNew && next?.concurrent === true && db.concurrently !== undefined)
    return { done: [], builds: next, more: true };
  const done = isNew ? pending : pending.slice(0, 1);
  for (const migration of done) {
    begun.push(migration);
    await tx.script(plainText(migration));
    await tx.run(insertApplied, [migration.name, migration.oldest, clock.now()]);
  }
  const more = done.length < pending.length;
  if (!more) await afterwards?.(tx);
  return { done, more };
}

/** What a migration meets in the rows of a database is the operator's to know: which migration, and what it said. */
function explained(error: unknown, migration: Migration | undefined): unknown {
  if (migration === undefined || !(error instanceof Error)) return error;
  if (!(error instanceof BrokenReference) && !isConstraint(error)) return error;
  const detail = 'detail' in error && typeof error.detail === 'string' ? ` (${error.detail})` : '';
  return new OperatorError(`${migration.name}: ${error.message}${detail}; nothing of it was done`, {
    cause: error,
  });
}

const SQLITE_CONSTRAINT = 19;

function isConstraint(error: Error): boolean {
  if ('errcode' in error) return (Number(error.errcode) & 0xff) === SQLITE_CONSTRAINT;
  return 'code' in error && String(error.code).startsWith('23');
}

/** Columns are only ever added to this table, each with a default: processes of every version read it. */
const CREATE_MIGRATIONS =
  'create table if not exists schema_migrations (name text primary key, oldest text not null, applied_at bigint not null)';

/**
 * At a million bookings an index took 8.9 s in a transaction, creates waited 8.2 s and some were refused; concurrently it
 * took 10.8 s, and none waited longer than 0.4 s. Answers whether it was this process that built them.
 */
async function build(
  db: Migrating,
  clock: Clock,
  migration: Migration,
  { onWait }: MigrateOptions,
): Promise<boolean> {
  onWait?.(`${migration.name} changes indexes while the service goes on; that may take long`);
  let built = false;
  await db.concurrently?.(async (session) => {
    const applied = await session.all(selectApplied);
    if (applied.some(({ name }) => name === migration.name)) return;
    for (const change of indexChanges(migration)) {
      const found = await session.get(selectIndex, [change.index]);
      // One that was not finished, because the process or the server was killed, helps no query and costs every write.
      if (found !== undefined && (change.drops || !found.valid))
        await session.script(`drop index concurrently ${change.index}`);
      if (!change.drops && found?.valid !== true) await session.script(change.statement);
    }
    await session.run(insertApplied, [migration.name, migration.oldest, clock.now()]);
    built = true;
  });
  return built;
}

export interface SchemaState {
  readonly applied: readonly string[];
  /** What this version brings and the database does not have yet. */
  readonly pending: readonly Migration[];
  /** What a newer version has brought, on which this one can run. */
  readonly newer: readonly string[];
}

/** Throws where this version is too old for the database. */
export async function lookAtSchema(db: Sql, engine: Db['engine'], folder?: URL): Promise<SchemaState> {
  const known = readMigrations(engine, folder);
  const rows = await db.all(selectApplied);
  const tooOld = whyTooOld(rows);
  if (tooOld !== undefined) throw new OperatorError(`${tooOld}; run that version`);
  const applied = rows.map(({ name }) => name);
  refuseUnknown(applied, known);
  return {
    applied,
    pending: known.filter(({ name }) => !applied.includes(name)),
    newer: applied.filter((name) => !known.some((migration) => migration.name === name)),
  };
}

const insertApplied = write('insert into schema_migrations (name, oldest, applied_at) values ($1, $2, $3)');

const selectIndex = sayOn<{ valid: boolean }>(
  'postgres',
  `select i.indisvalid as valid from pg_index i join pg_class c on c.oid = i.indexrelid
   where c.relname = $1 and pg_table_is_visible(c.oid)`,
);
