import { closeSync, existsSync, openSync, readdirSync, realpathSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { createDataFolder } from '../../data-folder.ts';
import { isLocked } from './connection.ts';

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
  const probe = new DatabaseSync(file, { timeout: TRY_MS });
  try {
    probe.exec('pragma locking_mode = exclusive; begin exclusive; rollback');
    return true;
  } catch (error) {
    if (isLocked(error)) return false;
    throw error;
  } finally {
    probe.close();
  }
}
