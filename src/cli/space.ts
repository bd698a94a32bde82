import { baseUrl } from '../config.ts';
import * as hosts from '../hosts/hosts.ts';
import { SPACE, type NewSpace, type OperatorSpace } from '../spaces/fields.ts';
import * as spaces from '../spaces/spaces.ts';
import { update } from '../spaces/update.ts';
import { command, ENVIRONMENT, group, ONLY_HOST, required } from './command.ts';
import { changeOptions, columns, newOptions, printRecord, valuesFrom } from './field-options.ts';
import * as parse from './options.ts';
import { listed } from './output.ts';
import { operator } from './run.ts';

export const spaceCommands = group('space', 'what hosts rent out', [
  command('add', {
    about: 'add a space to a host',
    options: {
      ...newOptions(SPACE),
      host: required('--host <id>', 'whose it is'),
      env: ENVIRONMENT,
    },
    json: 'print {id, ical_token, ical_url, …}',
    examples: [
      'hourkeep space add --host <id> --title "Riverside Studio" --price 45 --hours 9-22 --capacity 12',
    ],
    run: async (ctx, { host: hostId, env: environment, ...options }) => {
      const host = await hosts.get(ctx.db, hostId);
      const given = valuesFrom(SPACE, options) as unknown as NewSpace;
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
      columns<OperatorSpace>(
        SPACE,
        'id',
        'ref',
        'title',
        'host_name',
        'environment',
        'price_per_hour',
        'operating_hours',
        'timezone',
        'is_active',
      ),
      'There are no spaces yet: hourkeep space add --help',
    ],
  }),
  command('show', {
    about: 'show a space',
    argument: 'space',
    json: 'print the space',
    run: (ctx, { id }) => spaces.showForOperator(ctx.db, id),
    print: (space) => printRecord(SPACE, space),
  }),
  command('update', {
    about: 'change fields of a space; the others, and all bookings, stay as they are',
    argument: 'space',
    options: changeOptions(SPACE),
    json: 'print the space',
    examples: ['hourkeep space update <space> --price 52.50 --hours 8-23'],
    misuse: (options) => parse.noChange(valuesFrom(SPACE, options)),
    run: (ctx, { id, ...options }) => update(ctx, operator, id, valuesFrom(SPACE, options)),
    print: (space) => printRecord(SPACE, space),
  }),
]);

export const icalTokenCommands = group('ical-token', 'the secret in the URL of a space’s iCal feed', [
  command('rotate', {
    about: 'create a new URL of the iCal feed; the old one stops working immediately',
    options: { space: required('--space <id>', 'whose calendar') },
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
