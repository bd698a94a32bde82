import { resolve } from 'node:path';
import { list } from '../audit/list.ts';
import { readConfig } from '../config.ts';
import { recordBackup } from '../db/database.ts';
import { placeOf } from '../postgres-url.ts';
import { copyDatabase, noteBackup } from '../db/sqlite/backup.ts';
import { prepareFile } from '../db/sqlite/file.ts';
import { OperatorError } from '../errors.ts';
import { systemClock, toTimestamp } from '../time/clock.ts';
import { command, flag } from './command.ts';
import { note } from './output.ts';
import { withProgress } from './terminal.ts';
import { refuseMissingFile, withContext } from './run.ts';

export const backup = command('backup', {
  about: 'copy the SQLite file while the service runs, and check the copy',
  argument: ['[file]', 'where to; it must not exist yet'],
  options: {
    record: flag('only record that another tool, such as pg_dump, has just made a backup'),
  },
  json: 'print {file, bytes, last_audit}',
  examples: ['hourkeep backup /backups/hourkeep-$(date +%F).db', 'pg_dump … && hourkeep backup --record'],
  misuse: ({ id, record }) =>
    (id === undefined) === (record === undefined) && 'give either a file or --record',
  start: async ({ id: name, record }) => {
    if (record)
      return withContext(async ({ db }) => {
        const now = systemClock.now();
        await recordBackup(db, now);
        return { recorded_at: toTimestamp(now) };
      });
    const file = resolve(name);
    const config = readConfig(process.env);
    const { database } = config;
    // Past a pooler: pg_dump changes settings of its session, and the next transaction would find them changed.
    if (database.engine === 'postgres') throw usePgDump(database.directUrl ?? database.url, file);
    refuseMissingFile(config);
    prepareFile(database.file);
    const startedAt = systemClock.now();
    const { bytes, seen } = await withProgress((show) =>
      copyDatabase(database.file, file, show, async (copy) => (await list(copy, { limit: 1 }))[0]),
    );
    try {
      await noteBackup(database, startedAt);
    } catch (error) {
      // The copy is good all the same.
      note(`Note: the time of this backup is not in the metrics: ${(error as Error).message}`);
    }
    return { file, bytes, last_audit: seen ?? null };
  },
  print: (done) => {
    if ('recorded_at' in done) return `Recorded a backup of ${done.recorded_at}.`;
    const { file, bytes, last_audit: last } = done;
    return [
      `Copied and checked: ${file} (${(bytes / 1e6).toFixed(1)} MB).`,
      `The last entry of its audit trail: ${last === null ? 'none' : `${last.at} ${last.action} ${last.subject}`}`,
      'It needs the secret key to be restored: SECRET_KEY, or secret.key in DATA_DIR. Keep that apart from it.',
    ];
  },
});

function usePgDump(url: string, file: string): OperatorError {
  const { user, hosts, database } = placeOf(url);
  const where = `postgres://${user === '' ? '' : `${encodeURIComponent(user)}@`}${hosts}/${encodeURIComponent(database)}`;
  return new OperatorError(
    `this database is PostgreSQL’s; use its own tool: pg_dump --format=custom --file=${file} ${where}`,
  );
}
