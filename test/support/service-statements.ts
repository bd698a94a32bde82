import { globSync } from 'node:fs';
import { join } from 'node:path';
import { allStatements, type Statement } from '../../src/db/database.ts';

/** The project's folder. */
export const ROOT = join(import.meta.dirname, '../..');

interface Made {
  readonly statement: Statement<unknown>;
  /** The call that made it: file:line:column. */
  readonly place: string;
}

/** Every statement of the service, by its place: loads all its files. Those that tests and measurements make are left out. */
export async function serviceStatements(): Promise<Made[]> {
  const sources = globSync('src/**/*.ts', { cwd: ROOT }).filter(
    (file) =>
      !file.endsWith('.test.ts') && !file.endsWith('cli/main.ts') && !file.endsWith('/read-process.ts'),
  );
  for (const file of sources) await import(join(ROOT, file));
  return allStatements()
    .map(({ statement, stack }) => ({ statement, place: placeOf(stack) }))
    .filter(({ place }) => place.startsWith(join(ROOT, 'src/')) && !place.includes('.test.ts:'))
    .sort((a, b) => (a.place < b.place ? -1 : 1));
}

/** Below the two lines of database.ts itself. */
function placeOf(stack: string): string {
  const [, place] = /file:\/\/(\S+?:\d+:\d+)\)?$/.exec(stack.split('\n')[3] ?? '') ?? [];
  if (place === undefined) throw new Error(stack);
  return place;
}
