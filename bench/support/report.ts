import type { Figure } from './measure.ts';

/** What a part found out. */
export interface Report {
  readonly title: string;
  readonly rows: readonly Row[];
}

/** One thing beside what it is held against. */
export interface Row {
  readonly what: string;
  readonly ours: Cells;
  readonly against: string;
  readonly reference: Cells;
  readonly ratio: number;
  /** What was promised of the ratio, where something was. */
  readonly target?: { readonly atLeast: number } | { readonly below: number };
}

/** `ms` where there is one duration and no median. */
type Cells = Partial<Figure> & { readonly ms?: number };

/** How much of the reference's throughput there is. */
export function share(what: string, ours: Figure, against: string, reference: Figure, atLeast: number): Row {
  return { what, ours, against, reference, ratio: ours.perSecond / reference.perSecond, target: { atLeast } };
}

/** How many times longer a request takes. */
export function slowdown(what: string, ours: Figure, against: string, reference: Figure, below: number): Row {
  return { what, ours, against, reference, ratio: reference.perSecond / ours.perSecond, target: { below } };
}

export function isMet({ ratio, target }: Row): boolean {
  if (target === undefined) return true;
  return 'atLeast' in target ? ratio >= target.atLeast : ratio < target.below;
}

const HEADER = ['', 'per second', 'p50 ms', 'p99 ms', 'CPU µs', 'ratio', 'target', ''];

/** All of it in one table; two lines a comparison: ours, and what it is held against. */
export function format(reports: readonly Report[]): string {
  const lines = reports.flatMap(({ title, rows }) => [
    [title],
    ...rows.flatMap((row) => [
      [`  ${row.what}`, ...numbers(row.ours), ratio(row), target(row), verdict(row)],
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

function numbers({ perSecond, p50, ms, p99, cpu }: Cells): string[] {
  return [
    perSecond === undefined ? '' : Math.round(perSecond).toLocaleString('en'),
    ...[ms ?? p50, p99].map((value) => value?.toFixed(2) ?? ''),
    cpu?.toFixed(0) ?? '',
  ];
}

function ratio(row: Row): string {
  const isShare = row.target !== undefined && 'atLeast' in row.target;
  return isShare ? `${(row.ratio * 100).toFixed(1)} %` : `${row.ratio.toFixed(2)} ×`;
}

function target({ target }: Row): string {
  if (target === undefined) return '';
  return 'atLeast' in target ? `≥ ${target.atLeast * 100} %` : `< ${target.below} ×`;
}

function verdict(row: Row): string {
  if (row.target === undefined) return '';
  return isMet(row) ? 'met' : 'MISSED';
}
