import { accessSync, constants, existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { compileFunction } from 'node:vm';
import { DatabaseAway } from '../../errors.ts';
import { thisUser } from '../../file-problem.ts';
import { forSqlite, type SqlValue, type Statement } from '../database.ts';

/** Switching to WAL mode needs the file alone for a moment. */
const OPEN_WAIT_MS = 5000;

/** One connection with its prepared statements. All calls are synchronous. */
export class SqliteConnection {
  readonly #file: string;
  readonly #db: DatabaseSync;
  readonly #prepared = new Map<Statement<unknown>, Prepared>();

  constructor(file: string, busyTimeoutMs: number) {
    this.#file = file;
    this.#db = new DatabaseSync(file, { timeout: OPEN_WAIT_MS, enableForeignKeyConstraints: true });
    this.#db.exec(`
      pragma journal_mode = wal;
      pragma synchronous = full;
      pragma secure_delete = on;
      pragma temp_store = memory;
      pragma cache_size = -16000;
      pragma wal_autocheckpoint = 4000;
      pragma busy_timeout = ${busyTimeoutMs};`);
  }

  get inTransaction(): boolean {
    return this.#db.isTransaction;
  }

  exec(text: string): void {
    this.#translated(() => this.#db.exec(text));
  }

  all<Row>(statement: Statement<Row>, values: readonly SqlValue[]): Row[] {
    return this.#translated(() => {
      const { query, toRow } = this.#prepare(statement);
      return (query.all(...values) as unknown as SqlValue[][]).map(toRow) as Row[];
    });
  }

  get<Row>(statement: Statement<Row>, values: readonly SqlValue[]): Row | undefined {
    return this.#translated(() => {
      const { query, toRow } = this.#prepare(statement);
      const cells = query.get(...values) as unknown as SqlValue[] | undefined;
      return cells === undefined ? undefined : (toRow(cells) as Row);
    });
  }

  run(statement: Statement<unknown>, values: readonly SqlValue[]): number {
    return this.#translated(() => Number(this.#prepare(statement).query.run(...values).changes));
  }

  /**
   * Runs reads on one snapshot, until so many milliseconds have passed, and answers how many it has run. They handle their own
   * errors, also that of a database which has been closed.
   */
  onOneSnapshot(reads: readonly (() => void)[], forMs: number): number {
    if (reads.length > 1 && this.#db.isOpen) this.exec('begin');
    const end = performance.now() + forMs;
    let done = 0;
    while (done < reads.length && (done === 0 || performance.now() < end)) reads[done++]!();
    if (this.#db.isOpen && this.inTransaction) this.exec('commit');
    return done;
  }

  close(): void {
    this.#prepared.clear();
    this.#db.close();
  }

  #translated<T>(work: () => T): T {
    try {
      return work();
    } catch (error) {
      const code = resultCode(error);
      if (code === undefined || !AWAY.has(code)) throw error;
      const why = code === BUSY || code === LOCKED ? undefined : whyNotWritten(this.#file);
      throw new DatabaseAway(why === undefined ? error : new Error(why, { cause: error }));
    }
  }

  #prepare(statement: Statement<unknown>): Prepared {
    let prepared = this.#prepared.get(statement);
    if (prepared === undefined) {
      const query = this.#db.prepare(forSqlite(statement));
      query.setReturnArrays(true);
      prepared = { query, toRow: rowMaker(query.columns().map(({ name }) => name)) };
      this.#prepared.set(statement, prepared);
    }
    return prepared;
  }
}

interface Prepared {
  query: StatementSync;
  toRow: (cells: readonly SqlValue[]) => unknown;
}

/**
 * node:sqlite's own row objects are slow to read: seven fields of one took 2.5 µs, because V8 keeps them as dictionaries.
 * The objects made here share one shape, and reading them costs nothing that can be measured. The function is written out for
 * the columns: filling a booking's 28 in a loop took 2.8 µs, this takes 0.1. The columns are named by our own statements, so
 * nobody else's text is compiled.
 */
function rowMaker(columns: readonly string[]): Prepared['toRow'] {
  const fields = columns.map((name, i) => `${JSON.stringify(name)}: cells[${i}]`);
  return compileFunction(`return { ${fields.join(', ')} };`, ['cells']) as Prepared['toRow'];
}

// SQLite's primary result codes: the low byte of `errcode`.
const BUSY = 5;
const LOCKED = 6;
/** Also read-only, I/O error, disk full, cannot open: trouble of the machine, which may pass. */
const AWAY = new Set([BUSY, LOCKED, 8, 10, 13, 14]);

export function isLocked(error: unknown): boolean {
  const code = resultCode(error instanceof DatabaseAway ? error.cause : error);
  return code === BUSY || code === LOCKED;
}

function resultCode(error: unknown): number | undefined {
  if (!(error instanceof Error) || !('errcode' in error) || typeof error.errcode !== 'number')
    return undefined;
  return error.errcode & 0xff;
}

/**
 * What of the database this user may not write; undefined where it may write everything. SQLite calls the same a disk I/O
 * error, a read-only database, or a file that cannot be opened, depending on which of its files it is.
 */
export function whyNotWritten(file: string): string | undefined {
  const needed = [dirname(file), file, `${file}-wal`, `${file}-shm`].filter((path) => existsSync(path));
  const path = needed.find((each) => !isWritable(each));
  if (path === undefined) return undefined;
  return `${path} may not be written by user ${thisUser()}; give it to the user who runs Hourkeep`;
}

function isWritable(path: string): boolean {
  try {
    accessSync(path, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}
