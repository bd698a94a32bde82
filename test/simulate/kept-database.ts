import type { Logger } from 'pino';
import type { Db } from '../../src/db/database.ts';
import { openDatabase as open, type DatabaseSettings } from '../../src/db/open.ts';
import { replaceModule, source } from './replace.ts';

let kept: { of: string; db: Db } | undefined;

/** To open the file and to prepare each statement took nine tenths of a command: the connection of commands stays open. */
export function keepDatabaseOfCommands(): void {
  replaceModule(source('db/open.ts'), import.meta.url, source('cli/run.ts'));
}

/** In place of the service's function of this name, for commands. */
export function openDatabase(config: DatabaseSettings, log: Logger, lockWaitMs?: number): Db {
  const { database } = config;
  const of = database.engine === 'sqlite' ? database.file : database.url;
  kept ??= { of, db: open(config, log, lockWaitMs) };
  if (kept.of !== of) throw new Error('the database of the commands before was not closed');
  return new Proxy(kept.db, {
    get: (db, name) => {
      if (name === 'close') return async () => undefined;
      const value: unknown = Reflect.get(db, name, db);
      return typeof value === 'function' ? (value as () => unknown).bind(db) : value;
    },
  });
}

export async function closeKept(): Promise<void> {
  await kept?.db.close();
  kept = undefined;
}
