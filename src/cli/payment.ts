import type { Command } from 'commander';
import * as payments from '../payments/payments.ts';
import * as parse from './options.ts';
import { print, printJson } from './output.ts';
import { operator, withContext } from './run.ts';

export function addPaymentCommands(program: Command): void {
  program
    .command('payment')
    .description('what guests pay to the platform')
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
      if (booking.status === 'cancelled') print('The booking is cancelled: the guest gets this money back.');
    });
}
