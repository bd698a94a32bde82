import { hash } from 'node:crypto';
import { DatabaseSync } from 'node:sqlite';
import { OperatorError } from '../errors.ts';
import { isLocked } from '../db/sqlite/connection.ts';
import { COPIED_TO, prepareFile } from '../db/sqlite/file.ts';
import { csvLine, DIGITS, hashedLine, type Sum, type Table } from './tables.ts';

/** A command that writes is done within this time. */
const LOCK_WAIT_MS = 5000;
const CHUNK_CHARACTERS = 128 * 1024;

/**
 * The SQLite file, held so that nobody writes to it: what commands changed meanwhile would be missing in the copy. Rows
 * are read one by one as they lie in the file, so memory does not grow with them.
 */
export class Source {
  readonly #db: DatabaseSync;

  constructor(file: string) {
    try {
      prepareFile(file);
      // Without the settings of our other connections: the file may be another program's.
      this.#db = new DatabaseSync(file, { timeout: LOCK_WAIT_MS });
      this.#db.exec('begin immediate; select name from schema_migrations');
    } catch (error) {
      throw openError(error, file);
    }
  }

  count({ name }: Table): number {
    return Number(this.#db.prepare(`select count(*) as rows from ${name}`).get()?.['rows']);
  }

  /** The table in COPY's CSV format, in pieces of about a hundred kilobytes; tells how many rows have been read. */
  *lines(table: Table, progress: (rows: number) => void): Generator<Buffer> {
    let text = '';
    let rows = 0;
    for (const line of this.#read(`select ${csvLine(table)} as line from ${table.name}`)) {
      text += `${line}\n`;
      rows++;
      if (text.length < CHUNK_CHARACTERS) continue;
      yield Buffer.from(text);
      progress(rows);
      text = '';
    }
    if (text !== '') yield Buffer.from(text);
  }

  sum(table: Table): Sum {
    let rows = 0;
    let sum = 0n;
    for (const line of this.#read(`select ${hashedLine(table)} as line from ${table.name}`)) {
      sum += BigInt(Number.parseInt(hash('sha256', line).slice(0, DIGITS), 16));
      rows++;
    }
    return { rows, hash: sum.toString(16) };
  }

  /** Writes down where everything is now, so that the file is not served any more. Ends the hold on it. */
  mark(to: string): void {
    const text =
      'insert into settings (name, value) values (?, ?) on conflict (name) do update set value = excluded.value';
    this.#db.prepare(text).run(COPIED_TO, to);
    this.#db.exec('commit');
  }

  close(): void {
    this.#db.close();
  }

  *#read(text: string): Generator<string> {
    try {
      for (const { line } of this.#db.prepare(text).iterate()) yield String(line);
    } catch (error) {
      throw new OperatorError(`the file cannot be read: ${(error as Error).message}`);
    }
  }
}

function openError(error: unknown, file: string): OperatorError {
  if (isLocked(error)) return new OperatorError(`a command is writing to ${file}; wait until it has ended`);
  const { message } = error as Error;
  if (/no such table/.test(message))
    return new OperatorError(`${file} has no tables of Hourkeep; set DATA_DIR to where they are`);
  return new OperatorError(`cannot open the database file ${file}: ${message}`);
}
