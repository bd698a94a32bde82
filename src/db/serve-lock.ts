import { DatabaseSync } from 'node:sqlite';
import { OperatorError } from '../errors.ts';

/**
 * An SQLite file is served by one process. The lock is an exclusive transaction held open on a small
 * database beside it: the operating system drops it with the process, however that ends, so a crash
 * leaves nothing stale behind (a pid file would).
 */
export function lockForServing(databaseFile: string): { release(): void } {
  const lock = new DatabaseSync(`${databaseFile}.serve.lock`, { timeout: 0 });
  try {
    lock.exec('begin exclusive');
  } catch {
    lock.close();
    throw new OperatorError(
      `another process is serving ${databaseFile}; stop it first, or use PostgreSQL to run several`,
    );
  }
  return { release: () => lock.close() };
}
