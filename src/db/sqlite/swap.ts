import { existsSync, linkSync, realpathSync, renameSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { OperatorError } from '../../errors.ts';
import { syncFolder } from './backup.ts';
import { isOpenNowhere } from './file.ts';

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
