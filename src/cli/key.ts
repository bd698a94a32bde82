import * as apiKeys from '../api-keys/api-keys.ts';
import { KEY } from '../api-keys/fields.ts';
import * as invitations from '../api-keys/invitations.ts';
import { rotate, successorOf } from '../api-keys/rotate.ts';
import { ALL_SCOPES, SCOPES, type Scope } from '../ids/scopes.ts';
import { toTimestamp } from '../time/clock.ts';
import {
  command,
  ENVIRONMENT,
  flag,
  group,
  ONLY_HOST,
  option,
  REASON,
  required,
  withDefault,
} from './command.ts';
import * as parse from './options.ts';
import { listed } from './output.ts';
import { operator } from './run.ts';

const HOST = required('<id>', 'whose spaces it sees');
const NAME = parse.field(KEY.name);

const SCOPES_LIST = parse.field<Scope[]>(KEY.scopes);

export const keyCommands = group('key', 'API keys', [
  command('create', {
    about: 'issue a key; it is shown once',
    options: {
      host: HOST,
      env: ENVIRONMENT,
      scopes: option('<list>', `comma-separated (default: ${SCOPES.join(', ')})`, SCOPES_LIST),
      name: required('<name>', KEY.name.help, NAME),
      expires: option('<when>', KEY.expires_at.help, parse.moment),
    },
    json: 'print {id, key, …}',
    examples: [
      'hourkeep key create --host <id> --name "My PMS"',
      'hourkeep key create --host <id> --name Kiosk --scopes spaces:read,availability:read --expires 90d',
    ],
    run: async (ctx, { host: hostId, env: environment, name, scopes = SCOPES, expires }) => {
      const expires_at = expires === undefined ? null : toTimestamp(expires);
      const wanted = { hostId, environment, name, scopes, expires_at };
      return ctx.db.transaction((tx) => apiKeys.issue(tx, ctx.clock.now(), operator, wanted));
    },
    print: printKey,
  }),
  command('invite', {
    about: 'print a link with which the host makes a key in the console; nobody else sees the key',
    options: {
      host: HOST,
      env: ENVIRONMENT,
      scopes: option('<list>', 'comma-separated (default: those of key create, and keys:write)', SCOPES_LIST),
      name: withDefault('<name>', 'what the key is for', NAME, 'Console'),
      expiresIn: withDefault(
        '<duration>',
        'how long the link works: 30s, 15m, 24h, 7d',
        parse.duration,
        '7d',
      ),
      expires: option('<when>', 'until when it works: a duration, a date, or a time', parse.moment, {
        conflicts: ['expiresIn'],
      }),
    },
    json: 'print {id, url, expires_at}',
    notes: 'The link works once. "hourkeep key revoke <key>" withdraws it; the key has the same id.',
    run: async (ctx, { host: hostId, env: environment, name, scopes = ALL_SCOPES, expires, expiresIn }) => {
      invitations.refuseWithoutConsole(ctx.config);
      const linkMs = expires === undefined ? expiresIn : expires - ctx.clock.now();
      const wanted = { hostId, environment, name, scopes, linkMs };
      return ctx.db.transaction((tx) =>
        invitations.invite(tx, ctx.clock.now(), operator, ctx.config, wanted),
      );
    },
    print: printInvitation,
  }),
  command('rotate', {
    about: 'a new key with the same name, scopes and end; the old one is revoked after the grace',
    argument: 'key',
    options: {
      grace: withDefault(
        '<duration>',
        'how long the old key goes on: 30s, 15m, 24h, 7d',
        parse.duration,
        '24h',
      ),
      invite: flag('print a link instead; the grace begins when the host has made the new key'),
    },
    json: 'print {id, key, …, old: {id, revoked_at}}',
    run: async (ctx, { id, grace, invite }) => {
      const { db, clock, config } = ctx;
      if (!invite) return db.transaction((tx) => rotate(tx, clock.now(), operator, id, grace));
      invitations.refuseWithoutConsole(config);
      const invited = await db.transaction(async (tx) => {
        const now = clock.now();
        const wanted = { ...(await successorOf(tx, now, id)), linkMs: invitations.LINK_MS };
        const replaces = { id, graceMs: grace };
        return invitations.invite(tx, now, operator, config, { ...wanted, replaces });
      });
      return { ...invited, old: { id, revoked_at: null } };
    },
    print: (rotated) =>
      'url' in rotated
        ? printInvitation(rotated)
        : [...printKey(rotated), `The old key works until ${rotated.old.revoked_at}.`],
  }),
  command('list', {
    about: 'list keys (never the keys themselves) and open invitations',
    options: { host: ONLY_HOST },
    run: (ctx, { host }) => apiKeys.list(ctx.db, ctx.clock.now(), host),
    table: [
      [
        'id',
        'key',
        'name',
        'host_name',
        'status',
        'scopes',
        ['LAST USED', (row) => row.last_used_at ?? 'never'],
        ['EXPIRES', (row) => row.invitation_expires_at ?? row.expires_at ?? 'never'],
      ],
      'There are no keys yet: hourkeep key create --help',
      KEY,
    ],
  }),
  command('revoke', {
    about: 'reject a key from its next request on, everywhere; or withdraw an invitation',
    argument: 'key',
    options: { reason: option(...REASON) },
    json: 'print {id, revoked: true}',
    run: async (ctx, { id, reason }) => {
      await ctx.db.transaction((tx) =>
        invitations.revokeOrWithdraw(tx, ctx.clock.now(), operator, id, reason),
      );
      return { id, revoked: true };
    },
    print: ({ id }) => `Revoked ${id}.`,
  }),
]);

function printKey(issued: apiKeys.IssuedKey): string[] {
  return [
    ...listed([
      ['Key', issued.key],
      ['ID', issued.id],
      ['Environment', issued.environment],
      ['Scopes', issued.scopes.join(', ')],
      ['Expires', issued.expires_at ?? 'never'],
    ]),
    '',
    'Store the key now: it cannot be shown again.',
  ];
}

function printInvitation({ id, url, expires_at }: invitations.Invitation): string[] {
  return [
    ...listed([
      ['Link', url],
      ['ID', id],
      ['Expires', expires_at],
    ]),
    '',
    'Send the link to the host: whoever opens it first can make the key. It cannot be shown again.',
    `To withdraw it: hourkeep key revoke ${id}`,
  ];
}
