import type { Command } from 'commander';
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
          if (options.json) printJson({ applied });
          else print(applied.length === 0 ? 'The schema is up to date.' : `Applied ${applied.join(', ')}.`);
        },
        { mayCreate: true },
      ),
    );
}
