import type { Command } from 'commander';
import { readConfig } from '../config.ts';
import { migrate } from '../db/migrate.ts';
import { openDatabase } from '../db/open.ts';
import { createLogger } from '../log.ts';
import { systemClock } from '../time/clock.ts';
import { print, printJson } from './output.ts';

export function addMigrateCommand(program: Command): void {
  program
    .command('migrate')
    .description('bring the database schema up to date (serve, api and worker do it too when they start)')
    .option('--json', 'print {applied: […]}')
    .addHelpText('after', '\nExample:\n  DATABASE_URL=postgres://… hourkeep migrate')
    .action(async (options: { json?: true }) => {
      const config = readConfig(process.env);
      const db = openDatabase(config, createLogger('silent'), systemClock);
      try {
        const { applied } = await migrate(db, systemClock);
        if (options.json) printJson({ applied });
        else print(applied.length === 0 ? 'The schema is up to date.' : `Applied ${applied.join(', ')}.`);
      } finally {
        await db.close();
      }
    });
}
