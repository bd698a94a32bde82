import { hash } from 'node:crypto';
import type { Actual } from '../model/operation.ts';
import { Generator, type Step } from './generator.ts';
import { play, type Model, type Played, type Setting } from './play.ts';
import { shrink } from './shrink.ts';

/** A run is cut into worlds of so many operations, each on an empty database: so neither the service nor the model slows down. */
export const WORLD_OPERATIONS = 2500;

export interface Found extends Setting {
  readonly steps: readonly Step[];
  /** Of the shortest sequence. */
  readonly texts: readonly string[];
  readonly actual: Actual;
}

/** Draws a world's operations by its seed and plays them. */
export async function playWorld<World, Expected>(
  model: Model<World, Expected>,
  seed: number,
  operations: number,
): Promise<{ played: Played; steps: Step[]; setting: Setting }> {
  const generator = new Generator(seed);
  const setting = { settings: generator.settings, seed };
  const steps: Step[] = [];
  function* drawn(): Iterable<Step> {
    for (let i = 0; i < operations; i++) {
      const step = generator.next();
      steps.push(step);
      yield step;
    }
  }
  const played = await play(model, setting, drawn(), (step, actual) => generator.observe(step, actual));
  return { played, steps, setting };
}

/** The shortest sequence that still shows the same difference. */
export async function shortest<World, Expected>(
  model: Model<World, Expected>,
  setting: Setting,
  steps: readonly Step[],
  texts: readonly string[],
): Promise<Found> {
  const wanted = kindOf(texts);
  let found: Found | undefined;
  await shrink(steps, async (some) => {
    const { difference } = await play(model, setting, some);
    if (difference === undefined || kindOf(difference.texts) !== wanted) return false;
    const upTo = some.indexOf(difference.step) + 1;
    found = { ...setting, steps: some.slice(0, upTo), texts: difference.texts, actual: difference.actual };
    return true;
  });
  if (found === undefined) throw new Error('the difference does not show again from the same steps');
  return found;
}

/** The same difference has other ids, times and amounts in a shorter sequence. */
function kindOf([first = '']: readonly string[]): string {
  return first.replaceAll(/[0-9a-f-]*\d[0-9a-f-]*/g, '#').slice(0, 80);
}

/** Of one world of a run. Neighbouring numbers must not give neighbouring worlds. */
export function seedOf(seed: number, world: number): number {
  return Number.parseInt(hash('sha256', `${seed} ${world}`, 'hex').slice(0, 8), 16);
}
