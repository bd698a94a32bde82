import { DatabaseSync } from 'node:sqlite';
import { OperatorError } from '../../errors.ts';
import { isLocked, prepareFile } from './connection.ts';

/**
 * An SQLite file is served by one process. The lock is an exclusive transaction held open on a small
 * database beside it: the operating system drops it with the process, however that ends, so a crash
 * leaves nothing stale behind (a pid file would).
 */
export function lockForServing(databaseFile: string): { release(): void } {
  let lock: DatabaseSync | undefined;
  try {
    lock = new DatabaseSync(`${prepareFile(databaseFile)}.serve.lock`, { timeout: 0 });
    lock.exec('begin exclusive');
  } catch (error) {
    lock?.close();
    throw new OperatorError(
      isLocked(error)
        ? `another process is serving ${databaseFile}; stop it first, or use PostgreSQL to run several`
        : `cannot lock the database file ${databaseFile}: ${(error as Error).message}`,
    );
  }
  return { release: () => lock.close() };
}
