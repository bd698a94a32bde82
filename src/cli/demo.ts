import type { Command } from 'commander';
import * as demo from '../demo/demo.ts';
import { OperatorError } from '../errors.ts';
import { print, printFields, printJson } from './output.ts';
import { withContext } from './run.ts';

export function addDemoCommand(program: Command): void {
  program
    .command('demo')
    .description('fill an empty database with demo data, and show its keys and spaces')
    .option('--json', 'print the content of demo.json')
    .addHelpText('after', '\nExample:\n  hourkeep demo --json | jq -r .keys.production')
    .action((options: { json?: true }) =>
      withContext(async (ctx) => {
        if (ctx.config.production)
          throw new OperatorError('there is no demo in production: its keys would be live ones');
        await ctx.db.exclusive((tx) => demo.seedIfEmpty(ctx, tx));
        const file = await demo.announce(ctx, undefined);
        if (file === undefined) {
          throw new OperatorError(
            `the database is in use and ${ctx.config.dataDir} has no demo.json of it; demo data goes only into an empty one`,
          );
        }
        if (options.json) printJson(file);
        else show(file);
      }),
    );
}

function show(file: demo.DemoFile): void {
  printFields([
    ['Host', `${file.host.name} <${file.host.email}>`],
    ['Production key', file.keys.production],
    ['Sandbox key', file.keys.sandbox],
    ['Read-only key', file.keys.read_only],
    ['Revoked key', file.keys.revoked],
    ...file.spaces.map((space) => [`Space (${space.environment})`, `${space.id}  ${space.title}`] as const),
    ['Other host', `${file.other_host.name} <${file.other_host.email}>`],
    ['Its key', file.other_host.keys.production],
  ]);
  print(`\nAddress when last served: ${file.base_url}`);
}
