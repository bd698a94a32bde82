import type { Booking, SettlementReport } from '@hourkeep/client';
import { emailOf, paddedAmount, plainHours } from './format.ts';

// Files are the same in every language: programs read them too.

type Cell = string | number | boolean | null | Amount;

/** With all decimals of its currency. A minus in front of it does not make it a formula. */
interface Amount {
  amount: string;
}

/** For spreadsheets: a byte order mark so that they read UTF-8, and no text that they would run as a formula. */
export function toCsv(rows: readonly (readonly Cell[])[]): string {
  return '\uFEFF' + rows.map((row) => row.map(cellText).join(',') + '\r\n').join('');
}

function cellText(cell: Cell): string {
  if (typeof cell === 'number' || typeof cell === 'boolean') return String(cell);
  if (typeof cell === 'object' && cell !== null) return cell.amount;
  const text = cell ?? '';
  // A leading apostrophe is how spreadsheets mark text. White space in front does not stop them from running it.
  const safe = /^(?:\t|\s*[=+\-@])/.test(text) ? `'${text}` : text;
  return /[",\r\n;']/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

const BOOKING_COLUMNS: { [Field in keyof Booking]?: string } = {
  date: 'Date',
  start_hour: 'Time',
  hours: 'Hours',
  space_id: 'Space',
  guest_name: 'Guest',
  guest_email: 'Email',
  guest_phone: 'Phone',
  status: 'Status',
  total_price: 'Price',
  currency: 'Currency',
  settlement_mode: 'Settlement',
  payment_status: 'Payment',
  source: 'Source',
  id: 'Id',
};

/** A header and a row for each booking: first the columns that people read, then every other field under its name in the API. */
export function bookingRows(bookings: readonly Booking[], titleOf: (spaceId: string) => string): Cell[][] {
  const others = Object.keys(bookings[0] ?? {}).filter((name) => !(name in BOOKING_COLUMNS));
  const fields = [...Object.keys(BOOKING_COLUMNS), ...others] as (keyof Booking)[];
  return [
    [...Object.values(BOOKING_COLUMNS), ...others],
    ...bookings.map((booking) => {
      const shown = {
        ...booking,
        start_hour: plainHours(booking),
        space_id: titleOf(booking.space_id),
        guest_email: emailOf(booking),
        price_per_hour: { amount: paddedAmount(booking.price_per_hour, booking.currency) },
        total_price: { amount: paddedAmount(booking.total_price, booking.currency) },
      };
      return fields.map((name) => shown[name]);
    }),
  ];
}

// New columns come last: spreadsheets know columns by their place.
const STATEMENT_COLUMNS = [
  'Date',
  'Time',
  'Hours',
  'Space',
  'Status',
  'Settlement',
  'Payment',
  'Gross',
  'Commission rate',
  'Commission',
  'Net',
  'Currency',
  'Booking',
  'Space id',
  'Month',
  'Entry',
  'Booking month',
  'Reference',
  'Paid at',
  'Refunded at',
  'Amount',
] as const;

/** A header, a row for each line, adjustment and payout, and the sums. `Amount` is what a row changes of the balance. */
export function statementRows(report: SettlementReport): Cell[][] {
  const { month, currency, totals } = report;
  const padded = (amount: number): Amount => ({ amount: paddedAmount(amount, currency) });
  const row = (Entry: string, cells: { [Column in (typeof STATEMENT_COLUMNS)[number]]?: Cell }): Cell[] => {
    const all = { Currency: currency, Month: month, Entry, ...cells };
    return STATEMENT_COLUMNS.map((column) => all[column] ?? null);
  };
  return [
    [...STATEMENT_COLUMNS],
    ...report.lines.map((line) =>
      row('booking', {
        Date: line.date,
        Time: plainHours(line),
        Hours: line.hours,
        Space: line.space_title,
        Status: line.status,
        Settlement: line.settlement_mode,
        Payment: line.payment_status,
        Gross: padded(line.gross),
        'Commission rate': line.commission_rate,
        Commission: padded(line.commission),
        Net: padded(line.net),
        Booking: line.booking_id,
        'Space id': line.space_id,
        'Booking month': month,
        'Paid at': line.paid_at,
        'Refunded at': line.refunded_at,
        Amount: padded(
          line.settlement_mode === 'host_settled'
            ? -line.commission
            : line.payment_status === 'confirmed'
              ? line.net
              : 0,
        ),
      }),
    ),
    ...report.adjustments.map((each) =>
      row(each.kind, {
        Date: each.recorded_at.slice(0, 'YYYY-MM-DD'.length),
        Booking: each.booking_id,
        'Booking month': each.month,
        Amount: padded(each.payout_due - each.commission_due),
      }),
    ),
    row('total', {
      Hours: totals.hours,
      Gross: padded(totals.gross),
      Commission: padded(totals.commission),
      Net: padded(totals.net),
      Amount: padded(totals.balance),
    }),
    row('opening_balance', { Amount: padded(report.opening_balance) }),
    ...report.payouts.map((each) =>
      row('payout', { Date: each.paid_on, Reference: each.reference, Amount: padded(-each.amount) }),
    ),
    row('closing_balance', { Amount: padded(report.closing_balance) }),
  ];
}
