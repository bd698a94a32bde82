/** For a `from`: the numbers from first to last in a column `n`. Not a recursive query, which Citus does not take. */
export function numbers(first: number, last: number): string {
  const rows = Array.from({ length: last - first + 1 }, (_, i) => `(${first + i})`);
  return `(select column1 as n from (values ${rows.join(', ')}) as listed) as numbers`;
}
