import { readdirSync, readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { OperatorError } from '../errors.ts';
import { shipped } from '../shipped.ts';
import type { Clock } from '../time/clock.ts';
import { isOlder, VERSION } from '../version.ts';
import {
  type Db,
  type Engine,
  read,
  engineOnly,
  type SchemaTx,
  type Sql,
  type Tx,
  write,
  type Write,
} from './database.ts';
import { BrokenReference } from './sqlite/engine.ts';

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
  if (!(await hasOurTables((statement) => tx.all(statement), db.engine, folder)))
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
      const [found] = await session.all(selectIndex, [change.index]);
      // One that was not finished, because the process or the server was killed, helps no query and costs every write.
      if (found !== undefined && (change.drops || !found.valid))
        await session.script(`drop index concurrently ${change.index}`);
      if (!change.drops && found?.valid !== true) await session.script(change.statement);
    }
    await session.all(insertApplied, [migration.name, migration.oldest, clock.now()]);
    built = true;
  });
  return built;
}

/** Throws where this version is too old for the database. */
export async function lookAtSchema(db: Sql, engine: Engine, folder?: URL) {
  const known = readMigrations(engine, folder);
  const rows = await db.all(selectApplied);
  const tooOld = whyTooOld(rows);
  if (tooOld !== undefined) throw new OperatorError(`${tooOld}; run that version`);
  const applied = rows.map(({ name }) => name);
  // Migrations of the time before 0.1.0 had other names.
  if (applied.length > 0 && !known.some(({ name }) => applied.includes(name))) throw beforeFirstRelease();
  return {
    applied,
    /** What this version brings and the database does not have yet. */
    pending: known.filter(({ name }) => !applied.includes(name)),
    /** What a newer version has brought, on which this one can run. */
    newer: applied.filter((name) => !known.some((migration) => migration.name === name)),
  };
}

const insertApplied = write('insert into schema_migrations (name, oldest, applied_at) values ($1, $2, $3)');

const selectIndex = engineOnly<{ valid: boolean }>(
  'postgres',
  `select i.indisvalid as valid from pg_index i join pg_class c on c.oid = i.indexrelid
   where c.relname = $1 and pg_table_is_visible(c.oid)`,
);

const FOLDER = pathToFileURL(`${shipped('migrations')}/`);

export interface Migration {
  readonly name: string;
  /** The oldest version of Hourkeep that can run on a database with this migration. */
  readonly oldest: string;
  readonly text: string;
  /** Its indexes are built while others read and write, where the engine can do that. */
  readonly concurrent: boolean;
}

/** The migrations for this engine, in their order. One for a single engine ends with its name: 0002_name.postgres.sql. */
export function readMigrations(engine: Engine, folder = FOLDER): Migration[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith('.sql') && isFor(name, engine))
    .sort()
    .map((name) => {
      const text = readFileSync(new URL(name, folder), 'utf8');
      const oldest = /^-- oldest: (\d+\.\d+\.\d+)\n/.exec(text)?.[1];
      if (oldest === undefined) throw new Error(`${name} must begin with "-- oldest: " and a version`);
      return { name, oldest, text, concurrent: name.includes('.concurrently.') };
    });
}

/** Said to the operator before and after: processes that are older are no longer of use. */
export function whoCanRun(migrations: readonly Migration[]): string {
  const oldest = migrations.map((migration) => migration.oldest).reduce((a, b) => (isOlder(a, b) ? b : a));
  return `processes of ${oldest} and newer go on with it`;
}

function isFor(name: string, engine: Engine): boolean {
  const only = /\.(sqlite|postgres)\.sql$/.exec(name)?.[1];
  return only === undefined || only === engine;
}

/** What can be run inside a transaction: indexes are made in the usual way there. */
function plainText({ text, concurrent }: Migration): string {
  return concurrent ? text.replaceAll(/ concurrently\b/gi, '') : text;
}

const INDEX_CHANGE =
  /^(?<verb>create (?:unique )?index|drop index) concurrently (?:if exists )?(?<index>\w+)/i;

/** The statements of a concurrent migration. It has no others: each of them can be repeated after a crash. */
function indexChanges({ name, text }: Migration): { statement: string; drops: boolean; index: string }[] {
  const statements = text.replaceAll(/--.*$/gm, '').split(';');
  return statements.flatMap((each) => {
    const statement = each.trim();
    if (statement === '') return [];
    const { verb, index } = INDEX_CHANGE.exec(statement)?.groups ?? {};
    if (verb === undefined || index === undefined)
      throw new Error(`${name}: only "create index concurrently" and "drop index concurrently" go there`);
    return { statement, drops: /^drop/i.test(verb), index };
  });
}

