import { setTimeout as delay } from 'node:timers/promises';
import { DatabaseAway, OperatorError } from '../../errors.ts';
import {
  type Answers,
  type Asked,
  type Db,
  ping,
  type PoolState,
  type Read,
  refuseBroken,
  type SchemaTx,
  type SqlValue,
  type Statement,
  transactionOver,
  type Tx,
  type Write,
} from '../database.ts';
import { isLocked, SqliteConnection, whyNotWritten } from './connection.ts';
import { type EmbeddedFile, prepareFile, refuseCopied } from './file.ts';

export interface SqliteOptions extends EmbeddedFile {
  /**
   * How long a write waits for another process's lock. The service retries without stopping its event
   * loop; the command line has nobody else to serve and may wait long.
   */
  lockWaitMs: number;
}

export function openSqlite(options: SqliteOptions): Db {
  return new Sqlite(options);
}

/** At most this many transactions share one commit, and so one fsync. */
const BATCH_SIZE = 128;
/** After a rollback more are likely: the next batches give each transaction a savepoint from the start. */
const CAREFUL_BATCHES = 20;
/** Close the batch after this many turns of the event loop without a newcomer. */
const EMPTY_TURNS = 3;
const RETRY_LOCK_MS = 5;
/** After this long no further read begins in the same turn of the event loop. */
const READ_MS = 1;
/** Reads only wait for a lock while another process recovers the log after a crash. */
const READER_WAIT_MS = 1000;

interface Job {
  body(tx: SchemaTx): Promise<unknown>;
  /** It shares its commit with nobody, and references are not checked row by row. */
  isMigration: boolean;
  resolve(value: unknown): void;
  reject(error: unknown): void;
}

class Sqlite implements Db {
  readonly engine = 'sqlite';
  readonly #writer: SqliteConnection;
  readonly #reader: SqliteConnection;
  readonly #options: SqliteOptions;
  readonly #listeners = new Set<() => void>();
  #notified = false;
  #waiting: Job[] = [];
  #pump: Promise<void> | undefined;
  #careful = 0;
  /** Counts the writing statements of a batch that were not rolled back. */
  #writes = 0;
  #reads: (() => void)[] = [];

  constructor(options: SqliteOptions) {
    const { file } = options;
    try {
      prepareFile(file);
      this.#writer = new SqliteConnection(file, 0);
      this.#reader = new SqliteConnection(file, READER_WAIT_MS);
    } catch (error) {
      throw new OperatorError(
        `cannot open the database file ${file}: ${whyNotWritten(file) ?? (error as Error).message}`,
      );
    }
    this.#options = options;
  }

  // Reads have a connection of their own: they see every commit and wait for none.
  async all<Row>(statement: Read<Row>, values: readonly SqlValue[] = []): Promise<Row[]> {
    return this.#read(() => this.#reader.all(statement, values));
  }

  async get<Row>(statement: Read<Row>, values: readonly SqlValue[] = []): Promise<Row | undefined> {
    return this.#read(() => this.#reader.get(statement, values));
  }

  async readAlongIndexes<const Reads extends readonly Asked<unknown>[]>(
    reads: Reads,
  ): Promise<Answers<Reads>> {
    const answers: unknown[] = [];
    // One read in each turn of the event loop: others are served between a list's page and its count.
    for (const [statement, values] of reads) answers.push(await this.all(statement, values));
    return answers as Answers<Reads>;
  }

  async transaction<T>(body: (tx: Tx) => Promise<T>): Promise<T> {
    return this.#enqueue(body, false);
  }

