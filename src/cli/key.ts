import { Option, type Command } from 'commander';
import * as apiKeys from '../api-keys/api-keys.ts';
import * as invitations from '../api-keys/invitations.ts';
import { rotate, successorOf } from '../api-keys/rotate.ts';
import { SCOPES, type Scope } from '../api-keys/scopes.ts';
import type { Config } from '../config.ts';
import type { Context } from '../context.ts';
import type { Tx } from '../db/database.ts';
import * as hosts from '../hosts/hosts.ts';
import type { Environment } from '../ids/api-key.ts';
import { DAY_MS } from '../time/units.ts';
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

interface InviteOptions extends Omit<CreateOptions, 'expires'> {
  expiresIn: number;
}

const EXPIRES_IN = new Option('--expires-in <duration>', 'how long the link works: 30s, 15m, 24h, 7d')
  .argParser(parse.duration)
  .default(invitations.LINK_MS, '7d');

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
        await noteDeactivated(ctx, options.host);
        const wanted = {
          hostId: options.host,
          environment: options.env,
          name: options.name,
          scopes: options.scopes ?? SCOPES,
          expiresAt: options.expires ?? null,
        };
        const created = await ctx.db.transaction((tx) =>
          apiKeys.issue(tx, ctx.clock.now(), operator, wanted),
        );
        if (options.json) printJson(created);
        else printKey(created);
      }),
    );

  key
    .command('invite')
    .description('print a link with which the host makes a key in the console; nobody else sees the key')
    .requiredOption('--host <id>', 'whose spaces it sees', parse.id)
    .option('--name <name>', 'what the key is for', parse.text, 'Console')
    .option('--env <environment>', 'production or sandbox', parse.environment, 'production')
    .option('--scopes <list>', `comma-separated (default: all of ${SCOPES.join(', ')})`, parse.scopes)
    .addOption(EXPIRES_IN)
    .option('--json', 'print {id, url, expires_at}')
    .addHelpText(
      'after',
      '\nThe link works once. "hourkeep key revoke <id>" withdraws it; the key has the same id.\n\nExample:\n  hourkeep key invite --host <id> --expires-in 24h',
    )
    .action((options: InviteOptions) =>
      withContext(async (ctx) => {
        invitations.refuseWithoutConsole(ctx.config);
        await noteDeactivated(ctx, options.host);
        const wanted = {
          hostId: options.host,
          environment: options.env,
          name: options.name,
          scopes: options.scopes ?? SCOPES,
          expiresAt: null,
          linkMs: options.expiresIn,
        };
        const invited = await ctx.db.transaction((tx) =>
          invitations.invite(tx, ctx.clock.now(), operator, ctx.config, wanted),
        );
        if (options.json) printJson(invited);
        else printInvitation(invited);
      }),
    );

  key
    .command('rotate')
    .description('a new key with the same name, scopes and end; the old one is revoked after the grace')
    .argument('<id>', 'the key’s id, as key list shows it', parse.id)
    .addOption(
      new Option('--grace <duration>', 'how long the old key goes on: 30s, 15m, 24h, 7d')
        .argParser(parse.duration)
        .default(DAY_MS, '24h'),
    )
    .option('--invite', 'print a link instead; the grace begins when the host has made the new key')
    .option('--json', 'print {id, key, …, old: {id, revoked_at}}')
    .addHelpText('after', '\nExample:\n  hourkeep key rotate <id> --grace 7d')
    .action((id: string, options: { grace: number; invite?: true; json?: true }) =>
      withContext(async (ctx) => {
        if (options.invite) {
          invitations.refuseWithoutConsole(ctx.config);
          const invited = await ctx.db.transaction((tx) =>
            inviteSuccessor(tx, ctx.clock.now(), ctx.config, id, options.grace),
          );
          if (options.json) printJson({ ...invited, old: { id, revoked_at: null } });
          else printInvitation(invited);
          return;
        }
        const { old, ...created } = await ctx.db.transaction((tx) =>
          rotate(tx, ctx.clock.now(), operator, id, options.grace),
        );
        if (options.json) {
          printJson({ ...created, old });
          return;
        }
        printKey(created);
        print(`The old key works until ${old.revoked_at}.`);
      }),
    );

  key
    .command('list')
    .description('list keys (never the keys themselves) and open invitations')
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
          ['KEY', (row) => row.key ?? 'not made yet'],
          ['NAME', (row) => row.name],
          ['HOST', (row) => row.host_name],
          ['STATUS', (row) => row.status],
          ['SCOPES', (row) => (row.scopes.length === SCOPES.length ? 'all' : row.scopes.join(','))],
          ['LAST USED', (row) => row.last_used_at ?? 'never'],
          ['EXPIRES', (row) => row.invitation_expires_at ?? row.expires_at ?? 'never'],
        ],
        'There are no keys yet: hourkeep key create --help',
      );
    });

  key
    .command('revoke')
    .description('refuse a key from its next request on, everywhere; or withdraw an invitation')
    .argument('<id>', 'its id, as key list shows it', parse.id)
    .option('--json', 'print {id, revoked: true}')
    .addHelpText('after', '\nExample:\n  hourkeep key revoke 0199a3c4-7d10-7c3e-9f6b-2f7d1c5a9b01')
    .action(async (id: string, options: { json?: true }) => {
      const done = await withContext((ctx) =>
        ctx.db.transaction((tx) => invitations.revokeOrWithdraw(tx, ctx.clock.now(), operator, id)),
      );
      if (options.json) printJson({ id, revoked: true });
      else print(done === 'revoked' ? `Revoked ${id}.` : `Withdrew the invitation ${id}.`);
    });
}

async function noteDeactivated(ctx: Context, hostId: string): Promise<void> {
  const host = await hosts.get(ctx.db, hostId);
  if (host.deactivated_at !== null)
    process.stderr.write('Note: this host is deactivated; the key works once it is activated.\n');
}

async function inviteSuccessor(
  tx: Tx,
  now: number,
  config: Config,
  id: string,
  graceMs: number,
): Promise<invitations.Invitation> {
  const wanted = await successorOf(tx, now, id);
  const replaces = { id, graceMs };
  return invitations.invite(tx, now, operator, config, { ...wanted, linkMs: invitations.LINK_MS, replaces });
}

function printKey(issued: apiKeys.IssuedKey): void {
  printFields([
    ['Key', issued.key],
    ['ID', issued.id],
    ['Environment', issued.environment],
    ['Scopes', issued.scopes.join(', ')],
    ['Expires', issued.expires_at ?? 'never'],
  ]);
  print('\nStore the key now: it cannot be shown again.');
}

function printInvitation({ id, url, expires_at }: invitations.Invitation): void {
  printFields([
    ['Link', url],
    ['ID', id],
    ['Expires', expires_at],
  ]);
  print('\nSend the link to the host: whoever opens it first can make the key. It cannot be shown again.');
  print(`To withdraw it: hourkeep key revoke ${id}`);
}
