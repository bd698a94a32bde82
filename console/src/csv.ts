// Files are the same in every language: programs read them too.

type Cell = string | number | null;

/** For spreadsheets: a byte order mark so that they read UTF-8, and no text that they would run as a formula. */
export function toCsv(rows: readonly (readonly Cell[])[]): string {
  return '\uFEFF' + rows.map((row) => row.map(cellText).join(',') + '\r\n').join('');
}

function cellText(cell: Cell): string {
  if (typeof cell === 'number') return String(cell);
  const text = cell ?? '';
  // A leading apostrophe is how spreadsheets mark text. White space in front does not stop them from running it.
  const safe = /^\s*[=+\-@]/.test(text) ? `'${text}` : text;
  return /[",\r\n;']/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

export function download(name: string, text: string): void {
  const address = URL.createObjectURL(new Blob([text], { type: 'text/csv;charset=utf-8' }));
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
  // Not at once: the browser reads it after this turn.
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
}

export const BOOKING_COLUMNS = [
  'Date',
  'Time',
  'Hours',
  'Space',
  'Guest',
  'Email',
  'Phone',
  'Status',
  'Price',
  'Currency',
  'Settlement',
  'Payment',
  'Source',
  'Id',
];

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
