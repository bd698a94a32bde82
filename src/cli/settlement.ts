import { currencyDecimals, toMajor, toMinor } from '../money/currency.ts';
import { ofHosts, type HostSettlement } from '../settlement/for-operators.ts';
import type { SettlementLine, SettlementTotals } from '../settlement/schemas.ts';
import { command, flag, option, required } from './command.ts';
import * as parse from './options.ts';
import { printCsv, table, type Columns } from './output.ts';

export const settlement = command('settlement', {
  about: 'what every host and the platform owe each other for a month, as the hosts’ own reports have it',
  options: {
    month: required(
      '--month <month>',
      'YYYY-MM; API bookings of production whose local date is in it',
      parse.month,
    ),
    host: option('--host <id>', 'only this host'),
    payouts: flag('--payouts', 'only hosts with a balance or closing balance that is not 0'),
    lines: flag('--lines', 'the bookings of the month instead of a row for each host'),
    byCurrency: flag('--by-currency', 'sums of all hosts with the same currency', { conflicts: ['lines'] }),
    csv: flag('--csv', 'with a header, in major units', { conflicts: ['json'] }),
  },
  json: 'print an array',
  notes:
    'A balance above 0 is the platform’s to pay, one below 0 the host’s. The closing balance counts what was carried forward and paid out.',
  examples: [
    'hourkeep settlement --month 2027-03',
    'hourkeep settlement --month 2027-03 --payouts --csv > payouts-2027-03.csv',
    'hourkeep settlement --month 2027-03 --lines --csv > lines-2027-03.csv',
  ],
  run: async (ctx, { month, host, payouts, lines }) => {
    const all = await ofHosts(ctx, month, { hostId: host, withLines: lines });
    return payouts ? all.filter((row) => row.totals.balance !== 0 || row.closing_balance !== 0) : all;
  },
  toJson: (shown, { lines, byCurrency }) =>
    lines ? linesOf(shown) : byCurrency ? sumsOf(shown) : shown.map(toRow),
  print: (shown, { csv, lines, byCurrency }) => {
    if (lines) return printLines(shown, csv);
    if (byCurrency) return printSums(sumsOf(shown), csv);
    return csv
      ? printCsv([HEADER, ...shown.map(toCells)])
      : table(shown, COLUMNS, 'There is nothing to settle.');
  },
});

const HOST = ['host_id', 'host_name', 'currency', 'month', 'status'] as const;
const COUNTS = ['bookings', 'cancelled', 'hours'] as const satisfies (keyof SettlementTotals)[];
const AMOUNTS = [
  'gross',
  'commission',
  'net',
  'host_collected',
  'platform_collected',
  'commission_due',
  'payout_due',
  'balance',
] as const satisfies (keyof SettlementTotals)[];
const LATER_AMOUNTS = ['refunded', 'adjustments'] as const satisfies (keyof SettlementTotals)[];
/** What is carried forward and paid out. */
const CARRIED = ['opening_balance', 'payouts', 'closing_balance'] as const;

/** A host's report without its lines. */
function toRow(report: HostSettlement) {
  const { lines: _lines, by_settlement_mode: _modes, by_space: _spaces, ...row } = report;
  return row;
}

const COLUMNS: Columns<HostSettlement> = [
  ['HOST', (row) => row.host_name],
  ['STATUS', (row) => row.status],
  ['BOOKINGS', (row) => String(row.totals.bookings)],
  ['GROSS', (row) => money(row, row.totals.gross)],
  ['OPENING', (row) => money(row, row.opening_balance)],
  ['COMMISSION DUE', (row) => money(row, row.totals.commission_due)],
  ['PAYOUT DUE', (row) => money(row, row.totals.payout_due)],
  ['ADJUSTMENTS', (row) => money(row, row.totals.adjustments)],
  ['BALANCE', (row) => money(row, row.totals.balance)],
  ['PAID OUT', (row) => money(row, paidOut(row))],
  ['CLOSING', (row) => money(row, row.closing_balance)],
  ['TO REFUND', (row) => money(row, row.refunds_pending.amount)],
  ['ID', (row) => row.host_id],
];

// New columns come last: spreadsheets know columns by their place.
const HEADER = [
  ...HOST,
  ...COUNTS,
  ...AMOUNTS,
  'refunds_pending_bookings',
  'refunds_pending_amount',
  ...LATER_AMOUNTS,
  ...CARRIED,
  'closed_at',
];

function toCells(row: HostSettlement): string[] {
  const { totals, refunds_pending: refunds, currency } = row;
  const padded = (amount: number) => amountText(amount, currency);
  return [
    ...HOST.map((name) => row[name]),
    ...COUNTS.map((name) => String(totals[name])),
    ...AMOUNTS.map((name) => padded(totals[name])),
    String(refunds.bookings),
    padded(refunds.amount),
    ...LATER_AMOUNTS.map((name) => padded(totals[name])),
    padded(row.opening_balance),
    padded(paidOut(row)),
    padded(row.closing_balance),
    row.closed_at ?? '',
  ];
}

