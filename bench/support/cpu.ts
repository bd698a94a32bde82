import { readFileSync } from 'node:fs';

/** Linux counts in hundredths of a second, whatever the kernel's own tick is. */
const TICK_US = 10_000;

/** CPU time that processes have used so far, in microseconds; NaN where the system does not tell. */
export function cpuOf(...pids: readonly (number | undefined)[]): number {
  return pids.map((pid) => ticks(pid, OWN) * TICK_US).reduce((sum, each) => sum + each, 0);
}

/** Of a process and its children, those that have ended too: their time is their parent's when it has heard of it. */
export function cpuOfFamily(parent: number): number {
  const living = readFileSync(`/proc/${parent}/task/${parent}/children`, 'utf8');
  const children = living.split(' ').filter((text) => text !== '');
  return cpuOf(...children.map(Number)) + ticks(parent, [...OWN, ...OF_THE_ENDED]) * TICK_US;
}

/** User and system time are 14th and 15th, those of ended children follow; the first two fields are cut off. */
const OWN = [11, 12];
const OF_THE_ENDED = [13, 14];

function ticks(pid: number | undefined, columns: readonly number[]): number {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name, in brackets, may hold anything.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return columns.reduce((sum, column) => sum + Number(fields[column]), 0);
  } catch {
    return NaN;
  }
}
