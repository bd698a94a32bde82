import type { Figure } from './measure.ts';

/** What a part found out: comparisons, or a table of another kind, header first. */
export interface Report {
  readonly title: string;
  readonly rows?: readonly Row[];
  readonly table?: readonly (readonly string[])[];
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

/** `ms` where there is one duration and no median; `database`: microseconds of PostgreSQL's CPU for one request. */
type Cells = Partial<Figure> & { readonly ms?: number; readonly database?: number };

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

const HEADER = ['', 'per second', 'p50 ms', 'p99 ms', 'CPU µs', 'database µs', 'ratio', 'target', ''];

/** All comparisons in one table, two lines each: ours, and what it is held against. The other tables follow. */
export function format(reports: readonly Report[]): string {
  const lines = reports.flatMap(({ title, rows }) => [
    ...(rows === undefined ? [] : [[title]]),
    ...(rows ?? []).flatMap((row) => [
      [`  ${row.what}`, ...numbers(row.ours), ratio(row), target(row), verdict(row)],
      [`  ${row.against}`, ...numbers(row.reference), '', '', ''],
    ]),
  ]);
  const others = reports.flatMap(({ title, table }) => (table === undefined ? [] : [[[title], ...table]]));
  return [...(lines.length === 0 ? [] : [[HEADER, ...lines]]), ...others].map(align).join('\n\n');
}

/** A line of one cell is a title, as long as it likes. */
function align(table: readonly (readonly string[])[]): string {
  const cells = table.filter((line) => line.length > 1);
  const widths = cells[0]!.map((_, column) => Math.max(...cells.map((line) => line[column]!.length)));
  const text = (line: readonly string[]): string =>
    line.length === 1
      ? `\n${line[0]}`
      : line
          .map((cell, column) => (column === 0 ? cell.padEnd(widths[0]!) : cell.padStart(widths[column]!)))
          .join('  ')
          .trimEnd();
  return table.map(text).join('\n');
}

function numbers({ perSecond, p50, ms, p99, cpu, database }: Cells): string[] {
  return [
    perSecond === undefined ? '' : Math.round(perSecond).toLocaleString('en'),
    ...[ms ?? p50, p99].map((value) => value?.toFixed(2) ?? ''),
    ...[cpu, database].map((value) => value?.toFixed(0) ?? ''),
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
