import {
  closeSync,
  existsSync,
  fsyncSync,
  linkSync,
  openSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { backup, DatabaseSync } from 'node:sqlite';
import { OperatorError } from '../../errors.ts';
import { fileProblem } from '../../file-problem.ts';
import { type Db, recordBackup, type Sql } from '../database.ts';
import { openSqlite, type SqliteOptions } from './engine.ts';
import { type EmbeddedFile, isOpenNowhere } from './file.ts';

/** Told now and then how far it is. */
export type Progress = (text: string) => void;

const OTHER_NAME = '; choose another name';

/** 32 MB: a second or less between two lines of progress. */
const PAGES_PER_STEP = 8192;

/**
 * Copies a database that others are writing to: what was committed before is in the copy, what comes later is not.
 * Writers do not wait for it; only the log grows meanwhile. The copy is called FILE.part until it is complete and
 * checked: whatever ends the command before, there is no FILE that could be taken for a database.
 */
export async function copyDatabase<T>(
  file: string,
  target: string,
  progress: Progress,
  look: (copy: Sql) => Promise<T>,
): Promise<{ bytes: number; seen: T }> {
  const part = `${target}.part`;
  if (existsSync(target)) throw new OperatorError(`${target} is there already${OTHER_NAME}`);
  // Only its owner may read a copy, from its first byte on.
  make(part, ': another backup is writing it, or was killed; if none runs, remove it', () =>
    closeSync(openSync(part, 'wx', 0o600)),
  );
  const remove = (): void => {
    for (const name of [part, `${part}-journal`, `${part}-wal`, `${part}-shm`]) rmSync(name, { force: true });
  };
  const interrupted = (): void => {
    remove();
    process.exit(1);
  };
  process.once('SIGINT', interrupted).once('SIGTERM', interrupted);
  try {
    await copy(file, part, progress);
    progress('checking the copy');
    check(part);
    const seen = await withFile({ file: part, lockWaitMs: 0 }, look);
    // Linking refuses a name that exists, also one that somebody took a moment ago; renaming would replace that file.
    make(target, OTHER_NAME, () => linkSync(part, target));
    syncFolder(dirname(target));
    return { bytes: statSync(target).size, seen };
  } catch (error) {
    throw explained(error);
  } finally {
    remove();
    process.off('SIGINT', interrupted).off('SIGTERM', interrupted);
  }
}

/** Makes a file of a name that is free. */
function make(name: string, ifTaken: string, write: () => void): void {
  try {
    write();
  } catch (error) {
    const isTaken = (error as NodeJS.ErrnoException).code === 'EEXIST';
    throw new OperatorError(
      isTaken ? `${name} is there already${ifTaken}` : `cannot write ${name}: ${fileProblem(error)}`,
    );
  }
}

/** A transaction is open throughout. Without it, SQLite would begin anew whenever others write between two steps. */
async function copy(file: string, target: string, progress: Progress): Promise<void> {
  // Not read-only: such a connection, if it is the last one, leaves files beside the database.
  using source = new DatabaseSync(file, { timeout: 5000 });
  source.exec('begin; select 1 from sqlite_schema');
  await backup(source, target, {
    rate: PAGES_PER_STEP,
    progress: ({ totalPages, remainingPages }) =>
      progress(`${Math.floor((100 * (totalPages - remainingPages)) / totalPages)} % copied`),
  });
}

function check(file: string): void {
  using db = new DatabaseSync(file);
  const problems = db
    .prepare('pragma integrity_check(3)')
    .all()
    .map((row) => String(row['integrity_check']).replaceAll(/\s+/g, ' '));
  if (problems.join() !== 'ok') throw notSound(problems.join('; '));
  const orphan = db.prepare('pragma foreign_key_check').get();
  if (orphan !== undefined) throw notSound(`a row of ${String(orphan['table'])} refers to nothing`);
}

function notSound(why: string): OperatorError {
  return new OperatorError(`the copy is not sound, so the database is not: ${why}`);
}

/** SQLite's errors: the disk is full, or the file is damaged beyond reading. */
function explained(error: unknown): unknown {
  const ofSqlite = error instanceof Error && 'errcode' in error;
  return ofSqlite ? new OperatorError(`the database cannot be copied: ${error.message}`) : error;
}

async function withFile<T>(options: SqliteOptions, work: (db: Db) => Promise<T>): Promise<T> {
  const db = openSqlite(options);
  try {
    return await work(db);
  } finally {
    await db.close();
  }
}

/** A name is on the disk when its folder is. */
function syncFolder(folder: string): void {
  const descriptor = openSync(folder, 'r');
  fsyncSync(descriptor);
  closeSync(descriptor);
}

/** Keeps in a file when it was copied, for the metrics. */
export async function noteBackup(file: EmbeddedFile, now: number): Promise<void> {
  await withFile({ ...file, lockWaitMs: 5000 }, (db) => recordBackup(db, now));
}

/**
 * Puts `replacement` in the place of `file`, and keeps what was there under the name `kept`. There is a whole database under the name at
 * every moment, whenever the machine stops. Needs the lock for serving. Returns whether there was anything to keep.
 */
export function swapIn(replacement: string, file: string, kept: string): boolean {
  const target = realpathSync(file);
  const hadContent = statSync(target).size > 0;
  if (hadContent) {
    emptyLog(target);
    // What is left of a log that cannot be read must not be taken for the new file's.
    for (const end of ['-wal', '-shm']) if (existsSync(target + end)) renameSync(target + end, kept + end);
    linkSync(target, kept);
  }
  renameSync(replacement, target);
  syncFolder(dirname(target));
  return hadContent;
}

/** Whoever is the last to close a file writes its log into it. */
function emptyLog(file: string): void {
  let isFree: boolean;
  try {
    isFree = isOpenNowhere(file);
  } catch {
    // A file that SQLite cannot read: why it is replaced, perhaps.
    return;
  }
  if (!isFree) throw new OperatorError(`another command uses ${file}; wait until it has ended`);
}
