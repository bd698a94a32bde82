import { DatabaseAway } from '../errors.ts';
export type Engine = 'sqlite' | 'postgres';

export type SqlValue = string | number | null;

/**
 * One SQL text that both engines understand, with $1, $2, … for its values. Every statement is made
 * once, at module level, by `read` or `write`; a test prepares all of them on the engines they are for.
 *
 * Five notations are not for both engines:
 * - `$1::uuid` tells PostgreSQL a type where it cannot know it, as in `insert … select $1`.
 * - `unindexed(host_id) = $1` keeps SQLite, which has no statistics, from choosing an index by that column.
 * - `on_postgres(for update skip locked)` is left out on SQLite, where the statement means the same without it.
 * - `json_object_agg(name, value)::text` is called `json_group_object` on SQLite, which answers `{}` for no rows where
 *   PostgreSQL answers null.
 * - `rows_of($1)` in a `from` has one row for each object of the JSON list $1, in a column `value`: `value ->> 'id'`. So one
 *   statement takes any number of rows, where PostgreSQL would need a round trip and a plan for each.
 */
export interface Statement<Row> {
  readonly text: string;
  readonly name: string;
  /** For one engine alone. */
  readonly only?: Engine;
  /** Only a type: what a row looks like. */
  readonly row?: Row;
}
export interface Read<Row> extends Statement<Row> {
  readonly writes: false;
  /** Of a `sharedRead`: the types of its values. */
  readonly valueTypes?: readonly ValueType[];
}

export type ValueType = 'uuid' | 'text' | 'date' | 'integer';

export interface Write<Row> extends Statement<Row> {
  readonly writes: true;
  /** It writes to unlogged tables alone, so its commit waits for no disk and no standby. */
  readonly unlogged?: true;
}

/** Whatever can read: the database, or an open transaction. */
export interface Sql {
  all<Row>(statement: Read<Row>, values?: readonly SqlValue[]): Promise<Row[]>;
  get<Row>(statement: Read<Row>, values?: readonly SqlValue[]): Promise<Row | undefined>;
}

/**
 * An open transaction. Its body awaits nothing but the transaction: on the embedded engine others wait for it.
 * Statements run in the order in which they are called, awaited or not; on PostgreSQL those that are called before the first
 * of them is awaited travel in one message. So what need not wait for an answer is called first and awaited by one `Promise.all`.
 */
export interface Tx extends Sql {
  all<Row>(statement: Read<Row> | Write<Row>, values?: readonly SqlValue[]): Promise<Row[]>;
  get<Row>(statement: Read<Row> | Write<Row>, values?: readonly SqlValue[]): Promise<Row | undefined>;
  /** How many rows it changed. */
  run(statement: Write<unknown>, values?: readonly SqlValue[]): Promise<number>;
  /**
   * The last call of a body, with one condition at least: what must hold for all that was written to be committed. Of
   * conditions that do not hold the first one refuses, and everything is undone. On PostgreSQL they are checked and committed
   * in the message of the statements before; only if one does not hold the body runs once more, to find out which.
   */
  require(...conditions: readonly Condition[]): Promise<void>;
  /** Waits until nobody else holds this name, and holds it to the end of the transaction. */
  lock(name: string): Promise<void>;
  /** Of these names, those that nobody else holds; they are held to the end of the transaction. Waits for nobody. */
  tryLock(names: readonly string[]): Promise<string[]>;
  /** After the commit, calls the listeners in every process that serves this database. */
  notify(): void;
}

/** A rule that must hold when the transaction commits. */
export interface Condition<Row extends Judged = Judged> {
  /** `select … as holds …`. Always finds exactly one row, which says whether it holds. `$1` is the host. */
  readonly judge: Read<Row>;
  readonly values: readonly SqlValue[];
  /** Only a transaction that runs at the same time can break it: SQLite, which has one writer, need not ask. */
  readonly againstRaces?: true;
  /** What to tell where it does not, by the row that was found. */
  refusal(found: Row): Error | Promise<Error>;
}

