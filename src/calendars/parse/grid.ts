import { localDay } from '../../time/local-day.ts';
import { localDate } from '../../time/zones.ts';
import { firstWhere } from './first-where.ts';

/** The hours that an import looks at, on the space's wall clock. */
export const DAYS_BACK = 1;
const DAYS_AHEAD = 400;

/** Which hours of each date are busy: bit n is hour n. Dates without any are left out. */
export type BusyDays = ReadonlyMap<string, number>;

/**
 * Every hour of the window in a row, so that an event's hours are found by two binary searches and marked in
 * one go however long it lasts.
 */
export class Grid {
  readonly dates: readonly string[];
  readonly startsAt: number;
  readonly endsAt: number;
  readonly #starts: number[] = [];
  readonly #ends: number[] = [];
  /** For each of these hours its number in the window (day × 24 + hour). Hours that the clocks skip are not in the list. */
  readonly #slots: number[] = [];
  readonly #busy: Uint8Array;

  constructor(timezone: string, now: number) {
    const today = Temporal.PlainDate.from(localDate(timezone, now));
    const days = DAYS_BACK + DAYS_AHEAD + 1;
    this.dates = Array.from({ length: days }, (_, i) => today.add({ days: i - DAYS_BACK }).toString());
    for (const [index, date] of this.dates.entries()) this.#addDay(timezone, date, index);
    this.startsAt = this.#starts[0]!;
    this.endsAt = this.#ends.at(-1)!;
    this.#busy = new Uint8Array(this.#slots.length);
  }

  /** Marks every hour that has a moment in common with [from, to). An event without length marks the hour it falls into. */
  mark(from: number, to: number): void {
    const first = firstWhere(this.#ends, (at) => at > from);
    const end = firstWhere(this.#starts, (at) => at >= Math.max(to, from + 1));
    if (end > first) this.#busy.fill(1, first, end);
  }

  busyDays(): BusyDays {
    const days = new Map<string, number>();
    for (const [i, slot] of this.#slots.entries()) {
      if (this.#busy[i] === 0) continue;
      const date = this.dates[Math.trunc(slot / 24)]!;
      days.set(date, (days.get(date) ?? 0) | (1 << (slot % 24)));
    }
    return days;
  }

  #addDay(timezone: string, date: string, index: number): void {
    const { startsAt, endsAt } = localDay(timezone, date);
    for (let hour = 0; hour < 24; hour++) {
      if (Number.isNaN(startsAt[hour])) continue;
      this.#starts.push(startsAt[hour]!);
      this.#ends.push(endsAt[hour]!);
      this.#slots.push(index * 24 + hour);
    }
  }
}
