import { Option, type Command } from 'commander';
import { currencyDecimals } from '../money/currency.ts';
import { ofHosts, type HostSettlement } from '../settlement/for-operators.ts';
import * as parse from './options.ts';
import { printCsv, printJson, printList } from './output.ts';
import { withContext } from './run.ts';

interface Options {
  month: string;
  host?: string;
  payouts?: true;
  csv?: true;
  json?: true;
}

export function addSettlementCommand(program: Command): void {
  program
    .command('settlement')
    .description(
      'what every host and the platform owe each other for a month, as the hosts’ own reports have it',
    )
    .requiredOption(
      '--month <month>',
      'YYYY-MM; API bookings of production whose local date is in it',
      parse.month,
    )
    .option('--host <id>', 'only this host', parse.id)
    .option('--payouts', 'only hosts with a balance that is not 0')
    .addOption(new Option('--csv', 'a line a host, with a header, in major units').conflicts('json'))
    .option('--json', 'print an array')
    .addHelpText(
      'after',
      `
A balance above 0 is the platform’s to pay, one below 0 the host’s.

Examples:
  hourkeep settlement --month 2027-03
  hourkeep settlement --month 2027-03 --payouts --csv > payouts-2027-03.csv`,
    )
    .action(async (options: Options) => {
      const all = await withContext((ctx) => ofHosts(ctx, options.month, options.host));
      const shown = options.payouts ? all.filter(({ totals }) => totals.balance !== 0) : all;
      if (options.csv) printCsv([HEADER, ...shown.map(toLine)]);
      else if (options.json) printJson(shown);
      else printTable(shown);
    });
}

const COUNTS = ['bookings', 'cancelled', 'hours'] as const;
const AMOUNTS = [
  'gross',
  'commission',
  'net',
  'host_collected',
  'platform_collected',
  'commission_due',
  'payout_due',
  'balance',
] as const satisfies (keyof HostSettlement['totals'])[];

const HEADER = [
  'host_id',
  'host_name',
  'currency',
  'month',
  'status',
  ...COUNTS,
  ...AMOUNTS,
  'refunds_pending_bookings',
  'refunds_pending_amount',
];

/** Amounts have all decimals of their currency, as banks write them. */
function toLine({ totals, refunds_pending: refunds, ...host }: HostSettlement): string[] {
  const amount = (value: number): string => value.toFixed(currencyDecimals(host.currency));
  return [
    host.host_id,
    host.host_name,
    host.currency,
    host.month,
    host.status,
    ...COUNTS.map((name) => String(totals[name])),
    ...AMOUNTS.map((name) => amount(totals[name])),
    String(refunds.bookings),
    amount(refunds.amount),
  ];
}

function printTable(shown: readonly HostSettlement[]): void {
  printList(
    {},
    shown,
    [
      ['HOST', (row) => row.host_name],
      ['STATUS', (row) => row.status],
      ['BOOKINGS', (row) => String(row.totals.bookings)],
      ['GROSS', (row) => money(row, row.totals.gross)],
      ['COMMISSION DUE', (row) => money(row, row.totals.commission_due)],
      ['PAYOUT DUE', (row) => money(row, row.totals.payout_due)],
      ['BALANCE', (row) => money(row, row.totals.balance)],
      ['TO REFUND', (row) => money(row, row.refunds_pending.amount)],
      ['ID', (row) => row.host_id],
    ],
    'There is nothing to settle.',
  );
}

function money({ currency }: HostSettlement, amount: number): string {
  return `${amount.toFixed(currencyDecimals(currency))} ${currency}`;
}