/** The first that does not hold refuses. */
export async function refuseBroken(db: Pick<Sql, 'get'>, conditions: readonly Condition[]): Promise<void> {
  for (const { judge, values, refusal } of conditions) {
    const found = await db.get(judge, values);
    if (found?.holds !== 1) throw await refusal(found!);
  }
}

/** What a transaction went by has changed meanwhile: `Db.transaction` runs its body again. */
export class ChangedMeanwhile extends Error {}

export interface Judged {
  /** 1 where the rule holds, otherwise 0. */
  holds: number;
}

/** A transaction that may change tables. Only one runs at a time, over all processes. */
export interface SchemaTx extends Tx {
  script(text: string): Promise<void>;
}

/** A statement with its values. */
export type Asked<Row> = readonly [statement: Read<Row>, values: readonly SqlValue[]];
export type Answers<Reads> = {
  -readonly [I in keyof Reads]: Reads[I] extends Asked<infer Row> ? Row[] : never;
};

export interface Db extends Sql {
  readonly engine: Engine;
  /**
   * Reads in one round trip, each along an index. PostgreSQL plans them once, not anew for the values of each call, and may
   * not collect rows and sort them: the statistics of a table that grows quickly say that there are few to sort.
   */
  readAlongIndexes<const Reads extends readonly Asked<unknown>[]>(reads: Reads): Promise<Answers<Reads>>;
  /** Commits when the body resolves, rolls back when it throws. The body may run more than once. */
  transaction<T>(body: (tx: Tx) => Promise<T>): Promise<T>;
  /**
   * A moment before which nothing more will be written: whatever a transaction wrote whose body began before it can be read, in
   * all processes. `now` is the present moment, on the clock of whoever asks; the clocks of others may differ.
   */
  settledBefore(now: number): Promise<number>;
  /** One statement that writes, as a transaction of its own. */
  once<Row>(statement: Write<Row>, values?: readonly SqlValue[]): Promise<Row[]>;
  /**
   * Others must not wait long for a lock that this waits for: it gives way, says so to `onWait`, and tries again. So its
   * body too may run more than once. On SQLite references are checked before the commit instead of row by row, so that a table
   * which others refer to can be made anew: created, filled, dropped, renamed.
   */
  migration<T>(body: (tx: SchemaTx) => Promise<T>, onWait?: (why: string) => void): Promise<T>;
  /** Throws, with a line for the operator, where the service cannot work on this database. Changes nothing. */
  check(): Promise<void>;
  /**
   * Where the engine can build an index while others write. Only one process does so at a time, outside any transaction: each
   * statement commits by itself.
   */
  concurrently?(work: (session: Pick<SchemaTx, 'all' | 'script'>) => Promise<void>): Promise<void>;
  /** Calls back soon after commits that `notify`. A call can get lost, so listeners poll as well. */
  listen(listener: () => void): () => void;
  pool(): PoolState;
  close(): Promise<void>;
}

/** How this process's connections to the database are used at this moment. */
export interface PoolState {
  readonly total: number;
  readonly idle: number;
  /** Requests and tasks that wait for one of them. */
  readonly waiting: number;
}

const made: { statement: Read<unknown> | Write<unknown>; here: Error }[] = [];

/**
 * The name for statements that PostgreSQL must plan each time. A named statement soon gets one generic plan, made for
 * the average host, and for a large host that plan may read and sort everything it has.
 */
export const PLANNED_EACH_TIME = '';

export function read<Row>(text: string, name = nextName()): Read<Row> {
  return remember({ text, name, writes: false });
}

/**
 * A read of at most one row that many requests make at the same moment. On PostgreSQL they travel together
 * (postgres/sharing.ts). `$1` is the host.
 */
export function sharedRead<Row>(text: string, valueTypes: readonly ValueType[]): Read<Row> {
  return remember({ text, name: nextName(), writes: false, valueTypes });
}

