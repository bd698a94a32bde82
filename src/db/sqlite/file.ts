import { spawnSync } from 'node:child_process';
import { closeSync, existsSync, openSync, readdirSync, realpathSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { EmbeddedDatabase } from '../../config.ts';
import { createDataFolder } from '../../data-folder.ts';
import { OperatorError } from '../../errors.ts';
import { read, type Sql } from '../database.ts';
import { isLocked, whyNotWritten } from './connection.ts';

/** Call it before a connection is opened: creates the file where there is none, and throws where it must not be opened. */
export function prepareFile(file: string): void {
  checkName(createIfMissing(file));
}

/**
 * Returns the path without symbolic links: SQLite keeps its log there. The file holds guests' data, so only its owner
 * may read it; SQLite gives the files beside it the same mode.
 */
export function createIfMissing(file: string): string {
  createDataFolder(dirname(file));
  // An existing file is never opened here: closing it would drop the locks that SQLite holds on it in this process.
  if (!existsSync(file)) closeSync(openSync(file, 'a', 0o600));
  return realpathSync(file);
}

/** Others who open or close the file at this moment are done within milliseconds. */
const TRIES = 20;
const TRY_MS = 100;

/**
 * One file can have several names: hard links, a new name while a server has it open, a mount of the file alone.
 * SQLite writes first into a log (`-wal`) beside the name that it was given. Two processes that use two names have two
 * logs, do not see each other's writes and destroy the file. So a name without a log is accepted only if nobody has the
 * file open.
 */
function checkName(file: string): void {
  for (let i = 0; i < TRIES; i++) {
    if (existsSync(logOf(file))) return;
    const other = otherNameWithLog(file);
    if (other !== undefined) {
      throw new Error(`it is the same file as ${other}, and the latest writes are in the log of that name`);
    }
    if (isOpenNowhere(file)) return;
  }
  throw new Error('another process has the same file open under another name; use that name');
}

function logOf(file: string): string {
  return `${file}-wal`;
}

/** Looks in the same folder only: the file system does not tell where else the other names are. */
function otherNameWithLog(file: string): string | undefined {
  const { dev, ino, nlink } = statSync(file);
  if (nlink === 1) return undefined;
  return readdirSync(dirname(file))
    .map((name) => join(dirname(file), name))
    .filter((path) => existsSync(logOf(path)))
    .find((path) => {
      const other = statSync(path);
      return other.dev === dev && other.ino === ino;
    });
}

/**
 * Every open connection in WAL mode holds a shared lock on the file itself, whatever name it used. An exclusive lock can
 * be had only if there is none. The mode is set first, so that a refused attempt leaves no log beside this name.
 */
export function isOpenNowhere(file: string): boolean {
  using probe = new DatabaseSync(file, { timeout: TRY_MS });
  try {
    probe.exec('pragma locking_mode = exclusive; begin exclusive; rollback');
    return true;
  } catch (error) {
    if (isLocked(error)) return false;
    throw error;
  }
}

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

/** The setting in which an SQLite file that was copied keeps where to. */
export const COPIED_TO = 'copied_to';

export type EmbeddedFile = Omit<EmbeddedDatabase, 'engine'>;

/** What is written to a file that was copied would be missing where everybody else reads. */
export async function refuseCopied(db: Pick<Sql, 'get'>, { file, anyway }: EmbeddedFile): Promise<void> {
  if (anyway) return;
  const mark = await db.get(selectMark).catch(ifSetUp);
  if (mark === undefined) return;
  throw new OperatorError(
    `${file} was copied to ${mark.value}; set DATABASE_URL to that, or HOURKEEP_ANYWAY=1 to write to the old file anyway`,
  );
}

/** A file without our tables was never copied. */
function ifSetUp(error: unknown): undefined {
  if (!(error instanceof Error) || !/^no such (table|column)/.test(error.message)) throw error;
}

const selectMark = read<{ value: string }>(`select value from settings where name = '${COPIED_TO}'`);
