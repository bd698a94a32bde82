import { readConfig } from '../config.ts';
import * as data from '../demo/demo.ts';
import { OperatorError } from '../errors.ts';
import { command } from './command.ts';
import { listed } from './output.ts';
import { withContext } from './run.ts';

export const demo = command('demo', {
  about: 'fill an empty database with demo data, and show its keys and spaces',
  json: 'print the content of demo.json',
  examples: ['hourkeep demo --json | jq -r .keys.production'],
  start: async () => {
    // Checked before anything is opened: the command creates a database where there is none.
    if (readConfig(process.env).production)
      throw new OperatorError('there is no demo in production: its keys would be live ones');
    return withContext(
      async (ctx) => {
        await ctx.db.migration((tx) => data.seedIfEmpty(ctx, tx));
        const file = await data.find(ctx);
        if (file !== undefined) return file;
        throw new OperatorError(
          `the database is in use and ${ctx.config.dataDir} has no demo.json of it; demo data goes only into an empty one`,
        );
      },
      { mayCreate: true },
    );
  },
  print: ({ host, keys, spaces, other_host: other, base_url }) => [
    ...listed([
      ['Host', `${host.name} <${host.email}>`],
      ['Production key', keys.production],
      ['Sandbox key', keys.sandbox],
      ['Read-only key', keys.read_only],
      ['Revoked key', keys.revoked],
      ...spaces.map((space) => [`Space (${space.environment})`, `${space.id}  ${space.title}`] as const),
      ['Other host', `${other.name} <${other.email}>`],
      ['Its key', other.keys.production],
    ]),
    '',
    `URL when last served: ${base_url}`,
  ],
});
