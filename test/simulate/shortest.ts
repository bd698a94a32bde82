import * as model from './judge.ts';
import type { Order } from './process.ts';
import { asCurl, asTest } from './report.ts';
import { playWorld, shortest } from './worlds.ts';

/** Plays a world again that had a difference; lines that show it in the fewest operations. */
export async function findShortest({ seed, operations, ...kind }: Order): Promise<string[]> {
  const { played, steps, setting } = await playWorld(model, seed, operations, kind);
  if (played.difference === undefined)
    throw new Error('the difference did not come again: something depends on the machine');
  const found = await shortest(model, setting, steps, played.difference.texts);
  const { response, printed, events, deliveries } = found.actual;
  return [
    ...found.texts.slice(0, 20),
    `Actual: ${JSON.stringify(response ?? printed ?? { events, deliveries })}`,
    '',
    ...asCurl(found.steps),
    '',
    ...asTest(found, found.steps),
    '',
    `The shortest sequence has ${found.steps.length} operations.`,
  ];
}
