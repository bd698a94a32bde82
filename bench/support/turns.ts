import type { Figure } from './measure.ts';
import { median, spreadOf, type Promised } from './spread.ts';
import type { Row } from './report.ts';

/** How long a part takes: processes a side, seconds of load that count, and seconds before that. */
export interface Pace {
  readonly rounds: number;
  readonly seconds: number;
  readonly warmUp: number;
}

/** Identical processes of the same code differ by up to 40 %: how heap and code were laid out decides. So there are several. */
export const PACE: Pace = { rounds: 5, seconds: 2, warmUp: 3 };
/** Only to see that a part runs. */
export const QUICK: Pace = { rounds: 2, seconds: 0.5, warmUp: 0.5 };

export type Figures<What extends string> = Readonly<Record<What, Figure>>;

/** Starts what it measures, measures it, and stops it. */
export type Side<What extends string> = () => Promise<Figures<What>>;

/** What each side said, round by round. */
export type Turns<What extends string> = readonly (readonly Figures<What>[])[];

/** Each side in a fresh process, in turns, so that whatever else the machine does falls on all of them. */
export async function inTurns<What extends string>(
  rounds: number,
  sides: readonly Side<What>[],
): Promise<Turns<What>> {
  const turns = sides.map((): Figures<What>[] => []);
  for (let round = 0; round < rounds; round++) {
    for (const [i, side] of sides.entries()) turns[i]!.push(await side());
  }
  return turns;
}

export type Pair<What extends string> = readonly [Turns<What>[number], Turns<What>[number]];

type Field = 'perSecond' | 'p50' | 'cpu' | 'database';

export interface Names {
  readonly what: string;
  readonly against: string;
}

/** One thing that two sides did, by one of its figures. The ratio is that of each round for itself. */
export function rowOf<What extends string>(
  [ours, theirs]: Pair<What>,
  what: What,
  field: Field,
  names: Names,
  promised?: Promised,
): Row {
  const spread = spreadOf(ours.map((figures, round) => figures[what][field]! / theirs[round]![what][field]!));
  return {
    ...names,
    ours: medianFigure(ours.map((figures) => figures[what])),
    reference: medianFigure(theirs.map((figures) => figures[what])),
    ratio: spread.median,
    isShare: field === 'perSecond',
    spread,
    ...(promised === undefined ? {} : { target: promised }),
  };
}

function medianFigure(figures: readonly Figure[]): Figure {
  const of = (field: 'p50' | 'p99' | 'cpu' | 'database') => {
    const values = figures.flatMap((figure) => figure[field] ?? []).filter((value) => !Number.isNaN(value));
    return values.length === 0 ? {} : { [field]: median(values) };
  };
  return {
    perSecond: median(figures.map((figure) => figure.perSecond)),
    ...of('p50'),
    ...of('p99'),
    ...of('cpu'),
    ...of('database'),
  };
}
