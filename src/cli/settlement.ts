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
    const printed = <Row>(rows: readonly Row[], columns: Columns<Row>, ofCsv: Columns<Row>) =>
      csv ? printCsv(rows, ofCsv) : table(rows, columns, 'There is nothing to settle.');
    if (lines) return printed(withMonth(shown), LINE_COLUMNS, LINE_CSV);
    return byCurrency ? printed(sumsOf(shown), SUMS_COLUMNS, SUMS) : printed(shown, COLUMNS, CSV);
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

/** A column for each of these names. */
const each = <Row, N extends string>(
  names: readonly N[],
  cell: (row: Row, name: N) => string,
): Columns<Row> => names.map((name) => [name, (row) => cell(row, name)]);

type Totals = Pick<HostSettlement, 'totals' | 'currency'>;
const count = ({ totals }: Totals, name: keyof SettlementTotals) => String(totals[name]);
const total = ({ totals, currency }: Totals, name: keyof SettlementTotals) =>
  amountText(totals[name], currency);

// New columns come last: spreadsheets know columns by their place.
const CSV: Columns<HostSettlement> = [
  ...each(HOST, (row: HostSettlement, name) => row[name]),
  ...each(COUNTS, count),
  ...each(AMOUNTS, total),
  ['refunds_pending_bookings', (row) => String(row.refunds_pending.bookings)],
  ['refunds_pending_amount', (row) => amountText(row.refunds_pending.amount, row.currency)],
  ...each(LATER_AMOUNTS, total),
  ['opening_balance', (row) => amountText(row.opening_balance, row.currency)],
  ['payouts', (row) => amountText(paidOut(row), row.currency)],
  ['closing_balance', (row) => amountText(row.closing_balance, row.currency)],
  ['closed_at', (row) => row.closed_at ?? ''],
];

type Line = Pick<HostSettlement, 'host_id' | 'host_name'> & SettlementLine;

function linesOf(shown: readonly HostSettlement[]): Line[] {
  return shown.flatMap(({ host_id, host_name, lines }) =>
    lines.map((line) => ({ host_id, host_name, ...line })),
  );
}

type Shown = Line & Pick<HostSettlement, 'month' | 'currency'>;

const LINE_AMOUNTS = each(['gross', 'commission', 'net'], (line: Shown, name) =>
  amountText(line[name], line.currency),
);

const LINE_COLUMNS: Columns<Shown> = [
  ['HOST', (line) => line.host_name],
  ['DATE', (line) => line.date],
  ['HOURS', (line) => `${line.start_hour}-${line.end_hour}`],
  ['SPACE', (line) => line.space_title],
  ['STATUS', (line) => line.status],
  ['PAYMENT', (line) => line.payment_status],
  ...LINE_AMOUNTS.map(
    ([name, amount]) => [name.toUpperCase(), (line: Shown) => `${amount(line)} ${line.currency}`] as const,
  ),
  ['BOOKING', (line) => line.booking_id],
];

const LINE_CSV: Columns<Shown> = [
  ...each(
    [
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
    ],
    (line: Shown, name) => String(line[name] ?? ''),
  ),
  ...LINE_AMOUNTS,
];

function withMonth(shown: readonly HostSettlement[]): Shown[] {
  return shown.flatMap((row) =>
    linesOf([row]).map((line) => ({ ...line, month: row.month, currency: row.currency })),
  );
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

const SUMS: Columns<CurrencySums> = [
  ['currency', (row) => row.currency],
  ['hosts', (row) => String(row.hosts)],
  ...each(COUNTS, count),
  ...each([...AMOUNTS, ...LATER_AMOUNTS], total),
  ...each(CARRIED, (row: CurrencySums, name) => amountText(row[name], row.currency)),
];
const SUMS_COLUMNS = SUMS.map(([name, cell]) => [name.toUpperCase(), cell] as const);

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
