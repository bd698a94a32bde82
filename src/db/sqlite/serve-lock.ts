import { spawnSync } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { OperatorError } from '../../errors.ts';
import { isLocked } from './connection.ts';
import { createIfMissing, prepareFile } from './file.ts';
import { whyNotWritten } from './may-write.ts';

/**
 * An SQLite file is served by one process. The lock is on the file itself, not on one of its names or on a second file:
 * a hard link, a rename or a removed file beside it does not get past it. The kernel drops it when the process ends,
 * also after kill -9. docs/decisions/0006-one-server-per-sqlite-file.md compares the ways there are.
 */
export function lockForServing(databaseFile: string): { release(): void } {
  try {
    const file = createIfMissing(databaseFile);
    const release = process.platform === 'linux' ? lockWithFlock(file) : lockWithSqlite(file);
    if (release !== undefined) return { release };
  } catch (error) {
    if (error instanceof OperatorError) throw error;
    const why = whyNotWritten(databaseFile) ?? (error as Error).message;
    throw new OperatorError(`cannot lock the database file ${databaseFile}: ${why}`);
  }
  throw new OperatorError(
    `another process is serving ${databaseFile}; stop it first, or use PostgreSQL to run several`,
  );
}

type Release = () => void;

/** Exit code of flock: somebody else has the lock. */
const TAKEN = 1;

/**
 * On Linux flock(2) and SQLite's own locks (fcntl) do not see each other, so the command line can open the file. (On
 * macOS they exclude each other.) The name is locked too, through an empty file beside it: a backup that was moved over
 * a served file is another file, but SQLite would mix it with the log of the old one.
 */
export function lockWithFlock(file: string): Release | undefined {
  const releaseFile = flock(openSync(file, 'r'));
  if (releaseFile === undefined) return undefined;
  const releaseName = flock(openSync(`${file}.serve.lock`, 'a', 0o600));
  if (releaseName === undefined) return undefined;
  return () => {
    releaseName();
    releaseFile();
  };
}

/**
 * Node has no flock. The program of this name locks the descriptor that it inherits; the lock belongs to the open file
 * and stays when the program has ended.
 */
function flock(descriptor: number): Release | undefined {
  const { status, error, stderr } = spawnSync('flock', ['-x', '-n', '3'], {
    stdio: ['ignore', 'ignore', 'pipe', descriptor],
    encoding: 'utf8',
  });
  // Closed after the database, or never: closing a file drops all locks that SQLite has on it in this process.
  if (status === 0) return () => closeSync(descriptor);
  if (status === TAKEN) return undefined;
  const missing = error !== undefined && 'code' in error && error.code === 'ENOENT';
  throw missing
    ? new Error('the program flock is missing (package util-linux)')
    : (error ?? new Error(stderr.trim()));
}

/** A command of ours that is running ends within this time; a server does not. */
const COMMAND_MS = 3000;

/**
 * Elsewhere: a connection in WAL mode holds a shared lock on the file for as long as it is open. This one starts with
 * the exclusive lock, which it gets only if nobody has the file open, and then makes it a shared one in one step. So
 * two servers that start together cannot both have it. The price: a tool such as sqlite3 that has the file open keeps
 * a server from starting.
 */
export function lockWithSqlite(file: string): Release | undefined {
  prepareFile(file);
  const holder = new DatabaseSync(file, { timeout: COMMAND_MS });
  try {
    // The first read opens the log in a way that others can share; in exclusive mode it would not.
    holder.exec('pragma journal_mode = wal; select 1 from sqlite_schema');
    holder.exec('pragma locking_mode = exclusive; begin immediate; commit');
    holder.exec('pragma locking_mode = normal; begin immediate; commit');
    return () => holder.close();
  } catch (error) {
    holder.close();
    if (isLocked(error)) return undefined;
    throw error;
  }
}
