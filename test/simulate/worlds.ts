import type { Actual } from './operation.ts';
import { Generator, type Engine, type Step } from './generator.ts';
import type { Model } from './outcomes.ts';
import { play, type Played, type Setting } from './play.ts';
import { shrink } from './shrink.ts';

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
  { engine = 'sqlite', faults = false }: { engine?: Engine; faults?: boolean } = {},
): Promise<{ played: Played; steps: Step[]; setting: Setting }> {
  const generator = new Generator(seed, engine, faults);
  const setting = { settings: generator.settings, seed, engine, faults };
  const steps: Step[] = [];
  function* drawn(): Iterable<Step> {
    for (let i = 0; i < operations; i++) {
      const step = generator.next();
      steps.push(step);
      if (engine === 'postgres') generator.observe(step, undefined);
      yield step;
    }
  }
  const played = await play(model, setting, drawn(), (step, actual) => {
    if (engine === 'sqlite') generator.observe(step, actual);
  });
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
  const idle = new Set<Step>();
  const isShown = async (some: readonly Step[]): Promise<boolean> => {
    const { difference } = await play(model, setting, some, (step, actual) => {
      if (isIdle(step, actual)) idle.add(step);
    });
    if (difference === undefined || kindOf(difference.texts) !== wanted) return false;
    const upTo = some.indexOf(difference.step) + 1;
    found = { ...setting, steps: some.slice(0, upTo), texts: difference.texts, actual: difference.actual };
    return true;
  };
  if (!(await isShown(steps)))
    throw new Error(
      `the difference does not show again from the same steps: the last was ${JSON.stringify(steps.at(-1))}`,
    );
  // At one blow what mostly has no part in it: half of all steps.
  const busy = steps.filter((step) => !idle.has(step) || step === found!.steps.at(-1));
  await shrink((await isShown(busy)) ? busy : steps, isShown);
  return found!;
}

/** Reads, and what was rejected. */
function isIdle({ operation, fault }: Step, { response, printed }: Actual): boolean {
  if (fault !== undefined) return false;
  if (operation.kind === 'request') return operation.method === 'GET' || (response?.status ?? 0) >= 400;
  return operation.kind === 'command' && printed?.exit !== 0;
}

/** The same difference has other ids, times and amounts in a shorter sequence. */
function kindOf([first = '']: readonly string[]): string {
  return first.replaceAll(/[0-9a-f-]*\d[0-9a-f-]*/g, '#').slice(0, 80);
}
