import type { Command } from 'commander';
import * as apiKeys from '../api-keys/api-keys.ts';
import { SCOPES, type Scope } from '../api-keys/scopes.ts';
import * as audit from '../audit/audit.ts';
import * as hosts from '../hosts/hosts.ts';
import type { Environment } from '../ids/api-key.ts';
import { toTimestamp } from '../time/clock.ts';
import * as parse from './options.ts';
import { print, printFields, printJson, printList } from './output.ts';
import { operator, withContext } from './run.ts';

interface CreateOptions {
  host: string;
  name: string;
  env: Environment;
  scopes: Scope[];
  expires?: number;
  json?: true;
}

export function addKeyCommands(program: Command): void {
  const key = program.command('key').description('API keys');

  key
    .command('create')
    .description('issue a key; it is shown once')
    .requiredOption('--host <id>', 'whose spaces it sees', parse.id)
    .requiredOption('--name <name>', 'what it is for', parse.text)
    .option('--env <environment>', 'production or sandbox', parse.environment, 'production')
    .option('--scopes <list>', `comma-separated (default: all of ${SCOPES.join(', ')})`, parse.scopes)
    .option('--expires <when>', 'days such as 90d, or a date', parse.moment)
    .option('--json', 'print {id, key, …}')
    .addHelpText(
      'after',
      '\nExamples:\n  hourkeep key create --host <id> --name "My PMS"\n  hourkeep key create --host <id> --name Kiosk --scopes spaces:read,availability:read --expires 90d',
    )
    .action((options: CreateOptions) =>
      withContext(async (ctx) => {
        const host = await hosts.get(ctx.db, options.host);
        if (host.deactivated_at !== null)
          process.stderr.write('Note: this host is deactivated; the key works once it is activated.\n');
        const wanted = {
          hostId: options.host,
          environment: options.env,
          name: options.name,
          scopes: options.scopes ?? SCOPES,
          expiresAt: options.expires ?? null,
        };
        const created = await ctx.db.transaction(async (tx) => {
          const now = ctx.clock.now();
          const key = await apiKeys.create(tx, now, wanted);
          const { hostId, environment } = wanted;
          await audit.record(tx, now, operator, {
            action: 'key.created',
            hostId,
            environment,
            subject: key.id,
          });
          return key;
        });
        const expires = wanted.expiresAt === null ? null : toTimestamp(wanted.expiresAt);
        if (options.json) {
          const { hostId: host_id, environment, name, scopes } = wanted;
          printJson({ ...created, host_id, environment, name, scopes, expires_at: expires });
          return;
        }
        printFields([
          ['Key', created.key],
          ['ID', created.id],
          ['Environment', wanted.environment],
          ['Scopes', wanted.scopes.join(', ')],
          ['Expires', expires ?? 'never'],
        ]);
        print('\nStore the key now: it cannot be shown again.');
      }),
    );

  key
    .command('list')
    .description('list keys (never the keys themselves)')
    .option('--host <id>', 'only this host’s', parse.id)
    .option('--json', 'print an array')
    .addHelpText('after', '\nExample:\n  hourkeep key list --host <id>')
    .action(async (options: { host?: string; json?: true }) => {
      const all = await withContext((ctx) => apiKeys.list(ctx, options.host));
      printList(
        options,
        all,
        [
          ['ID', (row) => row.id],
          ['KEY', (row) => row.key],
          ['NAME', (row) => row.name],
          ['HOST', (row) => row.host_name],
          ['STATUS', (row) => row.status],
          ['SCOPES', (row) => (row.scopes.length === SCOPES.length ? 'all' : row.scopes.join(','))],
          ['LAST USED', (row) => row.last_used_at ?? 'never'],
          ['EXPIRES', (row) => row.expires_at ?? 'never'],
        ],
        'There are no keys yet: hourkeep key create --help',
      );
    });

  key
    .command('revoke')
    .description('refuse a key from its next request on, everywhere')
    .argument('<id>', 'the key’s id, as key list shows it', parse.id)
    .option('--json', 'print {id, revoked: true}')
    .addHelpText('after', '\nExample:\n  hourkeep key revoke 0199a3c4-7d10-7c3e-9f6b-2f7d1c5a9b01')
    .action(async (id: string, options: { json?: true }) => {
      await withContext((ctx) =>
        ctx.db.transaction(async (tx) => {
          const now = ctx.clock.now();
          const owner = await apiKeys.revoke(tx, now, id);
          if (owner !== undefined)
            await audit.record(tx, now, operator, { action: 'key.revoked', ...owner, subject: id });
        }),
      );
      if (options.json) printJson({ id, revoked: true });
      else print(`Revoked ${id}.`);
    });
}
