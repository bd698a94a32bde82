import type { Figure } from './measure.ts';

/** What a part found out: a table, header first, and the targets that it missed. */
export interface Report {
  readonly title: string;
  readonly rows: readonly (readonly string[])[];
  readonly missed?: readonly string[];
}

export interface Row {
  readonly what: string;
  readonly ours: Figure;
  /** What it is held against. */
  readonly against: string;
  readonly reference: Figure;
  readonly ratio: number;
  readonly target: { readonly atLeast: number } | { readonly below: number };
}

export function share(what: string, ours: Figure, against: string, reference: Figure, atLeast: number): Row {
  return { what, ours, against, reference, ratio: ours.perSecond / reference.perSecond, target: { atLeast } };
}

/** How many times longer a request takes. */
export function slowdown(what: string, ours: Figure, against: string, reference: Figure, below: number): Row {
  return { what, ours, against, reference, ratio: reference.perSecond / ours.perSecond, target: { below } };
}

const HEADER = ['', 'per second', 'p50 ms', 'p99 ms', 'CPU µs', 'ratio', 'target', ''];

/** Two lines a comparison: ours, and what it is held against. */
export function comparison(title: string, rows: readonly Row[]): Report {
  const lines = rows.flatMap((row) => [
    [row.what, ...numbers(row.ours), ratio(row), target(row), isMet(row) ? 'met' : 'MISSED'],
    [row.against, ...numbers(row.reference), '', '', ''],
  ]);
  const missed = rows.filter((row) => !isMet(row)).map((row) => row.what);
  return { title, rows: [HEADER, ...lines], missed };
}

function isMet({ ratio, target }: Row): boolean {
  return 'atLeast' in target ? ratio >= target.atLeast : ratio < target.below;
}

function numbers({ perSecond, p50, p99, cpu }: Figure): string[] {
  return [
    Math.round(perSecond).toLocaleString('en'),
    ...[p50, p99].map((value) => value?.toFixed(2) ?? ''),
    cpu?.toFixed(0) ?? '',
  ];
}

function ratio(row: Row): string {
  return 'atLeast' in row.target ? `${(row.ratio * 100).toFixed(1)} %` : `${row.ratio.toFixed(2)} ×`;
}

function target({ target }: Row): string {
  return 'atLeast' in target ? `≥ ${target.atLeast * 100} %` : `< ${target.below} ×`;
}

export function format({ title, rows }: Report): string {
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)));
  const line = (row: readonly string[]): string =>
    row
      .map((cell, column) => (column === 0 ? cell.padEnd(widths[0]!) : cell.padStart(widths[column]!)))
      .join('  ')
      .trimEnd();
  return [title, ...rows.map((row) => `  ${line(row)}`)].join('\n');
}
