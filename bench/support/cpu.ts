import { readFileSync } from 'node:fs';

/** Linux counts in hundredths of a second, whatever the kernel's own tick is. */
const TICK_US = 10_000;
/** Of the fields behind the name: user and system time, and those of children that have ended. */
const OWN = [11, 12];
const OF_THE_ENDED = [13, 14];

/** CPU time that a process has used so far, in microseconds; NaN where the system does not tell. */
export function cpuOf(pid: number | undefined, columns = OWN): number {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name, in brackets, may hold anything.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return columns.reduce((sum, column) => sum + Number(fields[column]) * TICK_US, 0);
  } catch {
    return NaN;
  }
}

/** Of a process and its children, those that have ended too: their time is their parent's when it has heard of it. */
export function cpuOfFamily(parent: number): number {
  const children = readFileSync(`/proc/${parent}/task/${parent}/children`, 'utf8').trim().split(' ');
  const living = children.reduce((sum, child) => sum + cpuOf(Number(child)), 0);
  return living + cpuOf(parent, [...OWN, ...OF_THE_ENDED]);
}
