import type { Place } from './bench.ts';
import type { Figure } from './measure.ts';
import type { Row } from './report.ts';
import { withServer, type Server } from './servers.ts';
import { median, spreadOf } from './spread.ts';
import type { Work } from './work.ts';

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

/** Measures things by name, as a rule in a fresh process. */
export type Side = () => Promise<Record<string, Figure>>;

/** In turns, so that whatever else the machine does falls on all sides. Answers with what each said of each thing, round by round. */
export async function inTurns(rounds: number, sides: readonly Side[]): Promise<Record<string, Figure[]>[]> {
  const turns = sides.map((): Record<string, Figure[]> => ({}));
  for (let round = 0; round < rounds; round++) {
    for (const [i, side] of sides.entries())
      for (const [name, figure] of Object.entries(await side())) (turns[i]![name] ??= []).push(figure);
  }
  return turns;
}

/** How a server is loaded with one thing: over so many connections, for so long, after so long a warm-up. */
export interface Load {
  readonly what: string;
  readonly work: Work;
  readonly connections: number;
  readonly seconds: number;
  readonly warmUp: number;
}

/** Starts a server, loads it with one thing after the other, and stops it. */
export function loadedSide(
  by: Pick<Place, 'load'>,
  start: () => Promise<Server>,
  loads: readonly Load[],
): Side {
  return () =>
    withServer(start, async (server) => {
      const figures: Record<string, Figure> = {};
      for (const { what, work, connections, seconds, warmUp } of loads) {
        await by.load([server], work, connections, warmUp);
        figures[what] = await by.load([server], work, connections, seconds);
      }
      return figures;
    });
}

/** What one side is called, and what it said round by round. */
export type Said = readonly [name: string, figures: readonly Figure[]];

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
