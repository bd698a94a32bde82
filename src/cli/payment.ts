import type { Command } from 'commander';
import * as payments from '../payments/payments.ts';
import * as parse from './options.ts';
import { print, printJson } from './output.ts';
import { operator, withContext } from './run.ts';

const LONGEST_REASON = 500;

export function addPaymentCommands(program: Command): void {
  const payment = program.command('payment').description('what guests pay to the platform');

  payment
    .command('confirm')
    .description('note that the guest of a platform_settled booking has paid; repeating it changes nothing')
    .argument('<booking>', 'the booking’s id', parse.id)
    .option('--reference <text>', 'how the payment system names the payment', parse.text)
    .option('--json', 'print the booking, with {payment_reference, already_confirmed}')
    .addHelpText('after', '\nExample:\n  hourkeep payment confirm <booking> --reference pi_3PqX')
    .action(async (bookingId: string, options: { reference?: string; json?: true }) => {
      const { booking, reference, repeated } = await withContext((ctx) =>
        payments.confirm(ctx, operator, bookingId, options.reference ?? null),
      );
      if (options.json) {
        printJson({ ...booking, payment_reference: reference, already_confirmed: repeated });
        return;
      }
      const amount = `${booking.total_price} ${booking.currency}`;
      print(`${repeated ? 'Already confirmed' : 'Confirmed'}: ${amount} for booking ${booking.id}.`);
      if (booking.payment_status === 'refunded') print('The guest has this money back.');
      else if (booking.status === 'cancelled')
        print('The booking is cancelled: the guest gets this money back.');
    });

  payment
    .command('refund')
    .description('note that the guest of a cancelled, paid booking has the money back')
    .argument('<booking>', 'the booking’s id', parse.id)
    .option('--reference <text>', 'how the payment system names the refund', parse.text)
    .option('--json', 'print the booking, with {refund_reference, already_refunded}')
    .addHelpText(
      'after',
      '\nIt moves no money: the payment system does. Repeating it changes nothing.\n\nExample:\n  hourkeep payment refund <booking> --reference re_3PqX',
    )
    .action(async (bookingId: string, options: { reference?: string; json?: true }) => {
      const { booking, reference, repeated } = await withContext((ctx) =>
        payments.refund(ctx, operator, bookingId, options.reference ?? null),
      );
      if (options.json) {
        printJson({ ...booking, refund_reference: reference, already_refunded: repeated });
        return;
      }
      const amount = `${booking.total_price} ${booking.currency}`;
      print(`${repeated ? 'Already refunded' : 'Refunded'}: ${amount} for booking ${booking.id}.`);
    });

  payment
    .command('void')
    .description('a payment that was confirmed by mistake is pending again')
    .argument('<booking>', 'the booking’s id', parse.id)
    .requiredOption(
      '--reason <text>',
      'why, for the audit trail; name no guest',
      parse.textUpTo(LONGEST_REASON),
    )
    .option('--json', 'print the booking')
    .addHelpText(
      'after',
      '\nOnly while the booking is not completed and not refunded and its month is open. Hosts are sent no event.\n\nExample:\n  hourkeep payment void <booking> --reason "Wire of another booking"',
    )
    .action(async (bookingId: string, options: { reason: string; json?: true }) => {
      const booking = await withContext((ctx) => payments.makeVoid(ctx, operator, bookingId, options.reason));
      if (options.json) printJson({ ...booking, payment_reference: null });
      else
        print(
          `The payment of ${booking.total_price} ${booking.currency} for booking ${booking.id} is pending again.`,
        );
    });
}
