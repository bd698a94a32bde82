/** Standard output has results only; with --json exactly one JSON value. */
export function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

export function printJson(value: unknown): void {
  print(JSON.stringify(value, null, 2));
}

type Columns<Row> = readonly (readonly [heading: string, value: (row: Row) => string])[];

/** With --json an array, otherwise a table; `empty` is printed where there are no rows. */
export function printList<Row>(
  options: { json?: true },
  rows: readonly Row[],
  columns: Columns<Row>,
  empty: string,
): void {
  if (options.json) printJson(rows);
  else if (rows.length === 0) print(empty);
  else printTable(rows, columns);
}

/** Each column is as wide as its widest value. Terminals draw Chinese or Korean characters two columns wide. */
function printTable<Row>(rows: readonly Row[], columns: Columns<Row>): void {
  const lines = [
    columns.map(([heading]) => heading),
    ...rows.map((row) => columns.map(([, value]) => value(row))),
  ];
  const widths = columns.map((_, i) => Math.max(...lines.map((line) => width(line[i]!))));
  for (const line of lines) {
    const cells = line.map((cell, i) => cell + ' '.repeat(widths[i]! - width(cell)));
    print(cells.join('  ').trimEnd());
  }
}

/** RFC 4180, for bank imports and spreadsheets: no text that these would run as a formula. */
export function printCsv(rows: readonly (readonly string[])[]): void {
  for (const row of rows) print(row.map(csvCell).join(','));
}

function csvCell(text: string): string {
  const isNumber = /^-?\d+(?:\.\d+)?$/.test(text);
  // A leading apostrophe is how spreadsheets mark text. White space in front does not stop them from running it.
  const safe = !isNumber && /^\s*[=+\-@]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

export function printFields(fields: readonly (readonly [name: string, value: string])[]): void {
  const widest = Math.max(...fields.map(([name]) => name.length));
  for (const [name, value] of fields) print(`${name.padEnd(widest)}  ${value}`);
}

const WIDE = /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]/u;

function width(text: string): number {
  return Array.from(text).reduce((sum, character) => sum + (WIDE.test(character) ? 2 : 1), 0);
}
