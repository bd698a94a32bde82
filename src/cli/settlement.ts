import { currencyDecimals } from '../money/currency.ts';
import { ofHosts, type HostSettlement } from '../settlement/for-operators.ts';
import { command, flag, option, required } from './command.ts';
import * as parse from './options.ts';
import { printCsv, table } from './output.ts';

export const settlement = command('settlement', {
  about: 'what every host and the platform owe each other for a month, as the hosts’ own reports have it',
  options: {
    month: required(
      '--month <month>',
      'YYYY-MM; API bookings of production whose local date is in it',
      parse.month,
    ),
    host: option('--host <id>', 'only this host', parse.id),
    payouts: flag('--payouts', 'only hosts with a balance that is not 0'),
    csv: flag('--csv', 'a line a host, with a header, in major units', { conflicts: ['json'] }),
  },
  json: 'print an array',
  notes: 'A balance above 0 is the platform’s to pay, one below 0 the host’s.',
  examples: [
    'hourkeep settlement --month 2027-03',
    'hourkeep settlement --month 2027-03 --payouts --csv > payouts-2027-03.csv',
  ],
  run: async (ctx, { month, host, payouts }) => {
    const all = await ofHosts(ctx, month, host);
    return payouts ? all.filter(({ totals }) => totals.balance !== 0) : all;
  },
  print: (shown, { csv }) =>
    csv
      ? printCsv([HEADER, ...shown.map(toLine)])
      : table(
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
        ),
});

const HOST = ['host_id', 'host_name', 'currency', 'month', 'status'] as const;
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
] as const;
const HEADER = [...HOST, ...COUNTS, ...AMOUNTS, 'refunds_pending_bookings', 'refunds_pending_amount'];

/** Amounts have all decimals of their currency, as banks write them. */
function toLine(row: HostSettlement): string[] {
  const { totals, refunds_pending: refunds } = row;
  return [
    ...HOST.map((name) => row[name]),
    ...COUNTS.map((name) => String(totals[name])),
    ...AMOUNTS.map((name) => decimals(row, totals[name])),
    String(refunds.bookings),
    decimals(row, refunds.amount),
  ];
}

function decimals({ currency }: HostSettlement, amount: number): string {
  return amount.toFixed(currencyDecimals(currency));
}

function money(row: HostSettlement, amount: number): string {
  return `${decimals(row, amount)} ${row.currency}`;
}
