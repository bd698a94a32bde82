import { whoCanRun } from '../db/migrate.ts';
import { command } from './command.ts';
import { withContext } from './run.ts';

export const migrate = command('migrate', {
  about: 'bring the database schema up to date (serve, api and worker do it too when they start)',
  json: 'print {applied: […]}',
  examples: ['DATABASE_URL=postgres://… hourkeep migrate'],
  start: () => withContext(async (_ctx, applied) => applied, { mayCreate: true }),
  toJson: (applied) => ({ applied: applied.map(({ name }) => name) }),
  print: (applied) =>
    applied.length === 0
      ? 'The schema is up to date.'
      : `Applied ${applied.map(({ name }) => name).join(', ')}: ${whoCanRun(applied)}.`,
});
