import type { Context } from '../context.ts';
import { wipe, type Wiped } from '../db/sqlite/wipe.ts';
import * as guests from '../guests/guests.ts';
import * as hosts from '../hosts/hosts.ts';
import { command, flag, group, ONLY_HOST, option } from './command.ts';
import * as parse from './options.ts';
import { confirm, demandTerminal, withProgress } from './terminal.ts';
import { operator, withContext } from './run.ts';

const WHO = {
  email: option('<email>', 'with any plus-tag and in any case', parse.email),
  bookingId: {
    ...option('<id>', 'the guest of this booking, instead of --email', parse.id),
    flag: '--booking <id>',
  },
  hostId: { ...ONLY_HOST, flag: '--host <id>' },
};

export const guestCommands = group('guest', 'what is known about a guest, and forgetting it', [
  command('export', {
    about: 'print everything known about a guest as one JSON value, to be handed over as it is',
    options: WHO,
    misuse,
    json: 'changes nothing: it is always JSON',
    examples: [
      'hourkeep guest export --email ada@example.com > ada.json',
      'hourkeep guest export --booking <id> > guest.json',
    ],
    run: (ctx, who) => withProgress((show) => guests.exportAll(ctx, operator, who, show)),
  }),
  command('erase', {
    about: 'forget a guest: name, email and phone go, hours and money stay; cannot be undone',
    options: {
      ...WHO,
      yes: flag('do not ask'),
      dryRun: flag('only print what would be erased'),
    },
    misuse,
    json: 'print {hosts, bookings, bookings_ahead, events, dry_run, file_wiped, warnings}',
    examples: ['hourkeep guest erase --email ada@example.com --dry-run'],
    start: async ({ yes = false, dryRun = false, ...who }) => {
      const { counts, wiped } = await erase(who, yes, dryRun);
      const file_wiped = wiped === undefined ? null : wiped.logEmptied && wiped.left === 0;
      return { ...counts, dry_run: dryRun, file_wiped, warnings: warningsOf(dryRun, counts, wiped) };
    },
    print: ({ bookings, events, hosts, dry_run, warnings }) => {
      const what = `${some(bookings, 'booking')} and ${some(events, 'event')} at ${some(hosts, 'host')}`;
      return [
        bookings === 0
          ? 'Nothing is known about this guest.'
          : `${dry_run ? 'Would erase' : 'Erased'} the guest from ${what}.`,
        ...warnings.map((warning) => `Note: ${warning}.`),
      ];
    },
    failure: ({ file_wiped }) =>
      file_wiped === false && 'the database’s files may still hold the guest; run this command again',
  }),
]);

function misuse({ email, bookingId }: guests.Wanted): string | false {
  return (email === undefined) === (bookingId === undefined) && 'give either --email or --booking';
}

async function erase(who: guests.Wanted, yes: boolean, dryRun: boolean) {
  if (!yes && !dryRun) demandTerminal('erasing cannot be undone: add --yes, or look first with --dry-run');
  const { database, counted, erased } = await withContext(async (ctx) => {
    const { hostId } = who;
    const wanted = { ...who, hostId: hostId === undefined ? undefined : await hosts.idOf(ctx.db, hostId) };
    const { database } = ctx.config;
    if (dryRun) return { database, counted: await withProgress((show) => guests.count(ctx, wanted, show)) };
    if (!yes) await ask(ctx, wanted);
    return { database, erased: await withProgress((show) => guests.erase(ctx, operator, wanted, show)) };
  });
  if (erased === undefined) return { counts: counted };
  const { traces, address, ...counts } = erased;
  if (database.engine === 'postgres') return { counts };
  // Only now: the database must be closed to look into its file.
  return { counts, wiped: await wipe(database.file, guests.TEXT_COLUMNS, traces, address) };
}

async function ask(ctx: Context, wanted: guests.Wanted): Promise<void> {
  const { bookings, hosts, bookings_ahead: ahead } = await guests.count(ctx, wanted);
  if (bookings === 0) return;
  const whom = wanted.email ?? `the guest of booking ${wanted.bookingId}`;
  const where = `${some(bookings, 'booking')} at ${some(hosts, 'host')}, ${ahead} still ahead`;
  await confirm(`Erase ${whom}: ${where}. This cannot be undone.`, 'nothing was erased');
}

function warningsOf(dryRun: boolean, counts: guests.Counts, wiped: Wiped | undefined): string[] {
  const ahead = some(counts.bookings_ahead, 'booking');
  return [
    counts.bookings_ahead > 0 &&
      `${ahead} still ahead: the host ${dryRun ? 'would' : 'does'} no longer know who comes`,
    counts.bookings > 0 &&
      'backups made before still hold the guest, and so do the hosts’ systems that received the bookings',
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
