import type { Clock } from '../../src/time/clock.ts';

/** Stands still until told. */
export class TestClock implements Clock {
  #now: number;

  constructor(start = '2027-03-01T12:00:00Z') {
    this.#now = Date.parse(start);
  }

  now(): number {
    return this.#now;
  }

  set(instant: string): void {
    this.#now = Date.parse(instant);
  }

  advance(time: { hours?: number; minutes?: number; seconds?: number; milliseconds?: number }): void {
    const { hours = 0, minutes = 0, seconds = 0, milliseconds = 0 } = time;
    this.#now += ((hours * 60 + minutes) * 60 + seconds) * 1000 + milliseconds;
  }
}
