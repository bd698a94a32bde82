import type { Command } from 'commander';
import { type Config, readConfig } from '../config.ts';
import { copyToPostgres, withoutPassword, type Copied } from '../copy/copy.ts';
import { serverUrls } from '../db/postgres/address.ts';
import { OperatorError } from '../errors.ts';
import { print, printJson, printList } from './output.ts';
import { withProgress } from './progress.ts';
import { operator, refuseMissingFile } from './run.ts';

export function addCopyCommand(program: Command): void {
  program
    .command('copy')
    .description('copy the SQLite file into an empty PostgreSQL database, while the service stands still')
    .requiredOption('--to <url>', 'the database: postgres://user:password@host:port/name')
    .option('--json', 'print {file, to, seconds, tables: [{table, rows, hash}]}')
    .addHelpText(
      'after',
      `
Stop the service first. All or nothing: what PostgreSQL holds is compared with the file, table by table, before it counts.
The file keeps everything and is marked as copied: it refuses to be served. The secret key must go along: SECRET_KEY, or secret.key in DATA_DIR.

Example:
  hourkeep copy --to postgres://hourkeep:secret@db.example.com:5432/hourkeep`,
    )
    .action(async (options: { to: string; json?: true }) => {
      const config = readConfig(process.env);
      const url = target(options.to);
      if (!isEmbedded(config)) throw notAFile();
      refuseMissingFile(config);
      const began = performance.now();
      const copied = await withProgress((show) =>
        copyToPostgres(config, url, operator, atMostTenASecond(show)),
      );
      report(config, url, (performance.now() - began) / 1000, copied, options);
    });
}

/** Not a parser of commander, which would print the value: it has a password. */
function target(text: string): string {
  try {
    readConfig({ DATABASE_URL: text });
    const [url, ...others] = serverUrls(text) ?? [];
    if (url !== undefined && others.length === 0) return url;
  } catch {
    // Told below, by the option's name.
  }
  throw new OperatorError('--to must be postgres://user:password@host:port/database, of one server');
}

type Embedded = Config & { database: { engine: 'sqlite' } };

function isEmbedded(config: Config): config is Embedded {
  return config.database.engine === 'sqlite';
}

function notAFile(): OperatorError {
  return new OperatorError(
    'DATABASE_URL names PostgreSQL, and copy reads an SQLite file; set DATABASE_URL to sqlite:<path>, or only DATA_DIR',
  );
}

/** A terminal that is far away must not slow the copy down. */
function atMostTenASecond(show: (text: string) => void): (text: string) => void {
  let last = -Infinity;
  return (text) => {
    if (performance.now() - last < 100) return;
    last = performance.now();
    show(text);
  };
}

function report(
  config: Embedded,
  url: string,
  seconds: number,
  { tables, locked }: Copied,
  options: { json?: true },
): void {
  const { file } = config.database;
  const to = withoutPassword(url);
  if (options.json) {
    printJson({ file, to, seconds: Number(seconds.toFixed(1)), tables });
    return;
  }
  printList(
    options,
    tables,
    [
      ['TABLE', ({ table }) => table],
      ['ROWS', ({ rows }) => String(rows)],
      ['HASH', ({ hash }) => hash],
    ],
    '',
  );
  const rows = tables.reduce((sum, table) => sum + table.rows, 0);
  print(`\nCopied ${rows} rows in ${seconds.toFixed(1)} s; both databases hold the same, table by table.`);
  if (locked > 0)
    print(
      `${locked} webhooks wait as before: their secrets are encrypted with a key that the file does not know.`,
    );
  print(
    config.secretKey === undefined
      ? `It needs the same secret key: use this DATA_DIR, or set SECRET_KEY to what ${config.dataDir}/secret.key holds.`
      : 'It needs the same SECRET_KEY.',
  );
  print(`Next: DATABASE_URL=${to} hourkeep serve`);
  print(
    `${file} is marked: it refuses to be served again, since what is booked there would be missing here.`,
  );
}
