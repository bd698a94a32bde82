import { Option, type Command } from 'commander';
import * as bookings from '../bookings/bookings.ts';
import * as forOperator from '../bookings/for-operators.ts';
import type { Booking } from '../bookings/schemas.ts';
import { CANCEL_REASON_LENGTH, GUEST_TEXT_LENGTHS } from '../bookings/text-lengths.ts';
import * as hosts from '../hosts/hosts.ts';
import * as spaces from '../spaces/spaces.ts';
import * as parse from './options.ts';
import { print, printFields, printJson, printList } from './output.ts';
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

interface ListOptions extends Omit<forOperator.OperatorFilter, 'limit'> {
  updatedSince?: number;
  limit?: number;
  json?: true;
}

const LISTED = 50;
const MOST_LISTED = 10_000;

export function addBookingCommands(program: Command): void {
  const booking = program
    .command('booking')
    .description('bookings of all hosts, and those of the platform’s own site');

  booking
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
          replaces: null,
          idempotencyKey: null,
        };
        const { booking } = await bookings.create(ctx, { ...owner, actor: operator }, request, 'platform');
        if (options.json) {
          printJson(booking);
          return;
        }
        printFields([
          ['Booked', booking.id],
          ['When', whenOf(booking)],
          ['Price', priceOf(booking)],
        ]);
      }),
    );

  booking
    .command('list')
    .description(
      'list bookings of all hosts, newest first; with --updated-since in the order of their changes',
    )
    .option('--host <id>', 'only this host’s', parse.id)
    .option('--space <id>', 'only this space’s', parse.id)
    .option('--status <status>', 'confirmed, cancelled or completed', parse.bookingStatus)
    .addOption(
      new Option(
        '--payment <state>',
        'only bookings whose payment is so; refund_pending: cancelled and paid',
      ).choices(forOperator.PAYMENT_STATES),
    )
    .option('--from <date>', 'first date, YYYY-MM-DD on the space’s wall clock', parse.date)
    .option('--to <date>', 'last date', parse.date)
    .option(
      '--guest <text>',
      'letters of a name or email, whatever the case and accents; from a year back on without --from and --to',
      parse.guest,
    )
    .option(
      '--updated-since <time>',
      'what has changed since, such as 12h or 2027-03-01T12:00:00Z',
      parse.since,
    )
    .option(
      '--limit <number>',
      `at most so many (default: ${LISTED}; with --json ${MOST_LISTED})`,
      parse.countFrom(1, MOST_LISTED),
    )
    .option('--json', 'print an array')
    .addHelpText(
      'after',
      '\nExample:\n  hourkeep booking list --host <id> --status confirmed --from 2027-03-01 --to 2027-03-31',
    )
    .action(async (options: ListOptions, command: Command) => {
      const { from, to, guest, updatedSince } = options;
      if (from !== undefined && to !== undefined && from > to)
        command.error('error: --from must not be after --to');
      if (updatedSince !== undefined && (from ?? to ?? guest) !== undefined)
        command.error('error: --updated-since is not given together with --from, --to or --guest');
      const limit = options.limit ?? (options.json ? MOST_LISTED : LISTED);
      const all = await withContext(async (ctx) => {
        if (options.host !== undefined) await hosts.get(ctx.db, options.host);
        if (options.space !== undefined) await spaces.ownerOf(ctx.db, options.space);
        return updatedSince === undefined
          ? forOperator.list(ctx, { ...options, limit })
          : forOperator.listChanges(ctx.db, { ...options, limit }, updatedSince);
      });
      printList(
        options,
        all,
        [
          ['ID', (row) => row.id],
          ['DATE', (row) => row.date],
          ['HOURS', (row) => `${row.start_hour}-${row.end_hour}`],
          ['STATUS', (row) => row.status],
          ['GUEST', (row) => row.guest_name],
          ['PRICE', priceOf],
          ['PAYMENT', (row) => row.payment_status],
          ['SOURCE', (row) => row.source],
          ['ENVIRONMENT', (row) => row.environment],
          ['SPACE', (row) => row.space_id],
        ],
        'There are no such bookings.',
      );
      if (options.limit === undefined && all.length === limit)
        process.stderr.write(
          updatedSince === undefined
            ? `Only the newest ${limit} are listed; --limit and --to lead to others.\n`
            : `Only the first ${limit} changes are listed; --limit and a later --updated-since lead to others.\n`,
        );
    });

  booking
    .command('show')
    .description('show a booking')
    .argument('<id>', 'the booking’s id', parse.id)
    .option('--json', 'print the booking')
    .addHelpText('after', '\nExample:\n  hourkeep booking show <id>')
    .action(async (id: string, options: { json?: true }) => {
      const found = await withContext((ctx) => forOperator.show(ctx.db, id));
      if (options.json) printJson(found);
      else printBooking(found);
    });

  booking
    .command('move')
    .description(
      'move a booking, whoever made it and however late it is; nobody can take its hours meanwhile',
    )
    .argument('<id>', 'the booking’s id', parse.id)
    .requiredOption('--date <date>', 'YYYY-MM-DD, on the space’s wall clock', parse.date)
    .requiredOption('--start-hour <hour>', 'first hour, 0 to 23', parse.countFrom(0, 23))
    .requiredOption('--end-hour <hour>', 'the hour at which it ends, 1 to 24', parse.countFrom(1, 24))
    .option('--space <id>', 'to another space of its host', parse.id)
    .option('--json', 'print the new booking')
    .addHelpText(
      'after',
      '\nExample:\n  hourkeep booking move <id> --date 2027-03-18 --start-hour 16 --end-hour 18',
    )
    .action(async (id: string, options: forOperator.Place & { json?: true }, command: Command) => {
      if (options.endHour <= options.startHour) command.error('error: --end-hour must be after --start-hour');
      const moved = await withContext((ctx) => forOperator.move(ctx, operator, id, options));
      if (options.json) {
        printJson(moved);
        return;
      }
      printFields([
        ['Moved', id],
        ['To', moved.id],
        ['When', whenOf(moved)],
        ['Price', priceOf(moved)],
      ]);
    });

  booking
    .command('cancel')
    .description('cancel a booking, whoever made it and however late it is')
    .argument('<id>', 'the booking’s id', parse.id)
    .requiredOption(
      '--reason <text>',
      'kept with the booking, where its host reads it',
      parse.textUpTo(CANCEL_REASON_LENGTH),
    )
    .option('--json', 'print the booking')
    .addHelpText('after', '\nExample:\n  hourkeep booking cancel <id> --reason "The heating is out of order"')
    .action(async (id: string, options: { reason: string; json?: true }) => {
      const cancelled = await withContext((ctx) => forOperator.cancel(ctx, operator, id, options.reason));
      if (options.json) {
        printJson(cancelled);
        return;
      }
      print(`Cancelled ${id}: ${whenOf(cancelled)} is free again.`);
      if (cancelled.payment_status !== 'confirmed') return;
      print(
        `The guest has paid ${priceOf(cancelled)}: give it back, then run "hourkeep payment refund ${id}".`,
      );
    });
}

