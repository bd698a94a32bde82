import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { GENERATED } from '../client/generate/files.ts';

export const ROOT = join(import.meta.dirname, '..');

/** What git knows or would take, and what the build generates: never what else git ignores, such as settings in deploy/. */
export function projectFiles(folder = ''): string[] {
  const listed = git('ls-files', '--cached', '--others', '--exclude-standard', '-z').split('\0');
  return [...new Set([...listed, ...GENERATED])]
    .filter((file) => file !== '' && file.startsWith(folder))
    .sort();
}

/** Of the newest migration. */
export function schemaNumber(): string {
  return readdirSync(join(ROOT, 'migrations')).sort().at(-1)!.slice(0, 4);
}

export function commit(): string {
  return git('rev-parse', 'HEAD');
}

/** Every file of a release has this time, in seconds since 1970. */
export function commitTime(): number {
  return Number(git('log', '-1', '--format=%ct'));
}

export function readJson(file: string): unknown {
  return JSON.parse(readFileSync(join(ROOT, file), 'utf8'));
}

export function git(...args: string[]): string {
  return execFileSync('git', args, { cwd: ROOT, encoding: 'utf8', maxBuffer: 2 ** 26 }).trimEnd();
}
