import type { Logger } from 'pino';
import type { Config } from '../config.ts';
import type { Db } from './database.ts';
import { Postgres } from './postgres/engine.ts';
import { openSqlite } from './sqlite/engine.ts';

/** A request must not wait long for a lock; a person at the command line can. */
const SERVICE_LOCK_WAIT_MS = 1500;

/** What says where a database is and how it is reached. */
export type DatabaseSettings = Pick<Config, 'database' | 'databasePoolSize'>;

export function openDatabase(config: DatabaseSettings, log: Logger, lockWaitMs = SERVICE_LOCK_WAIT_MS): Db {
  const { database } = config;
  if (database.engine === 'sqlite') return openSqlite({ ...database, lockWaitMs });
  return new Postgres({
    ...database,
    setting: 'DATABASE_URL',
    poolSize: config.databasePoolSize,
    onConnectionLost: (error) => log.warn({ error }, 'a database connection was lost'),
    onServerFound: (server) => log.info({ server }, 'this database server takes writes'),
  });
}
