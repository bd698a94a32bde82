import type { Command } from 'commander';
import { list } from '../audit/list.ts';
import * as hosts from '../hosts/hosts.ts';
import * as parse from './options.ts';
import { printList } from './output.ts';
import { withContext } from './run.ts';

const DEFAULT_LIMIT = 100;
const MOST = 10_000;

export function addAuditCommands(program: Command): void {
  program
    .command('audit')
    .description('who changed what, and when')
    .command('list')
    .description('list changes by the API, the command line and the clock, newest first')
    .option('--host <id>', 'only this host’s', parse.id)
    .option('--since <when>', 'a span such as 7d or 12h, a date, or a time', parse.since, 0)
    .option('--limit <n>', `how many, up to ${MOST}`, parse.countFrom(1, MOST), DEFAULT_LIMIT)
    .option('--json', 'print an array')
    .addHelpText(
      'after',
      '\nExamples:\n  hourkeep audit list --since 7d\n  hourkeep audit list --host <id> --since 2027-03-01 --limit 1000 --json | jq \'.[] | select(.actor.id == "<key>")\'',
    )
    .action(async (options: { host?: string; since: number; limit: number; json?: true }) => {
      const { host: hostId, since, limit } = options;
      const entries = await withContext(async (ctx) => {
        if (hostId !== undefined) await hosts.get(ctx.db, hostId);
        return list(ctx.db, { hostId, since, limit });
      });
      printList(
        options,
        entries,
        [
          ['AT', (row) => row.at],
          ['BY', (row) => `${row.actor.type} ${row.actor.id}`],
          ['ACTION', (row) => row.action],
          ['SUBJECT', (row) => row.subject],
          ['HOST', (row) => row.host_id ?? ''],
          ['ENVIRONMENT', (row) => row.environment ?? ''],
          ['REQUEST', (row) => row.request_id ?? ''],
          ['REASON', (row) => row.reason ?? ''],
        ],
        'There are no such changes.',
      );
    });
}