  /** A start that finds nothing to change looks through no references: that takes seconds in a large file. */
  async migration<T>(body: (tx: SchemaTx) => Promise<T>): Promise<T> {
    return this.#enqueue(async (tx) => {
      const writes = this.#writes;
      const value = await body(tx);
      if (this.#writes !== writes) refuseBrokenReference(this.#writer);
      return value;
    }, true);
  }

  /** There is one writer: whoever began to write before has ended when it is our turn, in other processes too. */
  async settledBefore(now: number): Promise<number> {
    await this.transaction(async () => undefined);
    return now;
  }

  async check(): Promise<void> {
    await this.get(ping);
    const trouble = whyNotWritten(this.#options.file);
    if (trouble !== undefined) throw new OperatorError(trouble);
  }

  async once<Row>(statement: Write<Row>, values: readonly SqlValue[] = []): Promise<Row[]> {
    return this.transaction((tx) => tx.all(statement, values));
  }

  listen(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** One connection reads and is never waited for; one writes. Transactions that the next commit takes along are not kept waiting. */
  pool(): PoolState {
    const writing = this.#pump !== undefined;
    return { total: 2, idle: writing ? 1 : 2, waiting: Math.max(0, this.#waiting.length - BATCH_SIZE) };
  }

  async close(): Promise<void> {
    await this.#pump;
    while (this.#reads.length > 0) this.#readWaiting();
    this.#reader.close();
    this.#writer.close();
  }

  async #enqueue<T>(body: (tx: SchemaTx) => Promise<T>, isMigration: boolean): Promise<T> {
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    this.#waiting.push({ body, isMigration, resolve, reject });
    this.#pump ??= this.#commitWaiting();
    return (await promise) as T;
  }

  #read<T>(look: () => T): Promise<T> {
    return new Promise((resolve, reject) => {
      const count = this.#reads.push(() => void Promise.try(look).then(resolve, reject));
      if (count === 1) setImmediate(() => this.#readWaiting());
    });
  }

  /**
   * Runs the reads of one turn of the event loop together, on one snapshot that is taken after all of them were asked
   * for. Opening a snapshot is half the cost of a small read, and 64 reads in a row run three times as fast as the
   * same reads scattered. Long ones are left for the next turn: others would wait for all of them, and their rows would fill the
   * memory before any of them is answered.
   */
  #readWaiting(): void {
    const done = this.#reader.onOneSnapshot(this.#reads, READ_MS);
    this.#reads = this.#reads.slice(done);
    if (this.#reads.length > 0) setImmediate(() => this.#readWaiting());
  }

  /**
   * Runs what waits, batch by batch. The fsync blocks the event loop; requests that arrive meanwhile wait in their
   * sockets and are the next batch.
   */
  async #commitWaiting(): Promise<void> {
    await this.#gather();
    while (this.#waiting.length > 0) {
      await this.#runBatch(this.#nextBatch());
      await this.#gather();
    }
    this.#pump = undefined;
  }

  #nextBatch(): Job[] {
    const migration = this.#waiting.findIndex(({ isMigration }) => isMigration);
    const others = migration < 0 ? BATCH_SIZE : Math.min(migration, BATCH_SIZE);
    return this.#waiting.splice(0, Math.max(1, others));
  }

  /**
   * Waits while newcomers keep arriving: a commit of 60 costs little more than one of 30. An empty turn takes
   * microseconds, so a request that comes alone hardly waits.
   */
  async #gather(): Promise<void> {
    let empty = 0;
    while (empty < EMPTY_TURNS && this.#waiting.length < BATCH_SIZE) {
      const before = this.#waiting.length;
      await new Promise(setImmediate);
      empty = this.#waiting.length > before ? 0 : empty + 1;
    }
  }

  async #runBatch(batch: Job[]): Promise<void> {
    const isMigration = batch[0]!.isMigration;
    let committed: (() => void)[] | undefined;
    try {
      // Inside a transaction this could not be switched.
      if (isMigration) this.#writer.exec('pragma foreign_keys = off');
      await this.#begin();
      if (this.#careful > 0) this.#careful--;
      else committed = await this.#runJobs(batch);
      committed ??= await this.#runJobs(batch, { carefully: true });
      // SQLite itself rolls back where the disk is full, and a body may have gone on.
      if (!this.#writer.inTransaction) throw transactionOver();
      // Not earlier: a dry run writes too. Inside the transaction: it may have waited for the lock of a running copy.
      if (this.#writes > 0)
        await refuseCopied({ get: async (mark) => this.#writer.get(mark, []) }, this.#options);
      this.#writer.exec('commit');
    } catch (error) {
      // The whole batch is gone, bodies that had succeeded too: nobody is told otherwise.
      this.#undo();
      for (const job of batch) job.reject(error);
      return;
    } finally {
      if (isMigration) this.#writer.exec('pragma foreign_keys = on');
    }
    for (const settle of committed!) settle();
    if (!this.#notified) return;
    this.#notified = false;
    for (const listener of this.#listeners) listener();
  }

  /** If the rollback fails too, the next batch meets the same error and tries again. */
  #undo(): void {
    try {
      if (this.#writer.inTransaction) this.#writer.exec('rollback');
    } catch {
      return;
    }
  }

  /**
   * Runs the bodies. Nobody is answered before the batch is committed. A body that threw before it wrote has nothing to roll
   * back. Of one that has written, only a savepoint can: without, the whole batch is rolled back and begun anew, and undefined is
   * returned.
   */
  async #runJobs(batch: readonly Job[], { carefully = false } = {}): Promise<(() => void)[] | undefined> {
    const settled: (() => void)[] = [];
    for (const job of batch) {
      if (carefully) this.#writer.exec('savepoint one');
      const writes = this.#writes;
      const notified = this.#notified;
      try {
        const value = await this.#run(job);
        settled.push(() => job.resolve(value));
      } catch (error) {
        if (!this.#writer.inTransaction || error instanceof DatabaseAway) throw error;
        if (carefully) this.#writer.exec('rollback to one');
        else if (this.#writes !== writes) return this.#beginAnew();
        this.#writes = writes;
        this.#notified = notified;
        settled.push(() => job.reject(error));
      }
      if (carefully) this.#writer.exec('release one');
    }
    return settled;
  }

  /**
   * SQLite answers at once; the promises are for the interface that both engines share. One of several statements that a body makes
   * side by side can fail: what the others go on to write would be outside of the transaction, or in the next one. So it ends with the body.
   */
  async #run({ body }: Job): Promise<unknown> {
    const writer = this.#writer;
    let isOver = false;
    const noted = <S extends Read<unknown> | Write<unknown>>(statement: S): S => {
      if (isOver || !writer.inTransaction) throw transactionOver();
      // What one engine alone can say is a look into its catalogue.
      if (statement.writes && statement.only === undefined) this.#writes++;
      return statement;
    };
    const tx: SchemaTx = {
      all: async (statement, values = []) => writer.all(noted(statement), values),
      get: async (statement, values = []) => writer.get(noted(statement), values),
      run: async (statement, values = []) => writer.run(noted(statement), values),
      require: (...conditions) =>
        refuseBroken(
          tx,
          conditions.filter(({ againstRaces }) => againstRaces !== true),
        ),
      // There is one writer: whatever the name, nobody else holds it.
      lock: async () => undefined,
      tryLock: async (names) => [...names],
      notify: () => {
        this.#notified = true;
      },
      script: async (text) => {
        this.#writes++;
        writer.exec(text);
      },
    };
    try {
      return await body(tx);
    } finally {
      isOver = true;
    }
  }

  async #beginAnew(): Promise<undefined> {
    this.#writer.exec('rollback');
    await this.#begin();
    this.#careful = CAREFUL_BATCHES;
    this.#notified = false;
  }

  async #begin(): Promise<void> {
    const deadline = performance.now() + this.#options.lockWaitMs;
    this.#writes = 0;
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

/** A row refers to one that is not there. */
export class BrokenReference extends Error {
  override readonly name = 'BrokenReference';
}

/** Throws where a row refers to one that is not there, and names the first such row by its key. */
function refuseBrokenReference(connection: SqliteConnection): void {
  const broken = connection.get(firstBroken, []);
  if (broken === undefined) return;
  const { child, parent, reference } = broken;
  const columns = connection.all(columnsOf, [child]);
  const links = connection.all(linksOf, [child, reference]);
  const key = columns.filter(({ pk }) => pk > 0).map(({ name }) => name);
  const row = connection.get(
    ofCatalogue<{ row: string }>(`
      select concat_ws(', ', ${key.map((name) => `'${name} ' || "${name}"`).join(', ')}) as row from "${child}" as child
      where ${links.map(({ from }) => `"${from}" is not null`).join(' and ')} and not exists (
        select 1 from "${parent}" as parent
        where ${links.map(({ from, to }) => `parent."${to}" = child."${from}"`).join(' and ')})
      order by 1 limit 1`),
    [],
  );
  throw new BrokenReference(
    `table ${child}, row ${row?.row ?? 'unknown'}: refers to a row of ${parent} that is not there`,
  );
}

const firstBroken = ofCatalogue<{ child: string; parent: string; reference: number }>(
  'select "table" as child, parent, fkid as reference from pragma_foreign_key_check() limit 1',
);
const columnsOf = ofCatalogue<{ name: string; pk: number }>('select name, pk from pragma_table_info($1)');
const linksOf = ofCatalogue<{ from: string; to: string }>(
  'select "from", "to" from pragma_foreign_key_list($1) where id = $2 order by seq',
);

/** Not among the statements of the house: it is about SQLite's own catalogue. */
function ofCatalogue<Row>(text: string): Statement<Row> {
  return { text, name: '' };
}
