import type { Figure } from './measure.ts';
import { difference, judge, type Promised, type Spread } from './spread.ts';

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
  /** The ratio is one of throughput, shown in per cent. As a rule those with a least value are. */
  readonly isShare?: boolean;
  /** Of the ratio, where several processes a side were measured. */
  readonly spread?: Spread;
  /** What was promised of the ratio, where something was. */
  readonly target?: Promised;
  /** The ratio is how much a change brought, and this is what would be better. */
  readonly better?: 'more' | 'less';
}

/** `ms` where there is one duration and no median. */
type Cells = Partial<Figure> & { readonly ms?: number };

/** Only what every process missed is missed. */
export function isMet(row: Row): boolean {
  return !['MISSED', 'WORSE'].includes(verdict(row));
}

const HEADER = [
  '',
  'per second',
  'p50 ms',
  'p99 ms',
  'CPU µs',
  'database µs',
  'ratio',
  'spread',
  'target',
  '',
];

/** All comparisons in one table, two lines each: ours, and what it is held against. The other tables follow. */
export function format(reports: readonly Report[]): string {
  const lines = reports.flatMap(({ title, rows }) => [
    ...(rows === undefined ? [] : [[title]]),
    ...(rows ?? []).flatMap((row) => [
      [`  ${row.what}`, ...numbers(row.ours), ratioText(row), spreadText(row), target(row), verdict(row)],
      [`  ${row.against}`, ...numbers(row.reference), '', '', '', ''],
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

export function ratioText(row: Row): string {
  return isShare(row) ? `${percent(row.ratio)} %` : `${row.ratio.toFixed(2)} ×`;
}

export function spreadText(row: Row): string {
  if (row.spread === undefined) return '';
  const { low, high } = row.spread;
  return [low, high].map((value) => (isShare(row) ? percent(value) : value.toFixed(2))).join('–');
}

function isShare({ target, isShare }: Row): boolean {
  return isShare ?? (target !== undefined && 'atLeast' in target);
}

function percent(ratio: number): string {
  return (ratio * 100).toFixed(1);
}

function target({ target }: Row): string {
  if (target === undefined) return '';
  return 'atLeast' in target ? `≥ ${Math.round(target.atLeast * 100)} %` : `≤ ${target.below} ×`;
}

function verdict(row: Row): string {
  const spread = row.spread ?? { median: row.ratio, low: row.ratio, high: row.ratio };
  if (row.better !== undefined) return difference(spread, row.better);
  return row.target === undefined ? '' : judge(spread, row.target);
}
