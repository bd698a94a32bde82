import { readConfig } from '../config.ts';
import { copyToPostgres, withoutPassword } from '../copy/copy.ts';
import { serverUrls } from '../postgres-url.ts';
import { OperatorError } from '../errors.ts';
import { command, required } from './command.ts';
import { table } from './output.ts';
import { withProgress } from './terminal.ts';
import { operator, refuseMissingFile } from './run.ts';

export const copy = command('copy', {
  about: 'copy the SQLite file into an empty PostgreSQL database, while the service stands still',
  options: { to: required('<url>', 'the database: postgres://user:password@host:port/name', String) },
  json: 'print {file, to, seconds, tables: [{table, rows, hash}]}',
  notes: `Stop the service first. All or nothing: what PostgreSQL holds is compared with the file, table by table, before it counts.
The file keeps everything and is marked as copied: it can no longer be served or changed. The secret key must go along: SECRET_KEY, or secret.key in DATA_DIR.`,
  examples: ['hourkeep copy --to postgres://hourkeep:secret@db.example.com:5432/hourkeep'],
  start: async (options) => {
    const config = readConfig(process.env);
    const url = target(options.to);
    const { database } = config;
    if (database.engine === 'postgres')
      throw new OperatorError(
        'DATABASE_URL names PostgreSQL, and copy reads an SQLite file; set DATABASE_URL to sqlite:<path>, or only DATA_DIR',
      );
    refuseMissingFile(config);
    const began = performance.now();
    const tables = await withProgress((show) => copyToPostgres({ ...config, database }, url, operator, show));
    const seconds = (performance.now() - began) / 1000;
    return { config, file: database.file, to: withoutPassword(url), seconds, tables };
  },
  toJson: ({ file, to, seconds, tables }) => ({ file, to, seconds: Number(seconds.toFixed(1)), tables }),
  print: ({ config, file, to, seconds, tables }) => {
    const rows = tables.reduce((sum, one) => sum + one.rows, 0);
    return [
      ...table(tables, ['table', 'rows', 'hash'], ''),
      '',
      `Copied ${rows} rows in ${seconds.toFixed(1)} s; both databases hold the same, table by table.`,
      config.secretKey === undefined
        ? `It needs the same secret key: use this DATA_DIR, or set SECRET_KEY to what ${config.dataDir}/secret.key holds.`
        : 'It needs the same SECRET_KEY.',
      `Next: DATABASE_URL=${to} hourkeep serve`,
      `${file} is marked as copied: it can no longer be served or changed, because bookings made there would be missing here.`,
    ];
  },
});

/** Not a parser of commander, which would print the value: it has a password. */
function target(text: string): string {
  try {
    readConfig({ DATABASE_URL: text });
    const [url, ...others] = serverUrls(text) ?? [];
    if (url !== undefined && others.length === 0) return url;
  } catch {
    // Reported below, by the option's name.
  }
  throw new OperatorError('--to must be postgres://user:password@host:port/database, of one server');
}
