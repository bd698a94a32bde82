import { whoCanRun } from '../db/migrate.ts';
import { command } from './command.ts';

export const migrate = command('migrate', {
  about: 'bring the database schema up to date (serve, api and worker do it too when they start)',
  json: 'print {applied: […]}',
  examples: ['DATABASE_URL=postgres://… hourkeep migrate'],
  mayCreate: true,
  run: (_ctx, _input, applied) => ({ names: applied.map(({ name }) => name), applied }),
  toJson: ({ names }) => ({ applied: names }),
  print: ({ names, applied }) =>
    applied.length === 0
      ? 'The schema is up to date.'
      : `Applied ${names.join(', ')}: ${whoCanRun(applied)}.`,
});
