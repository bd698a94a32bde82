import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '../..');

export interface OtherVersion {
  folder: string;
  /** Its `hourkeep` command. */
  bin: string;
  remove(): void;
}

/**
 * This program as it might be in another version: a copy with more migrations, and with a table called otherwise where a
 * migration renames it.
 */
export function makeVersion(
  version: string,
  migrations: Record<string, string>,
  renamed?: { from: string; to: string },
): OtherVersion {
  const folder = mkdtempSync(join(tmpdir(), `hourkeep-${version}-`));
  for (const name of ['src', 'migrations', 'bin']) {
    const filter = (source: string): boolean => !source.endsWith('.test.ts');
    cpSync(join(ROOT, name), join(folder, name), { recursive: true, filter });
  }
  for (const name of ['node_modules', 'client', 'console', 'docs', 'CHANGELOG.md'])
    symlinkSync(join(ROOT, name), join(folder, name));
  const settings = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as object;
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ ...settings, version }));
  for (const [name, text] of Object.entries(migrations))
    writeFileSync(join(folder, 'migrations', name), text);
  if (renamed !== undefined) rename(join(folder, 'src'), renamed);
  return { folder, bin: join(folder, 'bin/hourkeep'), remove: () => rmSync(folder, { recursive: true }) };
}

function rename(folder: string, { from, to }: { from: string; to: string }): void {
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || !entry.name.endsWith('.ts')) continue;
    const file = join(entry.parentPath, entry.name);
    const text = readFileSync(file, 'utf8');
    if (text.includes(from)) writeFileSync(file, text.replaceAll(from, to));
  }
}
