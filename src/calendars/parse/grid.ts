import { localDay } from '../../time/local-day.ts';
import { localDate } from '../../time/zones.ts';

/** The hours that an import looks at, on the space's wall clock. */
export const DAYS_BACK = 1;
const DAYS_AHEAD = 400;

/** Which hours of each date are busy: bit n is hour n. Dates without any are left out. */
export type BusyDays = ReadonlyMap<string, number>;

/** Every hour of the window in a row, without those that the clocks skip. */
export class Grid {
  readonly dates: readonly string[];
  readonly startsAt: number;
  readonly endsAt: number;
  readonly #hours: { date: string; hour: number; startsAt: number; endsAt: number; isBusy: boolean }[];

  constructor(timezone: string, now: number) {
    const today = Temporal.PlainDate.from(localDate(timezone, now));
    const days = DAYS_BACK + DAYS_AHEAD + 1;
    this.dates = Array.from({ length: days }, (_, i) => today.add({ days: i - DAYS_BACK }).toString());
    this.#hours = this.dates.flatMap((date) => {
      const { startsAt, endsAt } = localDay(timezone, date);
      return startsAt
        .map((at, hour) => ({ date, hour, startsAt: at, endsAt: endsAt[hour]!, isBusy: false }))
        .filter((hour) => !Number.isNaN(hour.startsAt));
    });
    this.startsAt = this.#hours[0]!.startsAt;
    this.endsAt = this.#hours.at(-1)!.endsAt;
  }

  /** Marks every hour that has a moment in common with [from, to). An event without length marks the hour it falls into. */
  mark(from: number, to: number): void {
    const end = Math.max(to, from + 1);
    for (let i = this.#firstAfter(from); i < this.#hours.length && this.#hours[i]!.startsAt < end; i++)
      this.#hours[i]!.isBusy = true;
  }

  busyDays(): BusyDays {
    const days = new Map<string, number>();
    for (const { date, hour, isBusy } of this.#hours)
      if (isBusy) days.set(date, (days.get(date) ?? 0) | (1 << hour));
    return days;
  }

  /** The first hour that ends after an instant. */
  #firstAfter(instant: number): number {
    let low = 0;
    let high = this.#hours.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#hours[middle]!.endsAt > instant) high = middle;
      else low = middle + 1;
    }
    return low;
  }
}
