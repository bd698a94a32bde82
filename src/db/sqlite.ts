import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { setTimeout as delay } from 'node:timers/promises';
import { DatabaseAway, OperatorError } from '../errors.ts';
import type { Clock } from '../time/clock.ts';
import { type Admission, findKeyByHash, isLive, MemoryWindows, type RateLimits } from './admission.ts';
import type { Db, Read, SchemaTx, SqlValue, Statement, Tx } from './database.ts';

export interface SqliteOptions {
  file: string;
  clock: Clock;
  /**
   * How long a write waits for another process's lock. The service retries without stopping its event
   * loop; the command line has nobody else to serve and may wait long.
   */
  lockWaitMs: number;
}

export function openSqlite(options: SqliteOptions): Db {
  return new Sqlite(options);
}

/** As many waiting transactions as share one commit: one fsync for all of them. */
const BATCH_SIZE = 128;
const RETRY_LOCK_MS = 5;
/** Opening switches the journal mode, which needs the file for a moment. */
const OPEN_WAIT_MS = 5000;
/** Readers wait only while another process recovers the log after a crash. */
const READER_WAIT_MS = 1000;

interface Job {
  body(tx: SchemaTx): Promise<unknown>;
  resolve(value: unknown): void;
  reject(error: unknown): void;
}

class Sqlite implements Db {
  readonly engine = 'sqlite';
  readonly #writer: Connection;
  readonly #reader: Connection;
  readonly #tx: SchemaTx;
  readonly #windows: MemoryWindows;
  readonly #clock: Clock;
  readonly #lockWaitMs: number;
  #waiting: Job[] = [];
  #pump: Promise<void> | undefined;

  constructor({ file, clock, lockWaitMs }: SqliteOptions) {
    try {
      mkdirSync(dirname(file), { recursive: true });
      this.#writer = new Connection(file, 0);
      this.#reader = new Connection(file, READER_WAIT_MS);
    } catch (error) {
      throw new OperatorError(`cannot open the database file ${file}: ${reason(error)}`);
    }
    this.#tx = asTx(this.#writer);
    this.#clock = clock;
    this.#windows = new MemoryWindows(clock);
    this.#lockWaitMs = lockWaitMs;
  }

  // Reads have a connection of their own: they see every commit and wait for none.
  async all<Row>(statement: Read<Row>, values: readonly SqlValue[] = []): Promise<Row[]> {
    return this.#reader.all(statement, values);
  }

  async get<Row>(statement: Read<Row>, values: readonly SqlValue[] = []): Promise<Row | undefined> {
    return this.#reader.get(statement, values);
  }

  async transaction<T>(body: (tx: Tx) => Promise<T>): Promise<T> {
    return this.exclusive(body);
  }

  /** There is one writer, so every transaction is alone. */
  async exclusive<T>(body: (tx: SchemaTx) => Promise<T>): Promise<T> {
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    this.#waiting.push({ body, resolve, reject });
    this.#pump ??= this.#commitWaiting();
    return (await promise) as T;
  }

  async admit(keyHash: string, limits: RateLimits): Promise<Admission | undefined> {
    const row = this.#reader.get(findKeyByHash, [keyHash]);
    if (row === undefined) return undefined;
    const at = this.#clock.now();
    const limit = limits[row.environment];
    return {
      keyId: row.id,
      hostId: row.host_id,
      environment: row.environment,
      scopes: row.scopes,
      expiresAt: row.expires_at,
      revokedAt: row.revoked_at,
      lastUsedAt: row.last_used_at,
      at,
      ...(limit > 0 && isLive(row, at) ? { rate: this.#windows.admit(row.id, limit) } : {}),
    };
  }

  async close(): Promise<void> {
    await this.#pump;
    this.#reader.close();
    this.#writer.close();
  }

  /**
   * Runs everything that waits, batch by batch. setImmediate lets one turn of the event loop collect
   * requests first; while a commit's fsync runs, the next batch gathers in the sockets.
   */
  async #commitWaiting(): Promise<void> {
    await new Promise(setImmediate);
    while (this.#waiting.length > 0) {
      await this.#runBatch(this.#waiting.splice(0, BATCH_SIZE));
      await new Promise(setImmediate);
    }
    this.#pump = undefined;
  }

  async #runBatch(batch: Job[]): Promise<void> {
    const committed: (() => void)[] = [];
    try {
      await this.#begin();
      for (const job of batch) {
        const settle = await this.#runOne(job);
        committed.push(settle);
      }
      this.#writer.exec('commit');
    } catch (error) {
      // The whole batch is gone, bodies that had succeeded too: nobody is told otherwise.
      if (this.#writer.inTransaction) this.#writer.exec('rollback');
      const away = new DatabaseAway(error);
      for (const job of batch) job.reject(away);
      return;
    }
    for (const settle of committed) settle();
  }

  /** One body inside its savepoint; its outcome is told only once the batch has been committed. */
  async #runOne(job: Job): Promise<() => void> {
    this.#writer.exec('savepoint one');
    try {
      const value = await job.body(this.#tx);
      this.#writer.exec('release one');
      return () => job.resolve(value);
    } catch (error) {
      if (!this.#writer.inTransaction || error instanceof DatabaseAway) throw error;
      this.#writer.exec('rollback to one');
      this.#writer.exec('release one');
      return () => job.reject(error);
    }
  }

  async #begin(): Promise<void> {
    const deadline = performance.now() + this.#lockWaitMs;
    for (;;) {
      try {
        this.#writer.exec('begin immediate');
        return;
      } catch (error) {
        if (!isLocked(error) || performance.now() >= deadline) throw error;
        await delay(RETRY_LOCK_MS);
      }
    }
  }
}

/** One connection with its prepared statements; synchronous, as SQLite is. */
class Connection {
  readonly #db: DatabaseSync;
  readonly #prepared = new Map<Statement<unknown>, Prepared>();

