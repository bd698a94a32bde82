import type { Command } from 'commander';
import * as bookings from '../bookings/bookings.ts';
import { GUEST_TEXT_LENGTHS } from '../bookings/text-lengths.ts';
import * as spaces from '../spaces/spaces.ts';
import * as parse from './options.ts';
import { printFields, printJson } from './output.ts';
import { operator, withContext } from './run.ts';

interface CreateOptions {
  space: string;
  date: string;
  hours: { start: number; end: number };
  guestName: string;
  guestEmail: string;
  guestPhone?: string;
  settlementMode: string;
  json?: true;
}

export function addBookingCommands(program: Command): void {
  program
    .command('booking')
    .description('bookings made on the platform’s own site')
    .command('create')
    .description('enter a platform booking; the same rules of the hours hold as for the API')
    .requiredOption('--space <id>', 'which space', parse.id)
    .requiredOption('--date <date>', 'YYYY-MM-DD, on the space’s wall clock', parse.date)
    .requiredOption('--hours <from-to>', 'such as 10-12', parse.hourRange)
    .requiredOption('--guest-name <name>', 'who comes', parse.textUpTo(GUEST_TEXT_LENGTHS.name))
    .requiredOption('--guest-email <email>', 'how to reach them', parse.email)
    .option('--guest-phone <phone>', 'how to reach them quickly', parse.textUpTo(GUEST_TEXT_LENGTHS.phone))
    .option('--settlement-mode <mode>', 'host_settled or platform_settled', 'platform_settled')
    .option('--json', 'print the booking')
    .addHelpText(
      'after',
      '\nExample:\n  hourkeep booking create --space <id> --date 2027-03-18 --hours 10-12 --guest-name "Ada Miller" --guest-email ada@example.com',
    )
    .action((options: CreateOptions) =>
      withContext(async (ctx) => {
        const owner = await spaces.ownerOf(ctx.db, options.space);
        const request: bookings.BookingRequest = {
          spaceId: options.space,
          date: options.date,
          startHour: options.hours.start,
          endHour: options.hours.end,
          guestEmail: options.guestEmail,
          guestName: options.guestName,
          guestPhone: options.guestPhone ?? null,
          settlementMode: options.settlementMode,
          idempotencyKey: null,
        };
        const { booking } = await bookings.create(ctx, { ...owner, actor: operator }, request, 'platform');
        if (options.json) {
          printJson(booking);
          return;
        }
        printFields([
          ['Booked', booking.id],
          [
            'When',
            `${booking.date} ${booking.start_hour}:00 to ${booking.end_hour}:00 (${booking.timezone})`,
          ],
          ['Price', `${booking.total_price} ${booking.currency}`],
        ]);
      }),
    );
}
