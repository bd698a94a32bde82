import { randomUUID } from 'node:crypto';

/**
 * Version 7: ids sort by creation time, which keeps their indexes dense. The 12 bits after the millisecond are a
 * counter, so that ids of one process sort even within a millisecond (those of Node's own randomUUIDv7 do not).
 */
export function newId(): string {
  const now = Date.now();
  counter = now > lastMs ? 0 : counter + 1;
  lastMs = Math.max(now, lastMs);
  if (counter > 0xfff) {
    lastMs++;
    counter = 0;
  }
  // The variant and the random bits are those of a version 4.
  return `${timePart(lastMs)}-7${counter.toString(16).padStart(3, '0')}${randomUUID().slice('xxxxxxxx-xxxx-4xxx'.length)}`;
}

let lastMs = 0;
let counter = 0;

function timePart(ms: number): string {
  const time = ms.toString(16).padStart(12, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}`;
}

/** Begins anew, as a process does that starts: a simulation sets its clock back and must see the same ids again. */
export function restartIds(): void {
  lastMs = 0;
}

/** Sorts before every id and belongs to nothing. */
export const NO_ID = '00000000-0000-0000-0000-000000000000';
/** Behind every other. */
export const LAST_ID = 'ffffffff-ffff-ffff-ffff-ffffffffffff';

/** Sorts before every id that is made at this time or later. */
export function firstIdAt(ms: number): string {
  return timePart(ms) + NO_ID.slice(13);
}

/** When an id was made, in epoch milliseconds. */
export function timeOfId(id: string): number {
  return parseInt(id.slice(0, 8) + id.slice(9, 13), 16);
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** The canonical lower-case form, or undefined when the text is not a uuid. */
export function parseId(text: string): string | undefined {
  return UUID.test(text) ? text.toLowerCase() : undefined;
}
