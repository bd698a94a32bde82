import { readdirSync, readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { shipped } from '../shipped.ts';
import { isOlder } from '../version.ts';
import type { Engine } from './database.ts';

const FOLDER = pathToFileURL(`${shipped('migrations')}/`);

export interface Migration {
  readonly name: string;
  /** The oldest version of Hourkeep that can run on a database with this migration. */
  readonly oldest: string;
  readonly text: string;
  /** Its indexes are built while others read and write, where the engine can do that. */
  readonly concurrent: boolean;
}

/** An index that a concurrent migration makes or drops. */
export interface IndexChange {
  readonly index: string;
  readonly drops: boolean;
  readonly statement: string;
}

/** The migrations for this engine, in their order. One for a single engine ends with its name: 0002_name.postgres.sql. */
export function readMigrations(engine: Engine, folder = FOLDER): Migration[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith('.sql') && isFor(name, engine))
    .sort()
    .map((name) => {
      const text = readFileSync(new URL(name, folder), 'utf8');
      const oldest = /^-- oldest: (\d+\.\d+\.\d+)\n/.exec(text)?.[1];
      if (oldest === undefined) throw new Error(`${name} must begin with "-- oldest: " and a version`);
      return { name, oldest, text, concurrent: name.includes('.concurrently.') };
    });
}

/** Said to the operator before and after: processes that are older are no longer of use. */
export function whoCanRun(migrations: readonly Migration[]): string {
  const oldest = migrations.map((migration) => migration.oldest).reduce((a, b) => (isOlder(a, b) ? b : a));
  return `processes of ${oldest} and newer go on with it`;
}

function isFor(name: string, engine: Engine): boolean {
  const only = /\.(sqlite|postgres)\.sql$/.exec(name)?.[1];
  return only === undefined || only === engine;
}

/** What can be run inside a transaction: indexes are made in the usual way there. */
export function plainText({ text, concurrent }: Migration): string {
  return concurrent ? text.replaceAll(/ concurrently\b/gi, '') : text;
}

const INDEX_CHANGE = /^(create (?:unique )?index|drop index) concurrently (?:if exists )?(\w+)/i;

/** The statements of a concurrent migration. It has no others: each of them can be repeated after a crash. */
export function indexChanges({ name, text }: Migration): IndexChange[] {
  return text
    .replaceAll(/--.*$/gm, '')
    .split(';')
    .map((statement) => statement.trim())
    .filter((statement) => statement !== '')
    .map((statement) => {
      const [, verb, index] = INDEX_CHANGE.exec(statement) ?? [];
      if (verb === undefined || index === undefined)
        throw new Error(`${name}: only "create index concurrently" and "drop index concurrently" go there`);
      return { index, drops: /^drop/i.test(verb), statement };
    });
}
