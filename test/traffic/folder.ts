import { chmodSync, mkdirSync, mkdtempSync, rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const TMPFS = 0x01021994;

/**
 * A folder on a disk: in memory a commit would cost nothing. The system's folder for temporary files is one
 * where it is not a tmpfs; else the project's data folder is.
 */
export function folderOnDisk(): { path: string; remove(): void } {
  const onDisk = statfsSync(tmpdir()).type !== TMPFS;
  const parent = onDisk ? tmpdir() : new URL('../../data', import.meta.url).pathname;
  mkdirSync(parent, { recursive: true });
  const path = mkdtempSync(join(parent, 'hourkeep-'));
  // A throw-away PostgreSQL server puts its files here too, and may run as another user.
  chmodSync(path, 0o755);
  process.env['TMPDIR'] = path;
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}
