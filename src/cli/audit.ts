import type { Changes } from '../audit/audit.ts';
import { list } from '../audit/list.ts';
import * as hosts from '../hosts/hosts.ts';
import { command, group, ONLY_HOST, option, withDefault } from './command.ts';
import * as parse from './options.ts';
import { toJson } from './output.ts';

export const auditCommands = group('audit', 'who changed what, and when', [
  command('list', {
    about: 'list changes by the API, the command line and the clock, newest first',
    options: {
      host: ONLY_HOST,
      since: option('<when>', 'a duration such as 7d or 12h ago, a date, or a time', parse.since),
      until: option('<when>', 'a duration ago, a date (to its end, in UTC), or a time', parse.until),
      subject: option('<id>', 'only changes of this: a booking, a space, a webhook, …', parse.text()),
      action: option('<action>', 'only these, such as space.updated', parse.text()),
      actor: option('<id>', 'only by this key, operator or task', parse.text()),
      request: option('<id>', 'only what this API request changed', parse.text()),
      limit: withDefault('<n>', 'how many, up to 10000', parse.countFrom(1, 10_000), '100'),
    },
    examples: [
      'hourkeep audit list --since 7d',
      'hourkeep audit list --host <id> --since 2027-03-01 --until 2027-04-01 --action space.updated',
      'hourkeep audit list --request <request id>',
    ],
    run: async (ctx, { host: hostId, ...wanted }) =>
      hosts.withNames(ctx.db, await list(ctx.db, { ...wanted, hostId })),
    table: [
      [
        'at',
        ['BY', (row) => `${row.actor.type} ${row.actor.id}`],
        'action',
        'subject',
        'host_name',
        'host_id',
        'environment',
        'request_id',
        'reason',
        ['CHANGES', (row) => changesOf(row.changes)],
      ],
      'There are no such changes.',
    ],
  }),
]);

/** `price_per_hour: 45 → 52.5; title: "Attic" → "Loft"` */
export function changesOf(changes: Changes | null): string {
  return Object.entries(changes ?? {})
    .map(([field, [before, after]]) => `${field}: ${toJson(before)} → ${toJson(after)}`)
    .join('; ');
}
