import type { Booking } from '../bookings/bookings.ts';
import { show } from '../bookings/for-operators.ts';
import * as payments from '../payments/payments.ts';
import { command, flag, group, option, required } from './command.ts';
import * as parse from './options.ts';
import { table, type Columns } from './output.ts';
import { operator } from './run.ts';

const evidence = (of: string) => ({
  reference: option('--reference <text>', `how the payment system names the ${of}`, parse.text()),
  shared: flag('--shared', 'the reference may stand on other bookings of the host too'),
});
export const paymentCommands = group('payment', 'what guests pay to the platform', [
  command('confirm', {
    about: 'record that the guest of a platform_settled booking has paid; repeating it changes nothing',
    argument: 'booking',
    options: evidence('payment'),
    json: 'print the booking, with {payment_reference, already_confirmed}',
    examples: ['hourkeep payment confirm <booking> --reference pi_3PqX'],
    run: (ctx, { id, reference = null, shared }) => payments.confirm(ctx, operator, id, reference, shared),
    toJson: ({ booking, reference, repeated }) => ({
      ...booking,
      payment_reference: reference,
      already_confirmed: repeated,
    }),
    print: ({ booking, repeated }) => {
      const confirmed = `${repeated ? 'Already confirmed' : 'Confirmed'}: ${amountOf(booking)}.`;
      return booking.status === 'cancelled'
        ? [confirmed, 'The booking is cancelled: the guest gets this money back.']
        : confirmed;
    },
  }),
  command('refund', {
    about: 'record that the guest of a cancelled, paid booking has the money back',
    argument: 'booking',
    options: evidence('refund'),
    json: 'print the booking, with {refund_reference, already_refunded}',
    notes: 'It moves no money: the payment system does. Repeating it changes nothing.',
    examples: ['hourkeep payment refund <booking> --reference re_3PqX'],
    run: (ctx, { id, reference = null, shared }) => payments.refund(ctx, operator, id, reference, shared),
    toJson: ({ booking, reference, repeated }) => ({
      ...booking,
      refund_reference: reference,
      already_refunded: repeated,
    }),
    print: ({ booking, repeated }) => `${repeated ? 'Already refunded' : 'Refunded'}: ${amountOf(booking)}.`,
  }),
  command('void', {
    about: 'a payment that was confirmed by mistake, or that bounced, is pending again',
    argument: 'booking',
    options: { reason: required('--reason <text>', 'why, for the audit trail; name no guest', parse.reason) },
    json: 'print the booking',
    notes:
      'Not once it is refunded. Where the booking’s month is closed, it is an adjustment in the first open one. Hosts are sent no event.',
    examples: ['hourkeep payment void <booking> --reason "Wire of another booking"'],
    run: (ctx, { id, reason }) => payments.makeVoid(ctx, operator, id, reason),
    toJson: (booking) => ({ ...booking, payment_reference: null }),
    print: (booking) => `The payment of ${amountOf(booking)} is pending again.`,
  }),
  command('list', {
    about: 'everything that was recorded about the payment of a booking, oldest first',
    argument: 'booking',
    json: 'print an array',
    run: async (ctx, { id }) => {
      const [entries, { currency }] = await Promise.all([payments.list(ctx.db, id), show(ctx, id)]);
      return { entries, currency };
    },
    toJson: ({ entries }) => entries,
    print: ({ entries, currency }) =>
      table(entries, paymentColumns(currency), 'Nothing was recorded about its payment.'),
  }),
]);

export function paymentColumns(currency: string): Columns<payments.PaymentEntry> {
  return [
    ['AT', ({ at }) => at ?? 'unknown'],
    'kind',
    ['AMOUNT', ({ amount }) => `${amount} ${currency}`],
    'reference',
    ['BY', ({ actor }) => actor?.id ?? 'unknown'],
  ];
}

function amountOf({ id, total_price, currency }: Pick<Booking, 'id' | 'total_price' | 'currency'>): string {
  return `${total_price} ${currency} for booking ${id}`;
}
