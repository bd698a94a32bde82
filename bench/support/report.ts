import type { Figure } from './measure.ts';

/** What a part found out. */
export interface Report {
  readonly title: string;
  readonly rows: readonly Row[];
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

export function isMet({ ratio, target }: Row): boolean {
  return 'atLeast' in target ? ratio >= target.atLeast : ratio < target.below;
}

const HEADER = ['', 'per second', 'p50 ms', 'p99 ms', 'CPU µs', 'ratio', 'target', ''];

/** Two lines a comparison: ours, and what it is held against. */
export function format(reports: readonly Report[]): string {
  const lines = reports.flatMap(({ title, rows }) => [
    [title],
    ...rows.flatMap((row) => [
      [`  ${row.what}`, ...numbers(row.ours), ratio(row), target(row), isMet(row) ? 'met' : 'MISSED'],
      [`  ${row.against}`, ...numbers(row.reference), '', '', ''],
    ]),
  ]);
  const table = [HEADER, ...lines];
  const widths = HEADER.map((_, column) =>
    Math.max(...table.filter((line) => line.length > 1).map((line) => line[column]!.length)),
  );
  const text = (line: string[]) =>
    line.length === 1
      ? `\n${line[0]}`
      : line
          .map((cell, column) => (column === 0 ? cell.padEnd(widths[0]!) : cell.padStart(widths[column]!)))
          .join('  ')
          .trimEnd();
  return table.map(text).join('\n');
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
