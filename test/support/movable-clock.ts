import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** The clock of a server that is started with these variables. */
export interface MovableClock {
  readonly variables: Readonly<Record<string, string>>;
  /** By so many seconds it is ahead of the machine's from now on; negative: behind. */
  step(seconds: number): void;
}

export const NO_MOVABLE_CLOCK =
  'there is no C compiler to make a clock that can be moved (apt-get install gcc)';

/** Its files begin with this path. Undefined where it cannot be made. */
export function movableClock(path: string): MovableClock | undefined {
  const source = join(import.meta.dirname, 'movable-clock.c');
  const made = spawnSync('cc', ['-shared', '-fPIC', '-O', '-o', `${path}.so`, source], { stdio: 'pipe' });
  if (made.status !== 0) return undefined;
  // In its place: the server has the file mapped.
  const step = (seconds: number): void =>
    writeFileSync(`${path}.ahead`, new BigInt64Array([BigInt(seconds)]), { flag: 'r+' });
  writeFileSync(`${path}.ahead`, new BigInt64Array([0n]));
  return { variables: { LD_PRELOAD: `${path}.so`, MOVABLE_CLOCK: `${path}.ahead` }, step };
}