function printBooking(booking: forOperator.OperatorBooking): void {
  const { guest_name, guest_email, guest_phone, payment_reference, refund_reference } = booking;
  printFields([
    ['Booking', booking.id],
    ['Status', booking.status],
    ['When', whenOf(booking)],
    ['Space', booking.space_id],
    ['Host', booking.host_id],
    ['Environment', booking.environment],
    ['Source', booking.source],
    ['Guest', [guest_name, guest_email, guest_phone].filter((text) => text !== null).join(', ')],
    ['Price', priceOf(booking)],
    ['Payment', `${booking.payment_status}, ${booking.settlement_mode}`],
    ...given('Paid', booking.paid_at),
    ...given('Refunded', booking.refunded_at),
    ...given('Payment reference', payment_reference),
    ...given('Refund reference', refund_reference),
    ['Made', booking.created_at],
    ...given('Cancelled', booking.cancelled_at && `${booking.cancelled_at}: ${booking.cancellation_reason}`),
    ...given('Moved from', booking.replaces),
    ...given('Moved to', booking.replaced_by),
  ]);
}

function given(label: string, value: string | null): [string, string][] {
  return value === null ? [] : [[label, value]];
}

function whenOf(booking: Booking): string {
  return `${booking.date} ${booking.start_hour}:00 to ${booking.end_hour}:00 (${booking.timezone})`;
}

function priceOf(booking: Booking): string {
  return `${booking.total_price} ${booking.currency}`;
}
