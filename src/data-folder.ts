import { mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { OperatorError } from './errors.ts';
import { fileProblem } from './file-problem.ts';

/** Creates a folder, and those above it, where they are missing. */
export function createDataFolder(path: string): void {
  try {
    create(path);
  } catch (error) {
    throw new OperatorError(`cannot use the data folder ${path}: ${fileProblem(error)}`);
  }
}

/**
 * Not mkdir's `recursive: true`, which never returns for a path such as /proc/1/foo: the kernel says that there is no
 * such file though the parent is there, and Node tries again for ever.
 */
function create(path: string): void {
  try {
    mkdirSync(path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST' && isFolder(path)) return;
    // Only a missing parent is worth another try.
    if (code !== 'ENOENT' || isFolder(dirname(path))) throw error;
    create(dirname(path));
    create(path);
  }
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}
