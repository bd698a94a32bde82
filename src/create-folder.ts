import { mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Creates a folder and the missing ones above it. Node's own `recursive: true` never returns for a path such as
 * /proc/1/foo: the kernel answers "no such file" although the parent is there, and Node tries again for ever.
 */
export function createFolder(path: string): void {
  try {
    mkdirSync(path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST' && statSync(path).isDirectory()) return;
    // Only a missing parent is worth another try.
    if (code !== 'ENOENT' || isFolder(dirname(path))) throw error;
    createFolder(dirname(path));
    createFolder(path);
  }
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}