type Ask = (statement: Write<Column>) => Promise<Column[]>;

/**
 * Throws where the database is another program's, or of a time before 0.1.0, the first release. False: it has none of our tables yet. Many
 * programs have a table schema_migrations; ours is known by its columns.
 */
export async function hasOurTables(ask: Ask, engine: Engine, folder?: URL): Promise<boolean> {
  const tables = Map.groupBy(await ask(SELECT_COLUMNS[engine]), ({ relation }) => relation);
  const columns = tables.get('schema_migrations')?.map(({ name }) => name);
  if (columns?.includes('oldest')) return true;
  if (columns?.includes('name') && columns.includes('applied_at')) throw beforeFirstRelease();
  const ours = ['schema_migrations', ...readMigrations(engine, folder).flatMap(tablesOf)];
  const taken = ours.find((table) => tables.has(table));
  if (taken === undefined) return false;
  throw new OperatorError(
    `this database has a table "${taken}" that Hourkeep did not make; give Hourkeep a database of its own (DATABASE_URL)`,
  );
}

function tablesOf({ text }: Migration): string[] {
  return [...text.matchAll(/^create table (\w+)/gim)].map(([, table]) => table!);
}

function beforeFirstRelease(): OperatorError {
  return new OperatorError(
    'the schema of this database is older than Hourkeep 0.1.0 and cannot be brought up to date; start on a new database',
  );
}

interface Column {
  readonly relation: string;
  readonly name: string;
}

/** Of all tables; on PostgreSQL of the schema in which ours would be made. On SQLite with the columns of one: a broken view has none to tell. */
const SELECT_COLUMNS = {
  sqlite: engineOnly<Column>(
    'sqlite',
    `select coalesce(relation.name, '') as relation, coalesce(part.name, '') as name
     from sqlite_schema as relation
     left join pragma_table_info('schema_migrations') as part on relation.name = 'schema_migrations'
     where relation.type in ('table', 'view')`,
  ),
  postgres: engineOnly<Column>(
    'postgres',
    `select c.relname::text as relation, a.attname::text as name from pg_class c join pg_attribute a on a.attrelid = c.oid
     where c.relkind in ('r', 'p', 'v', 'm', 'f') and a.attnum > 0 and not a.attisdropped and pg_table_is_visible(c.oid)
       and (c.relnamespace = quote_ident(current_schema())::regnamespace or c.relname = 'schema_migrations')`,
  ),
};

/** A migration, as a database remembers it: processes of other versions do not have its file. */
interface Applied {
  readonly name: string;
  readonly oldest: string;
}

const selectApplied = read<Applied>('select name, oldest from schema_migrations order by name');

/** Why this version must not work on a database with these migrations. Undefined where it can. */
function whyTooOld(applied: readonly Applied[]): string | undefined {
  const newest = applied.reduce<Applied | undefined>(
    (highest, each) => (highest === undefined || isOlder(highest.oldest, each.oldest) ? each : highest),
    undefined,
  );
  if (newest === undefined || !isOlder(VERSION, newest.oldest)) return undefined;
  return `this is Hourkeep ${VERSION}, and the database needs ${newest.oldest} or newer (since ${newest.name})`;
}

const LOOK_EVERY_MS = 2000;

/**
 * Notices when a newer version has migrated the database to what this one cannot run on. Looks every two seconds, when
 * `/readyz` is asked, and after an error that nobody expected, which may be the first sign of it. Migrations only go
 * forward, so what was noticed once stays.
 */
export class SchemaWatch {
  readonly #db: Sql;
  readonly #onTooOld: (reason: string) => void;
  #tooOld: string | undefined;
  #looking: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(db: Sql, onTooOld: (reason: string) => void = () => undefined) {
    this.#db = db;
    this.#onTooOld = onTooOld;
  }

  /** As far as it is known. Costs nothing. */
  get tooOld(): string | undefined {
    return this.#tooOld;
  }

  /** Asks the database. Those who ask at the same time share one answer. */
  async look(): Promise<string | undefined> {
    this.#looking ??= this.#ask().finally(() => {
      this.#looking = undefined;
    });
    await this.#looking;
    return this.#tooOld;
  }

  start(): void {
    // A database that is away is noticed by whoever needs it.
    this.#timer = setInterval(() => void this.look().catch(() => undefined), LOOK_EVERY_MS).unref();
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.#looking?.catch(() => undefined);
  }

  async #ask(): Promise<void> {
    const reason = whyTooOld(await this.#db.all(selectApplied));
    if (reason === undefined || this.#tooOld !== undefined) return;
    this.#tooOld = reason;
    this.#onTooOld(reason);
  }
}
