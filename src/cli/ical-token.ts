import { baseUrl } from '../config.ts';
import * as spaces from '../spaces/spaces.ts';
import { command, required, group } from './command.ts';
import { operator } from './run.ts';

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
