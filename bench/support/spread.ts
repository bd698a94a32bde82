/** What several processes a side said: the middle, and how far apart they were. */
export interface Spread {
  readonly median: number;
  readonly low: number;
  readonly high: number;
}

export function spreadOf(values: readonly number[]): Spread {
  return { median: median(values), low: Math.min(...values), high: Math.max(...values) };
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}

/** What was promised of a ratio. */
export type Promised = { readonly atLeast: number } | { readonly below: number };

export type Verdict = 'met' | 'in the spread' | 'MISSED';

/** Missed only where every process missed it: one that is inside the spread may be had or not, nobody can tell. */
export function judge({ median, low, high }: Spread, promised: Promised): Verdict {
  const keeps = (value: number): boolean =>
    'atLeast' in promised ? value >= promised.atLeast : value <= promised.below;
  if (keeps(median)) return 'met';
  return keeps(low) || keeps(high) ? 'in the spread' : 'MISSED';
}

/** How a change of a ratio from 1 is called. */
export function difference({ low, high }: Spread, better: 'more' | 'less'): string {
  if (low <= 1 && high >= 1) return 'no difference';
  return low > 1 === (better === 'more') ? 'better' : 'WORSE';
}
