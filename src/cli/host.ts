import { last24Hours } from '../figures/figures.ts';
import { onlySettable } from '../fields/fields.ts';
import { HOST } from '../hosts/fields.ts';
import * as hosts from '../hosts/hosts.ts';
import { exportHost } from '../accounts/export.ts';
import { setActive, update } from '../accounts/update.ts';
import { command, group, option, REASON } from './command.ts';
import { changeOptions, newOptions, noChange } from './field-options.ts';
import * as parse from './options.ts';
import { printRecord } from './output.ts';
import { operator } from './run.ts';

const activation = (name: 'deactivate' | 'activate', about: string, done: string) =>
  command(name, {
    about,
    argument: 'host',
    options: { reason: option(...REASON) },
    run: (ctx, { id, reason }) =>
      ctx.db.transaction((tx) => setActive(tx, ctx.clock.now(), operator, id, name === 'activate', reason)),
    print: ({ name: called }) => `${called} is ${done}`,
  });

export const hostCommands = group('host', 'accounts that own spaces', [
  command('add', {
    about: 'add a host',
    options: newOptions(HOST),
    json: 'print {id, …}',
    examples: [
      'hourkeep host add --name "Harbor Light" --email host@example.com --timezone America/New_York --currency USD',
    ],
    run: async (ctx, options) => {
      const { id, name, email } = await ctx.db.transaction((tx) =>
        hosts.addForOperator(tx, ctx.clock.now(), operator, onlySettable(HOST, options)),
      );
      return { id, name, email };
    },
    print: ({ id, name }) => `Added host ${name}: ${id}`,
  }),
  command('list', {
    about: 'list hosts, newest first',
    options: {
      search: option('<text>', 'only those with it in their name, email or ref', parse.text()),
    },
    examples: ['hourkeep host list --search harbor'],
    run: (ctx, { search }) => hosts.list(ctx.db, search),
    table: [
      ['id', 'ref', 'name', 'email', 'timezone', 'currency', 'commission_rate', 'deactivated_at'],
      'There are no hosts yet: hourkeep host add --help',
      HOST,
    ],
  }),
  command('show', {
    about: 'show a host',
    argument: 'host',
    json: 'print the host, with last_24h',
    run: async (ctx, { id }) => {
      const host = await hosts.get(ctx.db, id);
      return { ...host, last_24h: await last24Hours(ctx.db, host.id, ctx.clock.now()) };
    },
    print: ({ last_24h: last, ...host }) => [
      ...printRecord(HOST, host),
      `Last 24 hours: ${last.requests} requests, ${last.rate_limited} of them rate limited; ${last.delivered} webhooks delivered, ${last.failed} attempts failed`,
      ...Object.entries(last.rejected).map(([code, count]) => `  rejected with ${code}: ${count}`),
    ],
  }),
  command('update', {
    about: 'change fields of a host; the others stay as they are',
    argument: 'host',
    options: changeOptions(HOST),
    examples: ['hourkeep host update <host> --email new@example.com --commission 0.12'],
    misuse: (options) => noChange(HOST, options),
    run: (ctx, { id, ...options }) => update(ctx, operator, id, onlySettable(HOST, options)),
    print: (host) => printRecord(HOST, host),
  }),
  command('export', {
    about: 'print everything that is kept about a host, its guests too, as one JSON value',
    argument: 'host',
    json: 'changes nothing: it is always JSON',
    examples: ['hourkeep host export <host> > host.json'],
    run: (ctx, { id }) => exportHost(ctx, operator, id),
  }),
  activation(
    'deactivate',
    'reject a host’s keys and feeds from the next request on; calendars and webhooks wait',
    'deactivated: keys and feeds are rejected, calendars are not polled, webhook deliveries wait.',
  ),
  activation(
    'activate',
    'let a deactivated host go on',
    'active: keys and feeds work, pending deliveries go out.',
  ),
]);
