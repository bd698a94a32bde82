/** What was measured; missing or NaN where nobody can tell. */
export interface Figure {
  readonly perSecond?: number;
  /** Milliseconds: the median, or the one duration that there is. */
  readonly ms?: number;
  readonly p99?: number;
  /** Microseconds of CPU for one request: of the servers that were asked, and of PostgreSQL. */
  readonly cpu?: number;
  readonly database?: number;
}

/** By the nearest rank, which is all that many times need. */
export function quantile(values: readonly number[], part: number): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length * part)] ?? NaN;
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}
