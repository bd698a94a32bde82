import * as bookings from '../bookings/bookings.ts';
import {
  BOOKING,
  CANCEL_REASON_LENGTH,
  type BookingRequest,
  type OperatorBooking,
} from '../bookings/fields.ts';
import * as forOperator from '../bookings/for-operators.ts';
import * as hosts from '../hosts/hosts.ts';
import * as payments from '../payments/payments.ts';
import * as spaces from '../spaces/spaces.ts';
import { command, group, ONLY_HOST, option, required, withDefault } from './command.ts';
import { columns, newOptions, printRecord, valuesFrom } from './field-options.ts';
import * as parse from './options.ts';
import { listed, note, table } from './output.ts';
import { paymentColumns } from './payment.ts';
import { operator } from './run.ts';

const MAX_LISTED = { people: 50, json: 10_000 };

const DATE = BOOKING.date.help;

export const bookingCommands = group(
  'booking',
  'bookings of all hosts, and those of the platform’s own site',
  [
    command('create', {
      about: 'enter a platform booking; the same rules of the hours hold as for the API',
      options: {
        ...newOptions(BOOKING),
        hours: required('--hours <from-to>', 'such as 10-12', parse.hourRange),
        settlementMode: withDefault(
          BOOKING.settlement_mode.flag,
          BOOKING.settlement_mode.help,
          String,
          'platform_settled',
        ),
      },
      json: 'print the booking',
      examples: [
        'hourkeep booking create --space <id> --date 2027-03-18 --hours 10-12 --guest-name "Ada Miller" --guest-email ada@example.com',
      ],
      run: async (ctx, { hours, ...options }) => {
        const given = valuesFrom(BOOKING, options) as Partial<BookingRequest>;
        const owner = await spaces.ownerOf(ctx.db, given.space_id!);
        const request = bookings.toRequest({ ...given, ...hours });
        return (await bookings.create(ctx, { ...owner, actor: operator }, request, 'platform')).booking;
      },
      print: (booking) => listed([['Booked', booking.id], ...termsOf(booking)]),
    }),
    command('list', {
      about: 'list bookings of all hosts, newest first; with --updated-since in the order of their changes',
      options: {
        host: ONLY_HOST,
        space: option('--space <id>', 'only this space’s'),
        status: option(
          '--status <status>',
          'confirmed, cancelled or completed; several separated by commas',
          parse.statuses,
        ),
        reference: option('--reference <reference>', 'only those with this reference', parse.reference),
        payment: option(
          '--payment <state>',
          'only bookings whose payment is so; refund_pending: cancelled and paid',
          forOperator.PAYMENT_STATES,
        ),
        from: option('--from <date>', `first date, ${DATE}`, parse.date),
        to: option('--to <date>', 'last date', parse.date),
        guest: option(
          '--guest <text>',
          'part of a name or email, case and accents ignored; bookings of the last year and later without --from and --to',
          parse.guest,
        ),
        updatedSince: option(
          '--updated-since <time>',
          'what has changed since, such as 12h or 2027-03-01T12:00:00Z',
          parse.since,
        ),
        limit: option(
          '--limit <n>',
          `at most so many (default: ${MAX_LISTED.people}; with --json ${MAX_LISTED.json})`,
          parse.countFrom(1, MAX_LISTED.json),
        ),
      },
      examples: ['hourkeep booking list --host <id> --status confirmed --from 2027-03-01 --to 2027-03-31'],
      misuse: ({ from, to, guest, updatedSince }) => {
        if (updatedSince !== undefined && (from ?? to ?? guest) !== undefined)
          return '--updated-since is not given together with --from, --to or --guest';
        return from !== undefined && to !== undefined && from > to && '--from must not be after --to';
      },
      run: async (ctx, { json, updatedSince, ...options }) => {
        const limit = options.limit ?? (json ? MAX_LISTED.json : MAX_LISTED.people);
        const filter = { ...options, limit } as forOperator.OperatorFilter;
        const all =
          updatedSince === undefined
            ? await forOperator.list(ctx, filter)
            : await forOperator.listChanges(ctx, filter, updatedSince);
        if (options.limit === undefined && all.length === limit)
          note(
            updatedSince === undefined
              ? `Only the newest ${limit} are listed; --limit and --to lead to others.`
              : `Only the first ${limit} changes are listed; --limit and a later --updated-since lead to others.`,
          );
        return hosts.withNames(ctx.db, all);
      },
      table: [
        [
          ...columns<OperatorBooking>(BOOKING, 'id', 'date'),
          ['HOURS', (row) => `${row.start_hour}-${row.end_hour}`],
          ...columns<OperatorBooking>(BOOKING, 'status', 'guest_name', 'total_price', 'payment_status'),
          ...columns<OperatorBooking>(BOOKING, 'source', 'environment', 'space_id'),
          'host_name',
        ],
        'There are no such bookings.',
      ],
    }),
    command('show', {
      about: 'show a booking',
      argument: 'booking',
      json: 'print the booking',
      run: async (ctx, { id }) => {
        const [booking] = await hosts.withNames(ctx.db, [await forOperator.show(ctx, id)]);
        return { ...booking!, payments: await payments.list(ctx.db, id) };
      },
      print: ({ payments: entries, ...booking }) => [
        ...printRecord(BOOKING, booking),
        ...(entries.length === 0 ? [] : ['', ...table(entries, paymentColumns(booking.currency), '')]),
      ],
    }),
    command('move', {
      about:
        'move a booking of any source, also after its notice time; nobody else can take its hours meanwhile',
      argument: 'booking',
      options: {
        date: required('--date <date>', DATE, parse.date),
        hours: option('--hours <from-to>', 'such as 10-12', parse.hourRange, {
          conflicts: ['startHour', 'endHour'],
        }),
        startHour: option(
          '--start-hour <hour>',
          'first hour, 0 to 23; with --end-hour instead of --hours',
          parse.countFrom(0, 23),
        ),
        endHour: option('--end-hour <hour>', 'the hour at which it ends, 1 to 24', parse.countFrom(1, 24)),
        space: option('--space <id>', 'to another space of its host'),
      },
      json: 'print the new booking',
      examples: ['hourkeep booking move <booking> --date 2027-03-18 --hours 16-18'],
      misuse: ({ hours, startHour: start, endHour: end }) => {
        if (hours !== undefined) return false;
        if (start === undefined || end === undefined) return 'give --hours, or --start-hour and --end-hour';
        return end <= start && '--end-hour must be after --start-hour';
      },
      run: (ctx, { id, hours, startHour, endHour, ...place }) => {
        const { start_hour, end_hour } = hours ?? { start_hour: startHour!, end_hour: endHour! };
        return forOperator.move(ctx, operator, id, { ...place, startHour: start_hour, endHour: end_hour });
      },
      print: (moved, { id }) => listed([['Moved', id], ['To', moved.id], ...termsOf(moved)]),
    }),
    command('cancel', {
      about: 'cancel a booking, whoever made it and however late it is',
      argument: 'booking',
      options: {
        reason: required(
          '--reason <text>',
          'kept with the booking, where its host reads it',
          parse.text(CANCEL_REASON_LENGTH),
        ),
      },
      json: 'print the booking',
      examples: ['hourkeep booking cancel <booking> --reason "The heating is out of order"'],
      run: (ctx, { id, reason }) => forOperator.cancel(ctx, operator, id, reason),
      print: (cancelled, { id }) => [
        `Cancelled ${id}: ${whenOf(cancelled)} is free again.`,
        ...(cancelled.payment_status === 'confirmed'
          ? [
              `The guest has paid ${priceOf(cancelled)}: give it back, then run "hourkeep payment refund ${id}".`,
            ]
          : []),
      ],
    }),
  ],
);

function termsOf(booking: bookings.Booking): [name: string, value: string][] {
  return [
    ['When', whenOf(booking)],
    ['Price', priceOf(booking)],
  ];
}

function whenOf(booking: bookings.Booking): string {
  return `${booking.date} ${booking.start_hour}:00 to ${booking.end_hour}:00 (${booking.timezone})`;
}

function priceOf(booking: bookings.Booking): string {
  return `${booking.total_price} ${booking.currency}`;
}
