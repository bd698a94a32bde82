import type { Command } from 'commander';
import { baseUrl } from '../config.ts';
import * as spaces from '../spaces/spaces.ts';
import * as parse from './options.ts';
import { print, printFields, printJson } from './output.ts';
import { operator, withContext } from './run.ts';

export function addIcalTokenCommands(program: Command): void {
  program
    .command('ical-token')
    .description('the secret in a space’s calendar address')
    .command('rotate')
    .description('make a new calendar address; the old one stops at once')
    .requiredOption('--space <id>', 'whose calendar', parse.id)
    .option('--json', 'print {space_id, token, url}')
    .addHelpText('after', '\nExample:\n  hourkeep ical-token rotate --space <id>')
    .action((options: { space: string; json?: true }) =>
      withContext(async (ctx) => {
        const token = await ctx.db.transaction(async (tx) => {
          const owner = await spaces.ownerOf(tx, options.space);
          return spaces.renewFeed(tx, ctx.clock.now(), { ...owner, actor: operator }, options.space);
        });
        const url = spaces.icalUrl(baseUrl(ctx.config), options.space, token);
        if (options.json) {
          printJson({ space_id: options.space, token, url });
          return;
        }
        printFields([['iCal feed', url]]);
        print('\nStore the address now: it cannot be shown again.');
      }),
    );
}
