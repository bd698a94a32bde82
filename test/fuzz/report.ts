import fc, { type IAsyncProperty } from 'fast-check';

/** Runs a property; a failure is told in a few lines that are enough to see it again. */
export async function hold<T>(property: IAsyncProperty<T>, seed: number, runs: number): Promise<void> {
  const run = await fc.check(property, { seed, numRuns: runs });
  if (!run.failed) return;
  const reason = run.errorInstance instanceof Error ? run.errorInstance.message : String(run.errorInstance);
  throw new Error(
    [
      printable(reason, 2000),
      `narrowed down in ${run.numShrinks} steps to ${printable(JSON.stringify(run.counterexample), 3000)}`,
      `seed ${run.seed}, path ${run.counterexamplePath}`,
    ].join('\n'),
  );
}

function printable(text: string, most: number): string {
  const short = text.replaceAll(
    /(.{1,6}?)\1{20,}/gsu,
    (run, unit: string) => `${unit}{${run.length / unit.length}}`,
  );
  const visible = short.replaceAll(/[^\P{C}\n]/gu, (char) => `\\u{${char.codePointAt(0)!.toString(16)}}`);
  return visible.length <= most ? visible : `${visible.slice(0, most)}… (${visible.length} characters)`;
}
