import type { Booking } from '@hourkeep/client';
import { emailOf, plainHours } from './format.ts';

// Files are the same in every language: programs read them too.

type Cell = string | number | boolean | null;

/** For spreadsheets: a byte order mark so that they read UTF-8, and no text that they would run as a formula. */
export function toCsv(rows: readonly (readonly Cell[])[]): string {
  return '\uFEFF' + rows.map((row) => row.map(cellText).join(',') + '\r\n').join('');
}

function cellText(cell: Cell): string {
  if (typeof cell === 'number' || typeof cell === 'boolean') return String(cell);
  const text = cell ?? '';
  // A leading apostrophe is how spreadsheets mark text. White space in front does not stop them from running it.
  const safe = /^\s*[=+\-@]/.test(text) ? `'${text}` : text;
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
      };
      return fields.map((name) => shown[name]);
    }),
  ];
}

export const REPORT_COLUMNS = [
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
];
