import type { Field, Fields } from '../fields/fields.ts';

/** What commands write to. Tests that run a command in their own process put others in their place. */
export const streams: Record<'out' | 'err', { write(text: string): unknown }> = {
  out: process.stdout,
  err: process.stderr,
};

/** Standard output has results only; with --json exactly one JSON value. Each entry is one line, whatever it contains. */
export function print(lines: string | readonly string[]): void {
  for (const line of [lines].flat()) streams.out.write(`${visible(line)}\n`);
}

export function printJson(value: unknown): void {
  streams.out.write(`${toJson(value, 2)}\n`);
}

/** For people, who read what is printed beside a result. */
export function note(lines: string | readonly string[]): void {
  for (const line of [lines].flat()) streams.err.write(`${visible(line)}\n`);
}

// Control characters, and those that turn the direction of text around: a terminal obeys them (CWE-150).
// oxlint-disable-next-line no-control-regex
const CONTROL = /[\u0000-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/gu;

/** A text on one line of a terminal: `\u{1b}` stands for the character that a terminal would obey. */
export function visible(text: string): string {
  return text.replaceAll(CONTROL, (character) => `\\u{${character.codePointAt(0)!.toString(16)}}`);
}

/** JSON.stringify escapes the first 32 characters; the others are escaped here, and line breaks between values stay. */
export function toJson(value: unknown, indent?: number): string {
  return JSON.stringify(value, null, indent).replaceAll(CONTROL, (character) =>
    character === '\n' ? character : `\\u${character.codePointAt(0)!.toString(16).padStart(4, '0')}`,
  );
}

/** A field of the row, or a heading and how its value reads. */
export type Columns<Row> = readonly (
  | (keyof Row & string)
  | readonly [heading: string, value: (row: Row) => string]
)[];

/** `empty` stands where there are no rows. Each column is as wide as its widest value. `fields` says how those of a record read. */
export function table<Row>(
  rows: readonly Row[],
  columns: Columns<Row>,
  empty: string,
  fields: Fields = {},
): string[] {
  if (rows.length === 0) return [empty];
  const lines = [
    columns.map((column) =>
      (typeof column === 'string' ? label(column, fields[column]) : column[0]).toUpperCase(),
    ),
    ...rows.map((row) =>
      columns.map((column) =>
        visible(typeof column === 'string' ? printed(fields[column], row[column], row) : column[1](row)),
      ),
    ),
  ];
  const widths = columns.map((_, i) => Math.max(...lines.map((line) => width(line[i]!))));
  return lines.map((line) =>
    line
      .map((cell, i) => cell + ' '.repeat(widths[i]! - width(cell)))
      .join('  ')
      .trimEnd(),
  );
}

/** A line for each field of a record that has a value. */
export function printRecord(fields: Fields, record: object): string[] {
  const values = record as Record<string, unknown>;
  const shown = Object.entries(fields).filter(([name]) => (values[name] ?? null) !== null);
  return listed(shown.map(([name, field]) => [label(name, field), printed(field, values[name], record)]));
}

/** `Cancellation notice` for --cancellation-notice, `Active` for is_active; a field without a flag has the words of its name. */
export function label(name: string, { flag, offFlag }: Partial<Field> = {}): string {
  const words = (flag === undefined || offFlag !== undefined ? name : flag)
    .replace(/^is_|^--/, '')
    .replace(/ .*/, '')
    .replaceAll(/[_-]/g, ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

export function printed(field: Field | undefined, value: unknown, record: unknown): string {
  if (field?.print !== undefined) return field.print(value, record as { currency?: string });
  if (value === null || value === undefined) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

export function listed(fields: readonly (readonly [name: string, value: string])[]): string[] {
  const widest = Math.max(...fields.map(([name]) => name.length));
  return fields.map(([name, value]) => `${name.padEnd(widest)}  ${value}`);
}

/** RFC 4180, for bank imports and spreadsheets: no text that these would run as a formula. Leaves no lines for people. */
export function printCsv(
  rows: readonly Readonly<Record<string, string>>[],
  names: readonly string[],
): readonly [] {
  for (const cells of [names, ...rows.map((row) => names.map((name) => row[name]!))])
    streams.out.write(`${cells.map(csvCell).join(',')}\n`);
  return [];
}

function csvCell(text: string): string {
  const isNumber = /^-?\d+(?:\.\d+)?$/.test(text);
  // A leading apostrophe is how spreadsheets mark text. White space in front does not stop them from running it.
  const safe = !isNumber && /^(?:\t|\s*[=+\-@])/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

const WIDE = /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]/u;

/** Terminals draw Chinese or Korean characters two columns wide. */
function width(text: string): number {
  return Array.from(text).reduce((sum, character) => sum + (WIDE.test(character) ? 2 : 1), 0);
}
