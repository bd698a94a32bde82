import { resolve } from 'node:path';
import { list, type Entry } from '../audit/list.ts';
import { readConfig } from '../config.ts';
import type { Context } from '../context.ts';
import { recordBackup, type Sql } from '../db/database.ts';
import { placeOf } from '../postgres-url.ts';
import { copyDatabase, noteBackup } from '../db/sqlite/backup.ts';
import { prepareFile } from '../db/sqlite/file.ts';
import { OperatorError } from '../errors.ts';
import { systemClock, toTimestamp } from '../time/clock.ts';
import { command, flag } from './command.ts';
import { note } from './output.ts';
import { withProgress } from './progress.ts';
import { refuseMissingFile, withContext } from './run.ts';

export const backup = command('backup', {
  about: 'copy the SQLite file while the service runs, and check the copy',
  argument: ['[file]', 'where to; it must not exist yet'],
  options: {
    record: flag('--record', 'only record that another tool, such as pg_dump, has just made a backup'),
  },
  json: 'print {file, bytes, last_audit}',
  examples: ['hourkeep backup /backups/hourkeep-$(date +%F).db', 'pg_dump … && hourkeep backup --record'],
  misuse: ({ id, record }) =>
    (id === undefined) === (record === undefined) && 'give either a file or --record',
  start: async ({ id: name, record }) => {
    if (record) return { recorded_at: await withContext(recordNow) };
    const file = resolve(name);
    const config = readConfig(process.env);
    const { database } = config;
    // Past a pooler: pg_dump changes settings of its session, and the next transaction would find them changed.
    if (database.engine === 'postgres') throw usePgDump(database.directUrl ?? database.url, file);
    refuseMissingFile(config);
    prepareFile(database.file);
    const startedAt = systemClock.now();
    const { bytes, seen } = await withProgress((show) =>
      copyDatabase(database.file, file, show, lastAuditOf),
    );
    try {
      await noteBackup(database, startedAt);
    } catch (error) {
      // The copy is good all the same.
      note(`Note: the time of this backup is not in the metrics: ${(error as Error).message}`);
    }
    return { file, bytes, last_audit: seen };
  },
  print: (done) => {
    if ('recorded_at' in done) return `Recorded a backup of ${done.recorded_at}.`;
    const { file, bytes, last_audit: last } = done;
    return [
      `Copied and checked: ${file} (${(bytes / 1e6).toFixed(1)} MB).`,
      ...(last === null
        ? []
        : [`The last entry of its audit trail: ${last.at} ${last.action} ${last.subject}`]),
      'It needs the secret key to be restored: SECRET_KEY, or secret.key in DATA_DIR. Keep that apart from it.',
    ];
  },
});

async function recordNow({ db, clock }: Context): Promise<string> {
  const now = clock.now();
  await recordBackup(db, now);
  return toTimestamp(now);
}

function usePgDump(url: string, file: string): OperatorError {
  const { user, hosts, database } = placeOf(url);
  const where = `postgres://${user === '' ? '' : `${encodeURIComponent(user)}@`}${hosts}/${encodeURIComponent(database)}`;
  return new OperatorError(
    `this database is PostgreSQL’s; use its own tool: pg_dump --format=custom --file=${file} ${where}`,
  );
}

async function lastAuditOf(copy: Sql): Promise<Entry | null> {
  const [last] = await list(copy, { hostId: undefined, since: 0, limit: 1 });
  return last ?? null;
}
