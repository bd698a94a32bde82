import { setTimeout } from 'node:timers/promises';

/** The shortest a timer knows: about twice as long as a step takes, so a long read has a third of a core at most. */
const REST_MS = 1;

let last: Promise<unknown> = Promise.resolve();

/**
 * Between two steps of a long read: everybody else's turn. Long reads also queue among themselves, one step at a
 * time, so that a hundred of them hold up other requests no more than one does.
 */
export function nextTurn(): Promise<unknown> {
  last = last.then(() => setTimeout(REST_MS));
  return last;
}
