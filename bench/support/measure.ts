import type { Figure } from '../../test/traffic/figures.ts';

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
