import type { Command } from 'commander';
import * as calendars from '../calendars/calendars.ts';
import { OperatorError } from '../errors.ts';
import * as parse from './options.ts';
import { print, printJson, printList } from './output.ts';
import { operator, withContext } from './run.ts';

export function addCalendarCommands(program: Command): void {
  const calendar = program.command('calendar').description('foreign calendars whose events block hours');

  calendar
    .command('add')
    .description('let an iCal address block hours of a space')
    .requiredOption('--space <id>', 'whose hours', parse.id)
    .requiredOption('--url <url>', 'the address to subscribe to: https, or webcal', parse.text)
    .option('--json', 'print {id, …}')
    .addHelpText(
      'after',
      '\nThe worker imports it within seconds and then every 15 minutes.\n\nExample:\n  hourkeep calendar add --space <id> --url https://www.airbnb.com/calendar/ical/123.ics?s=…',
    )
    .action((options: { space: string; url: string; json?: true }) =>
      withContext(async (ctx) => {
        const { id, url } = await calendars.subscribe(ctx, operator, options.space, options.url);
        if (options.json) printJson({ id, space_id: options.space, url });
        else print(`Added calendar ${id}. "hourkeep calendar sync ${id}" imports it now.`);
      }),
    );

  calendar
    .command('list')
    .description('list calendars with how their last polls went')
    .option('--space <id>', 'only this space’s', parse.id)
    .option('--json', 'print an array')
    .addHelpText('after', '\nExample:\n  hourkeep calendar list --space <id>')
    .action(async (options: { space?: string; json?: true }) => {
      const all = await withContext((ctx) => calendars.list(ctx, options.space));
      printList(
        options,
        all,
        [
          ['ID', (row) => row.id],
          ['SPACE', (row) => row.space_title],
          ['STATUS', (row) => row.status],
          ['BUSY HOURS', (row) => String(row.busy_hours)],
          ['LAST GOOD', (row) => row.last_success_at ?? 'never'],
          ['NEXT POLL', (row) => row.next_poll_at],
          ['URL', (row) => row.url],
          ['PROBLEM', (row) => row.last_error ?? ''],
        ],
        'There are no calendars yet: hourkeep calendar add --help',
      );
    });

  calendar
    .command('sync')
    .description('import a calendar now, whatever its schedule says')
    .argument('<id>', 'the calendar’s id, as calendar list shows it', parse.id)
    .option('--json', 'print {id, result, …}')
    .addHelpText('after', '\nExample:\n  hourkeep calendar sync 0199a3c4-7d10-7c3e-9f6b-2f7d1c5a9b01')
    .action((id: string, options: { json?: true }) =>
      withContext(async (ctx) => {
        const done = await calendars.sync(ctx, operator, id);
        if (done.result === 'failed') throw new OperatorError(`the calendar was not imported: ${done.error}`);
        if (done.result === 'abandoned') throw new OperatorError(`calendar ${id} was removed meanwhile`);
        if (options.json) printJson({ id, ...toJson(done) });
        else describe(done);
      }),
    );

  calendar
    .command('remove')
    .description('forget a calendar and free its hours')
    .argument('<id>', 'the calendar’s id, as calendar list shows it', parse.id)
    .option('--json', 'print {id, removed: true, freed_hours}')
    .addHelpText('after', '\nExample:\n  hourkeep calendar remove 0199a3c4-7d10-7c3e-9f6b-2f7d1c5a9b01')
    .action(async (id: string, options: { json?: true }) => {
      const { freed } = await withContext((ctx) => calendars.remove(ctx, operator, id));
      if (options.json) printJson({ id, removed: true, freed_hours: freed });
      else print(`Removed ${id}; ${freed} of its hours are gone.`);
    });
}

function toJson(done: calendars.PollResult): object {
  if (done.result !== 'imported') return done;
  const { result, busy, added, freed, overlaps, warning } = done;
  return {
    result,
    busy_hours: busy,
    added_hours: added,
    freed_hours: freed,
    overlapping_bookings: overlaps,
    warning,
  };
}

function describe(done: calendars.PollResult): void {
  if (done.result === 'kept') print(`Nothing changed: ${done.warning}.`);
  if (done.result !== 'imported') return;
  print(`Imported: ${done.busy} busy hours, ${done.added} of them new; ${done.freed} freed.`);
  if (done.warning !== null) print(`Note: ${done.warning}.`);
  for (const { booking_id, date, hours } of done.overlaps) {
    print(`Booking ${booking_id} stands on ${date} where the calendar is busy (hours ${hours.join(', ')}).`);
  }
}
