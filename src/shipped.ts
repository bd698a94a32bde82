import { join } from 'node:path';

/** The path of a file or folder that is shipped with the program: it lies in the same place in a clone and in a package. */
export function shipped(path: string): string {
  return join(import.meta.dirname, '..', path);
}
