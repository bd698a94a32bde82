import type { Admission, RateLimits } from '../rate-limit/rate-limit.ts';

export type SqlValue = string | number | null;

/**
 * One SQL text that both engines understand, with $1, $2, … for its values. Every statement is made
 * once, at module level, by `read` or `write`; a test prepares all of them on both engines.
 */
export interface Statement<Row> {
  readonly text: string;
  readonly name: string;
  /** Only a type: what a row looks like. */
  readonly row?: Row;
}
export interface Read<Row> extends Statement<Row> {
  readonly writes: false;
}
export interface Write<Row> extends Statement<Row> {
  readonly writes: true;
}

/** Reads, from anywhere: a database or an open transaction. */
export interface Sql {
  all<Row>(statement: Read<Row>, values?: readonly SqlValue[]): Promise<Row[]>;
  get<Row>(statement: Read<Row>, values?: readonly SqlValue[]): Promise<Row | undefined>;
}

/**
 * An open transaction: the only thing that writes. Its body awaits nothing but the transaction (on the
 * embedded engine others wait for it), and independent statements may be sent together with
 * `Promise.all`, which on PostgreSQL makes them one round trip.
 */
export interface Tx extends Sql {
  all<Row>(statement: Read<Row> | Write<Row>, values?: readonly SqlValue[]): Promise<Row[]>;
  get<Row>(statement: Read<Row> | Write<Row>, values?: readonly SqlValue[]): Promise<Row | undefined>;
  /** How many rows it changed. */
  run(statement: Write<unknown>, values?: readonly SqlValue[]): Promise<number>;
  /** Waits until nobody else holds this name, and holds it to the end of the transaction. */
  lock(name: string): Promise<void>;
  /** Once committed, wakes those who `listen`, in every process of this database that can be reached. */
  notify(): void;
}

/** The one transaction that may change tables; alone in the whole database. */
export interface SchemaTx extends Tx {
  script(text: string): Promise<void>;
}

export interface Db extends Sql {
  readonly engine: 'sqlite' | 'postgres';
  /** Commits when the body resolves, rolls back when it throws. The body may run more than once. */
  transaction<T>(body: (tx: Tx) => Promise<T>): Promise<T>;
  /** Finds the key with this hash and counts one request against its limit, exactly, in one step. */
  admit(keyHash: string, limits: RateLimits): Promise<Admission | undefined>;
  exclusive<T>(body: (tx: SchemaTx) => Promise<T>): Promise<T>;
  /** Calls back after commits that `notify`: soon and mostly. Whoever must not miss one looks by themselves too. */
  listen(listener: () => void): () => void;
  close(): Promise<void>;
}

const statements: (Read<unknown> | Write<unknown>)[] = [];

/**
 * The name of statements that PostgreSQL must plan anew for each set of values. With a name of its own a statement
 * soon gets one plan for all values, made for the average host; that plan may read and sort all that a large host has.
 */
export const PLANNED_EACH_TIME = '';

export function read<Row>(text: string, name = `hk${statements.length}`): Read<Row> {
  const statement: Read<Row> = { text, name, writes: false };
  statements.push(statement);
  return statement;
}

export function write<Row = never>(text: string): Write<Row> {
  const statement: Write<Row> = { text, name: `hk${statements.length}`, writes: true };
  statements.push(statement);
  return statement;
}

/** Every statement that has been made so far, for the test that prepares them all. */
export function allStatements(): readonly Statement<unknown>[] {
  return statements;
}

export const ping = read<{ one: number }>('select 1 as one');
