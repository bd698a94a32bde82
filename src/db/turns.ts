import { setImmediate } from 'node:timers/promises';

let last: Promise<unknown> = Promise.resolve();

/**
 * Between two steps of a long read: everybody else's turn. Long reads also queue among themselves, one step in each
 * turn of the event loop, so that a hundred of them hold up other requests no longer than one does.
 */
export function nextTurn(): Promise<unknown> {
  last = last.then(() => setImmediate());
  return last;
}
