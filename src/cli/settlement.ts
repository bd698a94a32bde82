import { currencyDecimals, toMajor, toMinor } from '../money/currency.ts';
import { ofHosts, type HostSettlement } from '../settlement/for-operators.ts';
import type { SettlementTotals } from '../settlement/schemas.ts';
import { command, flag, ONLY_HOST, required } from './command.ts';
import * as parse from './options.ts';
import { printCsv, printed, table } from './output.ts';

export const settlement = command('settlement', {
  about: 'what every host and the platform owe each other for a month, as the hosts’ own reports have it',
  options: {
    month: required('<month>', 'YYYY-MM; API bookings of production whose local date is in it', parse.month),
    host: ONLY_HOST,
    payouts: flag('only hosts with a balance or closing balance that is not 0'),
    lines: flag('the bookings of the month instead of a row for each host'),
    byCurrency: flag('sums of all hosts with the same currency', { conflicts: ['lines'] }),
    csv: flag('with a header, in major units', { conflicts: ['json'] }),
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
    lines ? shown.flatMap(linesOf) : byCurrency ? sumsOf(shown) : shown.map(toRow),
  print: (shown, { csv, lines, byCurrency }) => {
    const shownAs = (rows: readonly CellRow[], columns: string, header: string) =>
      csv
        ? printCsv(rows.map(toCells), header.split(','))
        : table(rows.map(toCells), columns.split(','), 'There is nothing to settle.');
    if (lines)
      return shownAs(
        shown.flatMap((report) =>
          linesOf(report).map((line) => ({ ...line, month: report.month, currency: report.currency })),
        ),
        LINES_FOR_PEOPLE,
        LINE_CSV,
      );
    if (byCurrency) return shownAs(sumsOf(shown), SUMS, SUMS);
    return shownAs(
      shown.map((report) => ({ ...report, payouts: paidOut(report) })),
      FOR_PEOPLE,
      CSV,
    );
  },
});

const BOOKED = 'gross,commission,net';
const TOTALS = `bookings,cancelled,hours,${BOOKED},host_collected,platform_collected,commission_due,payout_due,balance`;
const LATER = 'refunded,adjustments';
const CARRIED = 'opening_balance,payouts,closing_balance';

// Headers of the CSV. New columns come last: spreadsheets know columns by their place.
const CSV = `host_id,host_name,currency,month,status,${TOTALS},refunds_pending_bookings,refunds_pending_amount,${LATER},${CARRIED},closed_at`;
const SUMS = `currency,hosts,${TOTALS},${LATER},${CARRIED}`;
const LINE_CSV = `host_id,host_name,month,currency,booking_id,space_id,space_title,date,start_hour,end_hour,hours,status,settlement_mode,payment_status,paid_at,refunded_at,commission_rate,${BOOKED}`;

const FOR_PEOPLE = `host_name,status,bookings,currency,gross,opening_balance,commission_due,payout_due,adjustments,balance,payouts,closing_balance,refunds_pending_amount,host_id`;
const LINES_FOR_PEOPLE = `host_name,date,start_hour,end_hour,space_title,status,payment_status,currency,${BOOKED},booking_id`;

const NOT_MONEY = new Set(['bookings', 'cancelled', 'hours', 'refunds_pending_bookings']);
const AMOUNTS = new Set(
  `${TOTALS},${LATER},${CARRIED},refunds_pending_amount`.split(',').filter((name) => !NOT_MONEY.has(name)),
);

interface CellRow extends Partial<Pick<HostSettlement, 'refunds_pending'>> {
  readonly currency: string;
  readonly totals?: object;
}

/** Values as they are printed, by the names of their columns. */
function toCells({ totals, refunds_pending: refunds, ...row }: CellRow): Record<string, string> {
  const pending = { refunds_pending_bookings: refunds?.bookings, refunds_pending_amount: refunds?.amount };
  const cells = Object.entries<unknown>({ ...row, ...totals, ...pending }).map(([name, value]) => [
    name,
    AMOUNTS.has(name) ? amountText(Number(value), row.currency) : printed(undefined, value, row),
  ]);
  return Object.fromEntries(cells) as Record<string, string>;
}

function linesOf({ host_id, host_name, lines }: HostSettlement) {
  return lines.map((line) => ({ host_id, host_name, ...line }));
}

function toRow(report: HostSettlement) {
  const { lines: _lines, by_settlement_mode: _modes, by_space: _spaces, ...row } = report;
  return row;
}

/** Added up in minor units, so that every sum is exact. */
function sumsOf(shown: readonly HostSettlement[]) {
  const names = `${TOTALS},${LATER}`.split(',') as (keyof SettlementTotals)[];
  const groups = [...Map.groupBy(shown, (row) => row.currency)].toSorted(([a], [b]) => (a < b ? -1 : 1));
  return groups.map(([currency, rows]) => {
    const sum = (of: (row: HostSettlement) => number) => added(rows.map(of), currency);
    return {
      currency,
      hosts: rows.length,
      totals: Object.fromEntries(names.map((name) => [name, sum(({ totals }) => totals[name])])),
      opening_balance: sum((row) => row.opening_balance),
      payouts: sum(paidOut),
      adjustments: sum((row) => row.totals.adjustments),
      closing_balance: sum((row) => row.closing_balance),
    };
  });
}

/** What the platform has paid, less what it has received. */
function paidOut({ payouts, currency }: HostSettlement): number {
  return added(
    payouts.map(({ amount }) => amount),
    currency,
  );
}

function added(amounts: readonly number[], currency: string): number {
  return toMajor(
    amounts.reduce((total, amount) => total + toMinor(amount, currency)!, 0),
    currency,
  );
}

/** Amounts have all decimals of their currency, as banks write them. */
export function amountText(amount: number, currency: string): string {
  return amount.toFixed(currencyDecimals(currency));
}
