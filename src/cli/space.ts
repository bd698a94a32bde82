import { baseUrl } from '../config.ts';
import * as hosts from '../hosts/hosts.ts';
import { onlySettable } from '../fields/fields.ts';
import { SPACE } from '../spaces/fields.ts';
import * as spaces from '../spaces/spaces.ts';
import { update } from '../spaces/update.ts';
import { command, ENVIRONMENT, group, ONLY_HOST, required } from './command.ts';
import { changeOptions, newOptions, noChange } from './field-options.ts';
import { listed, printRecord } from './output.ts';
import { operator } from './run.ts';

export const spaceCommands = group('space', 'what hosts rent out', [
  command('add', {
    about: 'add a space to a host',
    options: {
      ...newOptions(SPACE),
      host: required('<id>', 'whose it is'),
      env: ENVIRONMENT,
    },
    json: 'print {id, ical_token, ical_url, …}',
    examples: [
      'hourkeep space add --host <id> --title "Riverside Studio" --price 45 --hours 9-22 --capacity 12',
    ],
    run: async (ctx, { host: hostId, env: environment, ...options }) => {
      const host = await hosts.get(ctx.db, hostId);
      const given = onlySettable(SPACE, options);
      const { id, icalToken } = await ctx.db.transaction((tx) =>
        spaces.addForOperator(tx, ctx.clock.now(), operator, { host, environment }, given),
      );
      const ical_url = spaces.icalUrl(baseUrl(ctx.config), id, icalToken);
      return { id, title: given.title, environment, ical_token: icalToken, ical_url };
    },
    print: ({ id, ical_url }) =>
      listed([
        ['Added space', id],
        ['iCal feed', `${ical_url}  (shown once)`],
      ]),
  }),
  command('list', {
    about: 'list spaces',
    options: { host: ONLY_HOST },
    run: (ctx, { host }) => spaces.listForOperator(ctx.db, host),
    table: [
      [
        'id',
        'ref',
        'title',
        'host_name',
        'environment',
        'price_per_hour',
        'operating_hours',
        'timezone',
        'is_active',
      ],
      'There are no spaces yet: hourkeep space add --help',
      SPACE,
    ],
  }),
  command('show', {
    about: 'show a space',
    argument: 'space',
    run: (ctx, { id }) => spaces.showForOperator(ctx.db, id),
    print: (space) => printRecord(SPACE, space),
  }),
  command('update', {
    about: 'change fields of a space; the others, and all bookings, stay as they are',
    argument: 'space',
    options: changeOptions(SPACE),
    examples: ['hourkeep space update <space> --price 52.50 --hours 8-23'],
    misuse: (options) => noChange(SPACE, options),
    run: (ctx, { id, ...options }) => update(ctx, operator, id, onlySettable(SPACE, options)),
    print: (space) => printRecord(SPACE, space),
  }),
]);

export const icalTokenCommands = group('ical-token', 'the secret in the URL of a space’s iCal feed', [
  command('rotate', {
    about: 'create a new URL of the iCal feed; the old one stops working immediately',
    options: { space: required('<id>', 'whose calendar') },
    json: 'print {space_id, token, url}',
    run: async (ctx, { space }) => {
      const token = await ctx.db.transaction(async (tx) => {
        const owner = await spaces.ownerOf(tx, space);
        return spaces.renewFeed(tx, ctx.clock.now(), { ...owner, actor: operator }, space);
      });
      return { space_id: space, token, url: spaces.icalUrl(baseUrl(ctx.config), space, token) };
    },
    print: ({ url }) => [`iCal feed  ${url}`, '', 'Store the URL now: it cannot be shown again.'],
  }),
]);
