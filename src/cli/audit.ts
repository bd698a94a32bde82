import type { Command } from 'commander';
import type { Changes } from '../audit/audit.ts';
import { list, type Wanted } from '../audit/list.ts';
import * as hosts from '../hosts/hosts.ts';
import * as parse from './options.ts';
import { printList } from './output.ts';
import { withContext } from './run.ts';

const DEFAULT_LIMIT = 100;
const MOST = 10_000;

interface ListOptions extends Omit<Wanted, 'hostId'> {
  host?: string;
  json?: true;
}

export function addAuditCommands(program: Command): void {
  program
    .command('audit')
    .description('who changed what, and when')
    .command('list')
    .description('list changes by the API, the command line and the clock, newest first')
    .option('--host <id>', 'only this host’s', parse.id)
    .option('--since <when>', 'a span such as 7d or 12h, a date, or a time', parse.since, 0)
    .option('--until <when>', 'a span ago, a date (to its end, in UTC), or a time', parse.until)
    .option('--subject <id>', 'only changes of this: a booking, a space, a webhook, …', parse.text)
    .option('--action <action>', 'only these, such as space.updated', parse.text)
    .option('--actor <id>', 'only by this key, operator or task', parse.text)
    .option('--request <id>', 'only what this API request changed', parse.text)
    .option('--limit <n>', `how many, up to ${MOST}`, parse.countFrom(1, MOST), DEFAULT_LIMIT)
    .option('--json', 'print an array')
    .addHelpText(
      'after',
      '\nExamples:\n  hourkeep audit list --since 7d\n  hourkeep audit list --host <id> --since 2027-03-01 --until 2027-04-01 --action space.updated\n  hourkeep audit list --request <request id>',
    )
    .action(async (options: ListOptions) => {
      const { host: hostId, json: _json, ...wanted } = options;
      const entries = await withContext(async (ctx) => {
        if (hostId !== undefined) await hosts.get(ctx.db, hostId);
        return list(ctx.db, { hostId, ...wanted });
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
          ['CHANGES', (row) => changesOf(row.changes)],
        ],
        'There are no such changes.',
      );
    });
}

/** `price_per_hour: 45 → 52.5; title: "Attic" → "Loft"` */
export function changesOf(changes: Changes | null): string {
  return Object.entries(changes ?? {})
    .map(([field, [before, after]]) => `${field}: ${JSON.stringify(before)} → ${JSON.stringify(after)}`)
    .join('; ');
}
