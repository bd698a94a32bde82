import type { Command } from 'commander';
import { readConfig } from '../config.ts';
import type { Context } from '../context.ts';
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
    .action(async (options: { json?: true }) => {
      // Asked before anything is opened: the command creates a database where there is none.
      if (readConfig(process.env).production)
        throw new OperatorError('there is no demo in production: its keys would be live ones');
      const file = await withContext(seed, { mayCreate: true });
      if (options.json) printJson(file);
      else show(file);
    });
}

async function seed(ctx: Context): Promise<demo.DemoFile> {
  await ctx.db.exclusive((tx) => demo.seedIfEmpty(ctx, tx));
  const file = await demo.find(ctx);
  if (file !== undefined) return file;
  throw new OperatorError(
    `the database is in use and ${ctx.config.dataDir} has no demo.json of it; demo data goes only into an empty one`,
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