type Line = Pick<HostSettlement, 'host_id' | 'host_name'> & SettlementLine;

function linesOf(shown: readonly HostSettlement[]): Line[] {
  return shown.flatMap(({ host_id, host_name, lines }) =>
    lines.map((line) => ({ host_id, host_name, ...line })),
  );
}

const LINE_AMOUNTS = ['gross', 'commission', 'net'] as const;

function printLines(shown: readonly HostSettlement[], csv: true | undefined): readonly string[] {
  const all = shown.flatMap((row) =>
    linesOf([row]).map((line) => ({ ...line, month: row.month, currency: row.currency })),
  );
  type Shown = (typeof all)[number];
  const padded = (line: Shown) => LINE_AMOUNTS.map((name) => amountText(line[name], line.currency));
  if (!csv)
    return table(
      all,
      [
        ['HOST', (line) => line.host_name],
        ['DATE', (line) => line.date],
        ['HOURS', (line) => `${line.start_hour}-${line.end_hour}`],
        ['SPACE', (line) => line.space_title],
        ['STATUS', (line) => line.status],
        ['PAYMENT', (line) => line.payment_status],
        ...LINE_AMOUNTS.map(
          (name, i) => [name.toUpperCase(), (line: Shown) => `${padded(line)[i]} ${line.currency}`] as const,
        ),
        ['BOOKING', (line) => line.booking_id],
      ],
      'There is nothing to settle.',
    );
  const names = [
    'host_id',
    'host_name',
    'month',
    'currency',
    'booking_id',
    'space_id',
    'space_title',
    'date',
    'start_hour',
    'end_hour',
    'hours',
    'status',
    'settlement_mode',
    'payment_status',
    'paid_at',
    'refunded_at',
    'commission_rate',
  ] as const satisfies (keyof Shown)[];
  return printCsv([
    [...names, ...LINE_AMOUNTS],
    ...all.map((line) => [...names.map((name) => String(line[name] ?? '')), ...padded(line)]),
  ]);
}

interface CurrencySums {
  currency: string;
  hosts: number;
  totals: SettlementTotals;
  opening_balance: number;
  payouts: number;
  adjustments: number;
  closing_balance: number;
}

/** Added up in minor units, so that every sum is exact. */
function sumsOf(shown: readonly HostSettlement[]): CurrencySums[] {
  const groups = [...Map.groupBy(shown, (row) => row.currency)].toSorted(([a], [b]) => (a < b ? -1 : 1));
  return groups.map(([currency, rows]) => {
    const sum = (of: (row: HostSettlement) => number) =>
      toMajor(
        rows.reduce((total, row) => total + toMinor(of(row), currency)!, 0),
        currency,
      );
    const count = (name: (typeof COUNTS)[number]) => rows.reduce((total, row) => total + row.totals[name], 0);
    const amounts = [...AMOUNTS, ...LATER_AMOUNTS].map((name) => [name, sum((row) => row.totals[name])]);
    return {
      currency,
      hosts: rows.length,
      totals: Object.fromEntries([
        ...COUNTS.map((name) => [name, count(name)]),
        ...amounts,
      ]) as SettlementTotals,
      opening_balance: sum((row) => row.opening_balance),
      payouts: sum(paidOut),
      adjustments: sum((row) => row.totals.adjustments),
      closing_balance: sum((row) => row.closing_balance),
    };
  });
}

function printSums(sums: readonly CurrencySums[], csv: true | undefined): readonly string[] {
  const amounts = [...AMOUNTS, ...LATER_AMOUNTS];
  const cells = (row: CurrencySums): string[] => [
    row.currency,
    String(row.hosts),
    ...COUNTS.map((name) => String(row.totals[name])),
    ...amounts.map((name) => amountText(row.totals[name], row.currency)),
    ...CARRIED.map((name) => amountText(row[name], row.currency)),
  ];
  const header = ['currency', 'hosts', ...COUNTS, ...amounts, ...CARRIED];
  if (csv) return printCsv([header, ...sums.map(cells)]);
  const columns = header.map(
    (name, i) => [name.toUpperCase(), (row: CurrencySums) => cells(row)[i]!] as const,
  );
  return table(sums, columns, 'There is nothing to settle.');
}

/** What the platform has paid, less what it has received. */
function paidOut({ payouts, currency }: HostSettlement): number {
  const sum = payouts.reduce((total, { amount }) => total + toMinor(amount, currency)!, 0);
  return toMajor(sum, currency);
}

/** Amounts have all decimals of their currency, as banks write them. */
export function amountText(amount: number, currency: string): string {
  return amount.toFixed(currencyDecimals(currency));
}

function money({ currency }: HostSettlement, amount: number): string {
  return `${amountText(amount, currency)} ${currency}`;
}
