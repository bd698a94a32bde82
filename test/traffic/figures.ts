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

/** Lines of a table, with `left` columns of text in front of the figures. A row with fewer cells than others is text, as long as it likes. */
export function aligned(table: readonly (readonly string[])[], left: number): string[] {
  const columns = Math.max(...table.map((row) => row.length));
  const whole = table.filter((row) => row.length === columns);
  const widths = whole[0]!.map((_, column) => Math.max(...whole.map((row) => row[column]!.length)));
  return table.map((row) =>
    row
      .map((cell, column) => {
        if (column < left) return cell.padEnd(widths[column]!);
        return cell.padStart(row.length === columns ? widths[column]! : 0);
      })
      .join('  ')
      .trimEnd(),
  );
}
