import { resolve } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import type { Command } from 'commander';
import { type Config, readConfig } from '../config.ts';
import { copyDatabase } from '../db/sqlite/backup.ts';
import { prepareFile } from '../db/sqlite/file.ts';
import { OperatorError } from '../errors.ts';
import { toTimestamp } from '../time/clock.ts';
import { print, printJson } from './output.ts';
import { endProgress, showProgress } from './progress.ts';
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
      endProgress();
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
  if (config.database.engine === 'postgres') throw usePgDump(config.database.url, file);
  refuseMissingFile(config);
  prepareFile(config.database.file);
  return copyDatabase(config.database.file, file, showProgress, lastAuditOf);
}

function usePgDump(url: string, file: string): OperatorError {
  const { username, host, pathname } = new URL(url);
  const where = `postgres://${username === '' ? '' : `${username}@`}${host}${pathname}`;
  return new OperatorError(
    `this database is PostgreSQL's; use its own tool: pg_dump --format=custom --file=${file} ${where}`,
  );
}

function lastAuditOf(copy: DatabaseSync) {
  const row = copy.prepare('select * from audit order by id desc limit 1').get();
  if (row === undefined) return null;
  return {
    at: toTimestamp(Number(row['at'])),
    actor: { type: row['actor_type'], id: row['actor_id'] },
    action: String(row['action']),
    host_id: row['host_id'],
    environment: row['environment'],
    subject: String(row['subject']),
    request_id: row['request_id'],
  };
}
