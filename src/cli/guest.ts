import { createInterface } from 'node:readline/promises';
import type { Command } from 'commander';
import type { Context } from '../context.ts';
import { wipe, type Wiped } from '../db/sqlite/wipe.ts';
import { OperatorError } from '../errors.ts';
import * as guests from '../guests/guests.ts';
import * as parse from './options.ts';
import { print, printJson } from './output.ts';
import { withProgress } from './progress.ts';
import { operator, withContext } from './run.ts';

interface EraseOptions {
  email: string;
  host?: string;
  yes?: true;
  dryRun?: true;
  json?: true;
}

export function addGuestCommands(program: Command): void {
  const guest = program.command('guest').description('what is known about a guest, and forgetting it');

  guest
    .command('export')
    .description('print everything known about a guest as one JSON value, to be handed over as it is')
    .requiredOption('--email <email>', 'with any plus-tag and in any case', parse.email)
    .option('--host <id>', 'only at this host', parse.id)
    .option('--json', 'changes nothing: it is always JSON')
    .addHelpText('after', '\nExample:\n  hourkeep guest export --email ada@example.com > ada.json')
    .action(async (options: { email: string; host?: string }) => {
      const wanted = { email: options.email, hostId: options.host };
      printJson(
        await withContext((ctx) => withProgress((show) => guests.exportAll(ctx, operator, wanted, show))),
      );
    });

  guest
    .command('erase')
    .description('forget a guest: name, address and phone go, hours and money stay; cannot be undone')
    .requiredOption('--email <email>', 'with any plus-tag and in any case', parse.email)
    .option('--host <id>', 'only at this host', parse.id)
    .option('--yes', 'do not ask')
    .option('--dry-run', 'only tell what would be erased')
    .option('--json', 'print {hosts, bookings, bookings_ahead, events, dry_run, file_wiped, warnings}')
    .addHelpText('after', '\nExample:\n  hourkeep guest erase --email ada@example.com --dry-run')
    .action(erase);
}

async function erase(options: EraseOptions): Promise<void> {
  const wanted = { email: options.email, hostId: options.host };
  const atTerminal = process.stdin.isTTY && process.stderr.isTTY;
  if (options.yes !== true && options.dryRun !== true && !atTerminal)
    throw new OperatorError('erasing cannot be undone: add --yes, or look first with --dry-run');

  const { counts, file, traces, address } = await withContext(async (ctx) => {
    const file = ctx.config.database.engine === 'sqlite' ? ctx.config.database.file : undefined;
    if (options.dryRun)
      return { counts: await withProgress((show) => guests.count(ctx, wanted, show)), file };
    if (options.yes !== true) await ask(ctx, wanted);
    const erased = await withProgress((show) => guests.erase(ctx, operator, wanted, show));
    const { traces, address, ...counts } = erased;
    return { counts, file, traces, address };
  });
  // Only now: the database must be closed to look into its file.
  const wiped =
    file === undefined || traces === undefined
      ? undefined
      : await wipe(file, guests.TEXT_COLUMNS, traces, address);
  report(options, counts, wiped);
  if (wiped !== undefined && !isComplete(wiped))
    throw new OperatorError('the database’s files may still hold the guest; run this command again');
}

async function ask(ctx: Context, wanted: guests.Wanted): Promise<void> {
  const { bookings, hosts, bookings_ahead: ahead } = await guests.count(ctx, wanted);
  if (bookings === 0) return;
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  const question =
    `Erase ${wanted.email}: ${some(bookings, 'booking')} at ${some(hosts, 'host')}, ${ahead} still ahead. ` +
    'This cannot be undone. Type yes: ';
  // Ctrl-C and Ctrl-D are answers too.
  const answer = await new Promise<string>((resolve) => {
    lines.once('close', () => resolve(''));
    lines.question(question).then(resolve, () => resolve(''));
  });
  lines.close();
  if (answer.trim() !== 'yes') throw new OperatorError('nothing was erased');
}

function report(options: EraseOptions, counts: guests.Counts, wiped: Wiped | undefined): void {
  const warnings = warningsOf(options, counts, wiped);
  if (options.json) {
    const fileWiped = wiped === undefined ? null : isComplete(wiped);
    printJson({ ...counts, dry_run: options.dryRun === true, file_wiped: fileWiped, warnings });
    return;
  }
  const what = `${some(counts.bookings, 'booking')} and ${some(counts.events, 'event')} at ${some(counts.hosts, 'host')}`;
  if (counts.bookings === 0) print('Nothing is known about this address.');
  else print(`${options.dryRun ? 'Would erase' : 'Erased'} the guest from ${what}.`);
  for (const warning of warnings) print(`Note: ${warning}.`);
}

function isComplete({ logEmptied, left }: Wiped): boolean {
  return logEmptied && left === 0;
}

function warningsOf(options: EraseOptions, counts: guests.Counts, wiped: Wiped | undefined): string[] {
  const ahead = some(counts.bookings_ahead, 'booking');
  return [
    counts.bookings_ahead > 0 &&
      `${ahead} still ahead: the host ${options.dryRun ? 'would' : 'does'} not know any more who comes`,
    counts.bookings > 0 &&
      'backups made before still hold the guest, and so do the hosts’ systems that were told about the bookings',
    wiped?.logEmptied === false &&
      'the database’s log, which still holds the guest, could not be emptied: somebody was reading or writing all the time',
    wiped !== undefined &&
      wiped.left > 0 &&
      `${some(wiped.left, 'unused part')} of the file still hold the guest; if that stays so, stop the service and run: sqlite3 FILE vacuum`,
  ].filter((warning) => warning !== false);
}

function some(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`;
}
