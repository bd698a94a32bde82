const BY_POSITION = 'order by date, start_hour, id';

/**
 * The text of a select of bookings in the order of lists, merged from several selects that each follow an index. SQLite merges
 * what the index has in order. PostgreSQL does so only if each select says the order and how many are wanted; else it reads and
 * sorts all there are.
 */
export function merged(columns: string, selects: readonly string[], wanted: string): string {
  if (selects.length === 1) return `${selects[0]} ${BY_POSITION}`;
  const ordered = selects.map(
    (select, i) =>
      `select ${columns} from (${select} ${BY_POSITION} on_postgres(limit ${wanted})) as part${i}`,
  );
  return `${ordered.join(' union all ')} ${BY_POSITION}`;
}
