import { createStore } from './store.ts';

/** A clock that is off by less is right enough; the rest is the way that an answer takes. */
const WRONG_MS = 2 * 60_000;

/** What must be added to this machine's clock to have the service's; 0 while it is about right. */
export const clockOff = createStore(0);

/** Every answer says what time it is at the service, in whole seconds. */
export function learnClock(date: string | null, durationMs: number): void {
  const there = Date.parse(date ?? '');
  if (Number.isNaN(there)) return;
  const off = there - (Date.now() - durationMs / 2);
  if (Math.abs(off) < WRONG_MS) clockOff.set(0);
  else if (Math.abs(off - clockOff.get()) > WRONG_MS / 4) clockOff.set(Math.round(off / 1000) * 1000);
}

/** The time by the service's clock: what has begun there is over here too. */
export const rightNow = (): number => Date.now() + clockOff.get();
