const BY_DATE = 'date, start_hour, id';

/**
 * The text of a select of bookings in the order of lists, merged from several selects that each follow an index. SQLite merges
 * what the index has in order. PostgreSQL does so only if each select says the order and how many are wanted; else it reads and
 * sorts all there are.
 */
export function merged(columns: string, selects: string[], wanted: string, order = BY_DATE): string {
  if (selects.length === 1) return `${selects[0]} order by ${order}`;
  const ordered = selects.map(
    (select, i) =>
      `select ${columns} from (${select} order by ${order} on_postgres(limit ${wanted})) as part${i}`,
  );
  return `${ordered.join(' union all ')} order by ${order}`;
}
