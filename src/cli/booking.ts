import { create } from '../bookings/create.ts';
import { BOOKING, CANCEL_REASON_LENGTH, toRequest, type Booking } from '../bookings/fields.ts';
import * as forOperator from '../bookings/for-operators.ts';
import { onlySettable } from '../fields/fields.ts';
import * as hosts from '../hosts/hosts.ts';
import * as payments from '../payments/payments.ts';
import * as spaces from '../spaces/spaces.ts';
import { command, group, ONLY_HOST, option, required, withDefault } from './command.ts';
import { newOptions } from './field-options.ts';
import * as parse from './options.ts';
import { listed, note, printRecord, table } from './output.ts';
import { paymentColumns } from './payment.ts';
import { operator } from './run.ts';

export const bookingCommands = group('booking', 'bookings of all hosts and of the platform’s own site', [
  command('create', {
    about: 'enter a platform booking; the same rules of the hours hold as for the API',
    options: {
      ...newOptions(BOOKING),
      hours: required('<from-to>', 'such as 10-12', parse.hourRange),
      settlement_mode: withDefault('<mode>', BOOKING.settlement_mode.help, String, 'platform_settled'),
    },
    json: 'print the booking',
    examples: [
      'hourkeep booking create --space <id> --date 2027-03-18 --hours 10-12 --guest-name "Ada Miller" --guest-email ada@example.com',
    ],
    run: async (ctx, { hours, ...options }) => {
      const owner = await spaces.ownerOf(ctx.db, options.space_id);
      const request = toRequest({ ...onlySettable(BOOKING, options), ...hours });
      return (await create(ctx, { ...owner, actor: operator }, request, 'platform')).booking;
    },
    print: (booking) => listed([['Booked', booking.id], ...termsOf(booking)]),
  }),
  command('list', {
    about: 'list bookings of all hosts, newest first; with --updated-since in the order of their changes',
    options: {
      host: ONLY_HOST,
      space: option('<id>', 'only this space’s'),
      status: option('<status>', 'confirmed, cancelled, completed, or several with commas', parse.statuses),
      reference: option('<reference>', 'only those with this reference', parse.reference),
      payment: option(
        '<state>',
        'only bookings whose payment is so; refund_pending: cancelled and paid',
        forOperator.PAYMENT_STATES,
      ),
      from: option('<date>', `first date, ${BOOKING.date.help}`, parse.date),
      to: option('<date>', 'last date', parse.date),
      guest: option(
        '<text>',
        'part of a name or email, case and accents ignored; bookings of the last year and later without --from and --to',
        parse.guest,
      ),
      updatedSince: option('<time>', 'what has changed since, such as 12h or a time', parse.since),
      limit: option('<n>', 'at most so many (default: 50; with --json 10000)', parse.countFrom(1, 10_000)),
    },
    examples: ['hourkeep booking list --host <id> --status confirmed --from 2027-03-01 --to 2027-03-31'],
    misuse: ({ from, to, guest, updatedSince }) => {
      if (updatedSince !== undefined && (from ?? to ?? guest) !== undefined)
        return '--updated-since is not given together with --from, --to or --guest';
      return from !== undefined && to !== undefined && from > to && '--from must not be after --to';
    },
    run: async (ctx, { json, updatedSince, ...options }) => {
      const limit = options.limit ?? (json ? 10_000 : 50);
      const filter = { ...options, limit } as forOperator.OperatorFilter;
      const all =
        updatedSince === undefined
          ? await forOperator.list(ctx, filter)
          : await forOperator.listChanges(ctx, filter, updatedSince);
      if (options.limit === undefined && all.length === limit)
        note(`Only the first ${limit} are listed; --limit, --to and --updated-since lead to others.`);
      return hosts.withNames(ctx.db, all);
    },
    table: [
      [
        'id',
        'date',
        ['HOURS', (row) => `${row.start_hour}-${row.end_hour}`],
        'status',
        'guest_name',
        'total_price',
        'payment_status',
        'source',
        'environment',
        'space_id',
        'host_name',
      ],
      'There are no such bookings.',
      BOOKING,
    ],
  }),
  command('show', {
    about: 'show a booking',
    argument: 'booking',
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
      date: required('<date>', BOOKING.date.help, parse.date),
      hours: option('<from-to>', 'such as 10-12', parse.hourRange, {
        conflicts: ['startHour', 'endHour'],
      }),
      startHour: option('<hour>', 'first hour, with --end-hour instead of --hours', parse.countFrom(0, 23)),
      endHour: option('<hour>', 'the hour at which it ends, 1 to 24', parse.countFrom(1, 24)),
      space: option('<id>', 'to another space of its host'),
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
        '<text>',
        'kept with the booking, where its host reads it',
        parse.text(CANCEL_REASON_LENGTH),
      ),
    },
    examples: ['hourkeep booking cancel <booking> --reason "The heating is out of order"'],
    run: (ctx, { id, reason }) => forOperator.cancel(ctx, operator, id, reason),
    print: (cancelled, { id }) => {
      const done = `Cancelled ${id}: ${whenOf(cancelled)} is free again.`;
      if (cancelled.payment_status !== 'confirmed') return done;
      const refund = `give it back, then run "hourkeep payment refund ${id}"`;
      return [done, `The guest has paid ${priceOf(cancelled)}: ${refund}.`];
    },
  }),
]);

function termsOf(booking: Booking): [name: string, value: string][] {
  return [
    ['When', whenOf(booking)],
    ['Price', priceOf(booking)],
  ];
}

function whenOf(booking: Booking): string {
  return `${booking.date} ${booking.start_hour}:00 to ${booking.end_hour}:00 (${booking.timezone})`;
}

function priceOf(booking: Booking): string {
  return `${booking.total_price} ${booking.currency}`;
}
