import type { Command } from 'commander';
import { whoCanRun } from '../db/migrations.ts';
import { print, printJson } from './output.ts';
import { withContext } from './run.ts';

export function addMigrateCommand(program: Command): void {
  program
    .command('migrate')
    .description('bring the database schema up to date (serve, api and worker do it too when they start)')
    .option('--json', 'print {applied: […]}')
    .addHelpText('after', '\nExample:\n  DATABASE_URL=postgres://… hourkeep migrate')
    .action((options: { json?: true }) =>
      withContext(
        async (_ctx, applied) => {
          const names = applied.map(({ name }) => name);
          if (options.json) printJson({ applied: names });
          else if (applied.length === 0) print('The schema is up to date.');
          else print(`Applied ${names.join(', ')}: ${whoCanRun(applied)}.`);
        },
        { mayCreate: true },
      ),
    );
}
