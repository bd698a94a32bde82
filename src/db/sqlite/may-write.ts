import { accessSync, constants, existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { thisUser } from '../../file-problem.ts';

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
