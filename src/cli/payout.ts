import * as payouts from '../books/payouts.ts';
import { command, ENVIRONMENT, group, ONLY_HOST, option, REASON, required } from './command.ts';
import * as parse from './options.ts';
import { operator } from './run.ts';
import { amountText } from './settlement.ts';

export const payoutCommands = group('payout', 'what the platform paid to hosts, or received from them', [
  command('record', {
    about: 'record a payout; with a reference, repeating it changes nothing',
    options: {
      host: required('<id>', 'to which host'),
      amount: required(
        '<amount>',
        'in major units, such as 119.25; received from the host: --amount=-12.50',
        parse.decimal,
      ),
      env: ENVIRONMENT,
      reference: option('<text>', 'how the bank names the transfer', parse.text()),
      paidOn: option('<date>', 'YYYY-MM-DD (default: today where the host is)', parse.date),
    },
    json: 'print the payout, with {already_recorded}',
    notes: 'It moves no money: it stands in the report of the first month that is open.',
    examples: ['hourkeep payout record --host <id> --amount 119.25 --reference SEPA-2027-0311'],
    run: (ctx, { host, env, amount, reference = null, paidOn }) =>
      payouts.record(ctx, operator, { hostId: host, environment: env }, { amount, reference, paidOn }),
    toJson: ({ payout, repeated }) => ({ ...payout, already_recorded: repeated }),
    print: ({ payout, repeated }) =>
      `${repeated ? 'Already recorded' : 'Recorded'} ${payout.id}: ${textOf(payout)}, in the report of ${payout.month}.`,
  }),
  command('list', {
    about: 'list payouts of both environments, newest first',
    options: {
      host: ONLY_HOST,
      month: option('<month>', 'only those in the report of this month, YYYY-MM', parse.month),
      since: option('<time>', 'recorded since, such as 12h or 2027-03-01', parse.since),
    },
    run: (ctx, filter) => payouts.list(ctx.db, filter),
    table: [
      ['id', 'host_name', ['AMOUNT', textOf], 'paid_on', 'month', 'reference', 'environment', 'voided_at'],
      'There are no such payouts.',
    ],
  }),
  command('void', {
    about: 'a payout that was recorded by mistake, or that came back, no longer counts',
    argument: 'payout',
    options: { reason: required(...REASON) },
    json: 'print the payout, with {already_voided}',
    notes:
      'In an open month it leaves the report. That of a closed month stays there, and the opposite amount stands in the first open month.',
    run: (ctx, { id, reason }) => payouts.makeVoid(ctx, operator, id, reason),
    toJson: ({ payout, repeated }) => ({ ...payout, already_voided: repeated }),
    print: ({ payout, repeated }) =>
      `${repeated ? 'Already voided' : 'Voided'}: ${textOf(payout)} of ${payout.paid_on}.`,
  }),
]);

function textOf({ amount, currency }: payouts.Payout): string {
  return `${amountText(amount, currency)} ${currency}`;
}
