import { aligned, median, type Figure } from '../../test/traffic/figures.ts';

/** What a part found out: comparisons, or a table of another kind, header first. */
export interface Report {
  readonly title: string;
  readonly rows?: readonly Row[];
  readonly table?: readonly (readonly string[])[];
}

/** One thing beside what it is held against. */
export interface Row {
  readonly what: string;
  readonly ours: Figure;
  readonly against: string;
  readonly reference: Figure;
  /** Of the ratio. */
  readonly spread: Spread;
  /** The ratio is one of throughput, shown in per cent. */
  readonly isShare: boolean;
  /** What was promised of the ratio, where something was. */
  readonly target?: Promised | undefined;
  /** The ratio is how much a change brought, and this is what would be better. */
  readonly better?: 'more' | 'less' | undefined;
}

/** What one side is called, and what it said round by round. */
type Said = readonly [name: string, figures: readonly Figure[]];

/** By one of the figures. The ratio is that of each round for itself: a neighbour that comes and goes falls on whole rounds. */
export function rowOf(
  by: 'perSecond' | 'ms' | 'cpu',
  [what, ours]: Said,
  [against, theirs]: Said,
  judged: Pick<Row, 'target' | 'better'> = {},
): Row {
  const spread = spreadOf(ours.map((figure, round) => figure[by]! / theirs[round]![by]!));
  const [oursMedian, reference] = [medianFigure(ours), medianFigure(theirs)];
  return { what, ours: oursMedian, against, reference, spread, isShare: by === 'perSecond', ...judged };
}

function medianFigure(figures: readonly Figure[]): Figure {
  const fields = ['perSecond', 'ms', 'p99', 'cpu', 'database'] as const;
  const known = fields.flatMap((field) => {
    const values = figures.map((figure) => figure[field] ?? NaN).filter((value) => !Number.isNaN(value));
    return values.length === 0 ? [] : [[field, median(values)] as const];
  });
  return Object.fromEntries(known);
}

/** What several processes a side said: the middle, and how far apart they were. */
export interface Spread {
  readonly median: number;
  readonly low: number;
  readonly high: number;
}

export function spreadOf(values: readonly number[]): Spread {
  return { median: median(values), low: Math.min(...values), high: Math.max(...values) };
}

/** What was promised of a ratio. */
export type Promised = { readonly atLeast: number } | { readonly below: number };

/** Missed only where every process missed it: one that is inside the spread may be had or not, nobody can tell. */
export function judge({ median, low, high }: Spread, promised: Promised): string {
  const keeps = (value: number): boolean =>
    'atLeast' in promised ? value >= promised.atLeast : value <= promised.below;
  if (keeps(median)) return 'met';
  return keeps(low) || keeps(high) ? 'in the spread' : 'MISSED';
}

/** How a change of a ratio from 1 is called. */
export function difference({ low, high }: Spread, better: 'more' | 'less'): string {
  if (low <= 1 && high >= 1) return 'no difference';
  return low > 1 === (better === 'more') ? 'better' : 'WORSE';
}

const FIGURES = ['per second', 'p50 ms', 'p99 ms', 'CPU µs', 'database µs'];
const HEADER = ['', ...FIGURES, 'ratio', 'spread', 'target', ''];

/** All comparisons in one table, two lines each: ours, and what it is held against. The other tables follow. */
export function format(reports: readonly Report[]): string {
  const lines = reports.flatMap(({ title, rows }) => [
    ...(rows === undefined ? [] : [[`\n${title}`]]),
    ...(rows ?? []).flatMap((row) => [
      [`  ${row.what}`, ...numbers(row.ours), ratioText(row), spreadText(row), target(row), verdict(row)],
      [`  ${row.against}`, ...numbers(row.reference), '', '', '', ''],
    ]),
  ]);
  const others = reports.flatMap(({ title, table }) =>
    table === undefined ? [] : [[[`\n${title}`], ...table]],
  );
  return [...(lines.length === 0 ? [] : [[HEADER, ...lines]]), ...others]
    .map((table) => aligned(table, 1).join('\n'))
    .join('\n\n');
}

function numbers({ perSecond, ms, p99, cpu, database }: Figure): string[] {
  return [
    perSecond === undefined ? '' : Math.round(perSecond).toLocaleString('en'),
    ...[ms, p99].map((value) => value?.toFixed(2) ?? ''),
    ...[cpu, database].map((value) => value?.toFixed(0) ?? ''),
  ];
}

export function ratioText({ spread, isShare }: Row): string {
  return isShare ? `${percent(spread.median)} %` : `${spread.median.toFixed(2)} ×`;
}

/** One round has none. */
export function spreadText({ spread, isShare }: Row): string {
  if (spread.low === spread.high) return '';
  return [spread.low, spread.high].map((value) => (isShare ? percent(value) : value.toFixed(2))).join('–');
}

function percent(ratio: number): string {
  return (ratio * 100).toFixed(1);
}

function target({ target }: Row): string {
  if (target === undefined) return '';
  return 'atLeast' in target ? `≥ ${Math.round(target.atLeast * 100)} %` : `≤ ${target.below} ×`;
}

function verdict({ spread, target, better }: Row): string {
  if (better !== undefined) return difference(spread, better);
  return target === undefined ? '' : judge(spread, target);
}
