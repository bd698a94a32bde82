import type { TestContext } from 'node:test';
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

  /** After this test it is again what it is now, whether the test passes or not. */
  restoreAfter(t: TestContext): void {
    const before = this.#now;
    t.after(() => {
      this.#now = before;
    });
  }

  set(instant: string): void {
    this.#now = Date.parse(instant);
  }

  advance(time: { hours?: number; minutes?: number; seconds?: number; milliseconds?: number }): void {
    const { hours = 0, minutes = 0, seconds = 0, milliseconds = 0 } = time;
    this.#now += ((hours * 60 + minutes) * 60 + seconds) * 1000 + milliseconds;
  }
}

/** Of the machine's clock, which services in processes of their own follow. */
export const NEXT_YEAR = new Date().getUTCFullYear() + 1;

/** A date ahead of the machine's clock, in a month in which no clocks change. */
export function nextJune(day: number): string {
  return `${NEXT_YEAR}-06-${String(day).padStart(2, '0')}`;
}
