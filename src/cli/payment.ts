import type { Booking } from '../bookings/bookings.ts';
import * as payments from '../payments/payments.ts';
import { command, option, required, group } from './command.ts';
import * as parse from './options.ts';
import { operator } from './run.ts';

const A_BOOKING = ['<booking>', 'the booking’s id', parse.id] as const;

export const paymentCommands = group('payment', 'what guests pay to the platform', [
  command('confirm', {
    about: 'record that the guest of a platform_settled booking has paid; repeating it changes nothing',
    argument: A_BOOKING,
    options: {
      reference: option('--reference <text>', 'how the payment system names the payment', parse.text()),
    },
    json: 'print the booking, with {payment_reference, already_confirmed}',
    examples: ['hourkeep payment confirm <booking> --reference pi_3PqX'],
    run: (ctx, { id, reference = null }) => payments.confirm(ctx, operator, id, reference),
    toJson: ({ booking, reference, repeated }) => ({
      ...booking,
      payment_reference: reference,
      already_confirmed: repeated,
    }),
    print: ({ booking, repeated }) => {
      const confirmed = `${repeated ? 'Already confirmed' : 'Confirmed'}: ${amountOf(booking)}.`;
      if (booking.payment_status === 'refunded') return [confirmed, 'The guest has this money back.'];
      return booking.status === 'cancelled'
        ? [confirmed, 'The booking is cancelled: the guest gets this money back.']
        : confirmed;
    },
  }),
  command('refund', {
    about: 'record that the guest of a cancelled, paid booking has the money back',
    argument: A_BOOKING,
    options: {
      reference: option('--reference <text>', 'how the payment system names the refund', parse.text()),
    },
    json: 'print the booking, with {refund_reference, already_refunded}',
    notes: 'It moves no money: the payment system does. Repeating it changes nothing.',
    examples: ['hourkeep payment refund <booking> --reference re_3PqX'],
    run: (ctx, { id, reference = null }) => payments.refund(ctx, operator, id, reference),
    toJson: ({ booking, reference, repeated }) => ({
      ...booking,
      refund_reference: reference,
      already_refunded: repeated,
    }),
    print: ({ booking, repeated }) => `${repeated ? 'Already refunded' : 'Refunded'}: ${amountOf(booking)}.`,
  }),
  command('void', {
    about: 'a payment that was confirmed by mistake is pending again',
    argument: A_BOOKING,
    options: {
      reason: required('--reason <text>', 'why, for the audit trail; name no guest', parse.reason),
    },
    json: 'print the booking',
    notes:
      'Only while the booking is not completed and not refunded and its month is open. Hosts are sent no event.',
    examples: ['hourkeep payment void <booking> --reason "Wire of another booking"'],
    run: (ctx, { id, reason }) => payments.makeVoid(ctx, operator, id, reason),
    toJson: (booking) => ({ ...booking, payment_reference: null }),
    print: (booking) => `The payment of ${amountOf(booking)} is pending again.`,
  }),
]);

function amountOf({ id, total_price, currency }: Pick<Booking, 'id' | 'total_price' | 'currency'>): string {
  return `${total_price} ${currency} for booking ${id}`;
}
