import type { Booking } from '../bookings/fields.ts';
import { show } from '../bookings/for-operators.ts';
import * as payments from '../payments/payments.ts';
import { command, flag, group, option, required } from './command.ts';
import * as parse from './options.ts';
import { table, type Columns } from './output.ts';
import { operator } from './run.ts';

function recording(
  name: 'confirm' | 'refund',
  record: typeof payments.confirm,
  about: string,
  notes?: string,
) {
  const [thing, done, Done] =
    name === 'confirm' ? ['payment', 'confirmed', 'Confirmed'] : ['refund', 'refunded', 'Refunded'];
  return command(name, {
    about,
    argument: 'booking',
    options: {
      reference: option('<text>', `how the payment system names the ${thing}`, parse.text()),
      shared: flag('the reference may stand on other bookings of the host too'),
    },
    json: `print the booking, with {${thing}_reference, already_${done}}`,
    ...(notes && { notes }),
    examples: [`hourkeep payment ${name} <booking> --reference ${name === 'refund' ? 're' : 'pi'}_3PqX`],
    run: (ctx, { id, reference = null, shared }) => record(ctx, operator, id, reference, shared),
    toJson: ({ booking, reference, repeated }) => ({
      ...booking,
      [`${thing}_reference`]: reference,
      [`already_${done}`]: repeated,
    }),
    print: ({ booking, repeated }) => `${repeated ? `Already ${done}` : Done}: ${amountOf(booking)}.`,
  });
}

export const paymentCommands = group('payment', 'what guests pay to the platform', [
  recording(
    'confirm',
    payments.confirm,
    'record that the guest of a platform_settled booking has paid; repeating it changes nothing',
  ),
  recording(
    'refund',
    payments.refund,
    'record that the guest of a cancelled, paid booking has the money back',
    'It moves no money: the payment system does. Repeating it changes nothing.',
  ),
  command('void', {
    about: 'a payment that was confirmed by mistake, or that bounced, is pending again',
    argument: 'booking',
    options: { reason: required('<text>', 'why, for the audit trail; name no guest', parse.reason) },
    notes:
      'Not once it is refunded. Where the booking’s month is closed, it is an adjustment in the first open one. Hosts are sent no event.',
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