  constructor(file: string, busyTimeoutMs: number) {
    this.#db = new DatabaseSync(file, { timeout: OPEN_WAIT_MS, enableForeignKeyConstraints: true });
    this.#db.exec(`
      pragma journal_mode = wal;
      pragma synchronous = full;
      pragma temp_store = memory;
      pragma cache_size = -16000;
      pragma busy_timeout = ${busyTimeoutMs};`);
  }

  get inTransaction(): boolean {
    return this.#db.isTransaction;
  }

  exec(text: string): void {
    translating(() => this.#db.exec(text));
  }

  all<Row>(statement: Statement<Row>, values: readonly SqlValue[]): Row[] {
    return translating(() => {
      const { query, columns } = this.#prepare(statement);
      return (query.all(...values) as unknown as SqlValue[][]).map((cells) => toRow<Row>(columns, cells));
    });
  }

  get<Row>(statement: Statement<Row>, values: readonly SqlValue[]): Row | undefined {
    return translating(() => {
      const { query, columns } = this.#prepare(statement);
      const cells = query.get(...values) as unknown as SqlValue[] | undefined;
      return cells === undefined ? undefined : toRow<Row>(columns, cells);
    });
  }

  run(statement: Statement<unknown>, values: readonly SqlValue[]): number {
    return translating(() => Number(this.#prepare(statement).query.run(...values).changes));
  }

  close(): void {
    this.#prepared.clear();
    this.#db.close();
  }

  #prepare(statement: Statement<unknown>): Prepared {
    let prepared = this.#prepared.get(statement);
    if (prepared === undefined) {
      // SQLite takes $1 for a name and ?1 for a position.
      const query = this.#db.prepare(statement.text.replaceAll(/\$(\d+)/g, '?$1'));
      query.setReturnArrays(true);
      prepared = { query, columns: query.columns().map((column) => column.name) };
      this.#prepared.set(statement, prepared);
    }
    return prepared;
  }
}

interface Prepared {
  query: StatementSync;
  columns: string[];
}

/**
 * node:sqlite's own row objects are dictionaries to V8: reading a key's seven fields out of one took 2.5 µs.
 * Objects that are built here share a shape, and reading them costs nothing.
 */
function toRow<Row>(columns: readonly string[], cells: readonly SqlValue[]): Row {
  const row: Record<string, unknown> = {};
  for (let i = 0; i < columns.length; i++) row[columns[i]!] = cells[i];
  return row as Row;
}

/** The shape of every engine's transaction: promises, though these are settled when they are made. */
function asTx(connection: Connection): SchemaTx {
  return {
    all: async (statement, values = []) => connection.all(statement, values),
    get: async (statement, values = []) => connection.get(statement, values),
    run: async (statement, values = []) => connection.run(statement, values),
    script: async (text) => connection.exec(text),
  };
}

// Primary result codes of SQLite (the low byte of an extended one).
const BUSY = 5;
const LOCKED = 6;
/** Read-only, I/O error, full disk, cannot open: the machine's trouble, which may pass. */
const AWAY = new Set([BUSY, LOCKED, 8, 10, 13, 14]);

function translating<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    const code = resultCode(error);
    throw code !== undefined && AWAY.has(code) ? new DatabaseAway(error) : error;
  }
}

function isLocked(error: unknown): boolean {
  const code = error instanceof DatabaseAway ? resultCode(error.cause) : undefined;
  return code === BUSY || code === LOCKED;
}

function resultCode(error: unknown): number | undefined {
  if (!(error instanceof Error) || !('errcode' in error) || typeof error.errcode !== 'number')
    return undefined;
  return error.errcode & 0xff;
}

function reason(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
