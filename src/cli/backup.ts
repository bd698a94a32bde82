import { resolve } from 'node:path';
import type { Command } from 'commander';
import { list, type Entry } from '../audit/list.ts';
import { type Config, readConfig } from '../config.ts';
import type { Sql } from '../db/database.ts';
import { placeOf } from '../db/postgres/address.ts';
import { copyDatabase, noteBackup } from '../db/sqlite/backup.ts';
import { prepareFile } from '../db/sqlite/file.ts';
import { OperatorError } from '../errors.ts';
import { systemClock } from '../time/clock.ts';
import { print, printJson } from './output.ts';
import { withProgress } from './progress.ts';
import { refuseMissingFile } from './run.ts';

export function addBackupCommand(program: Command): void {
  program
    .command('backup')
    .description('copy the SQLite file while the service runs, and check the copy')
    .argument('<file>', 'where to; it must not exist yet')
    .option('--json', 'print {file, bytes, last_audit}')
    .addHelpText('after', '\nExample:\n  hourkeep backup /backups/hourkeep-$(date +%F).db')
    .action(async (name: string, options: { json?: true }) => {
      const file = resolve(name);
      const { bytes, seen: lastAudit } = await backUp(readConfig(process.env), file);
      if (options.json) {
        printJson({ file, bytes, last_audit: lastAudit });
        return;
      }
      print(`Copied and checked: ${file} (${(bytes / 1e6).toFixed(1)} MB).`);
      if (lastAudit !== null)
        print(`The last entry of its audit trail: ${lastAudit.at} ${lastAudit.action} ${lastAudit.subject}`);
      print(
        'It needs the secret key to be restored: SECRET_KEY, or secret.key in DATA_DIR. Keep that apart from it.',
      );
    });
}

async function backUp(config: Config, file: string) {
  const { database } = config;
  // Past a pooler: pg_dump changes settings of its session, and the next transaction would find them changed.
  if (database.engine === 'postgres') throw usePgDump(database.directUrl ?? database.url, file);
  refuseMissingFile(config);
  prepareFile(database.file);
  const source = database.file;
  const startedAt = systemClock.now();
  const copied = await withProgress((show) => copyDatabase(source, file, show, lastAuditOf));
  try {
    noteBackup(source, startedAt);
  } catch (error) {
    // The copy is good all the same.
    const { message } = error as Error;
    process.stderr.write(`Note: the time of this backup is not in the metrics: ${message}\n`);
  }
  return copied;
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
