import { setTimeout } from 'node:timers/promises';

/** The shortest wait a timer offers: twice as long as a page takes, so that long reads use a third of a core at most. */
const PAUSE_MS = 1;

let last: Promise<unknown> = Promise.resolve();

/**
 * Awaited between two pages of a long read, so that other requests are served in between. Long reads of one process
 * take turns: a hundred of them slow others down no more than one does.
 */
export function letOthersGo(): Promise<unknown> {
  last = last.then(() => setTimeout(PAUSE_MS));
  return last;
}