export function write<Row = never>(text: string): Write<Row> {
  return remember({ text, name: nextName(), writes: true });
}

/**
 * What only one engine can say: a lock, a look into its catalogue. It counts as a write, so that it is asked inside the
 * transaction; reads before the first write are made outside of it on PostgreSQL.
 */
export function engineOnly<Row = never>(only: Engine, text: string): Write<Row> {
  return remember({ text, name: nextName(), writes: true, only });
}

export function writeUnlogged<Row = never>(text: string): Write<Row> {
  return remember({ text, name: nextName(), writes: true, only: 'postgres', unlogged: true });
}

function nextName(): string {
  return `hk${made.length}`;
}

function remember<S extends Read<unknown> | Write<unknown>>(statement: S): S {
  made.push({ statement, here: new Error('made here') });
  return statement;
}

/** Every statement that has been made so far, and by which call, for the tests that look at them all. */
export function allStatements(): readonly { statement: Statement<unknown>; stack: string }[] {
  return made.map(({ statement, here }) => ({ statement, stack: here.stack ?? '' }));
}

export const ping = read<{ one: number }>('select 1 as one');

type Text = Pick<Statement<unknown>, 'text'>;

/**
 * Removes casts, which SQLite would misread, and writes ?1 for $1, which SQLite would take for a name. A limit that is a value by
 * itself makes SQLite plan the statement anew each time it is run: 0.1 to 0.3 ms for a page of bookings. As part of a sum it does not.
 * `+` keeps a column's index from being used.
 */
export function forSqlite({ text }: Text): string {
  return text
    .replaceAll(/::\w+/g, '')
    .replaceAll(/\$(\d+)/g, '?$1')
    .replaceAll(/\b(limit|offset) (\?\d+)/g, '$1 $2 + 0')
    .replaceAll(/\bon_postgres\([^()]*\)/g, '')
    .replaceAll(/\bunindexed\(([\w.]+)\)/g, '+$1')
    .replaceAll('json_object_agg(', 'json_group_object(')
    .replaceAll('rows_of(', 'json_each(');
}

export function forPostgres({ text }: Text): string {
  return text
    .replaceAll(/\bunindexed\(([\w.]+)\)/g, '$1')
    .replaceAll(/\bon_postgres\(([^()]*)\)/g, '$1')
    .replaceAll(/\brows_of\((\$\d+)\)/g, 'jsonb_array_elements($1::jsonb)');
}

/** More would run into the time limit of a statement, which counts from when it is sent. */
const ITEMS_PER_MESSAGE = 50;

/** Does the work for each item, in order. Statements of many items leave together: `work` calls them before it awaits anything. */
export async function inGroups<Item, Made>(
  items: readonly Item[],
  work: (item: Item) => Promise<Made>,
): Promise<Made[]> {
  const made: Made[] = [];
  for (let from = 0; from < items.length; from += ITEMS_PER_MESSAGE)
    made.push(...(await Promise.all(items.slice(from, from + ITEMS_PER_MESSAGE).map(work))));
  return made;
}

/** A body goes on after its transaction has ended: something that it called side by side has failed. */
export function transactionOver(): DatabaseAway {
  return new DatabaseAway(new Error('the transaction is over'));
}

// When a database was last backed up, kept in it: by "hourkeep backup", or as the operator says of another tool.

const BACKED_UP_AT = 'backed_up_at';

export async function recordBackup(db: Pick<Db, 'once'>, now: number): Promise<void> {
  await db.once(upsertBackup, [String(now)]);
}

const upsertBackup = write(`
  insert into settings (name, value) values ('${BACKED_UP_AT}', $1)
  on conflict (name) do update set value = excluded.value`);

/** In epoch milliseconds. */
export const selectBackup = read<{ value: string }>(
  `select value from settings where name = '${BACKED_UP_AT}'`,
);
