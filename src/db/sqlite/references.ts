import type { Statement } from '../database.ts';
import type { SqliteConnection } from './connection.ts';

/** A row refers to one that is not there. */
export class BrokenReference extends Error {
  override readonly name = 'BrokenReference';
}

/** Throws where a row refers to one that is not there, and names the first such row by its key. */
export function refuseBrokenReference(connection: SqliteConnection): void {
  const broken = connection.get(firstBroken, []);
  if (broken === undefined) return;
  const { child, parent, reference } = broken;
  const columns = connection.all(columnsOf, [child]);
  const links = connection.all(linksOf, [child, reference]);
  const key = columns.filter(({ pk }) => pk > 0).map(({ name }) => name);
  const row = connection.get(
    ask<{ row: string }>(`
      select concat_ws(', ', ${key.map((name) => `'${name} ' || "${name}"`).join(', ')}) as row from "${child}" as child
      where ${links.map(({ from }) => `"${from}" is not null`).join(' and ')} and not exists (
        select 1 from "${parent}" as parent
        where ${links.map(({ from, to }) => `parent."${to}" = child."${from}"`).join(' and ')})
      order by 1 limit 1`),
    [],
  );
  throw new BrokenReference(
    `table ${child}, row ${row?.row ?? 'unknown'}: refers to a row of ${parent} that is not there`,
  );
}

const firstBroken = ask<{ child: string; parent: string; reference: number }>(
  'select "table" as child, parent, fkid as reference from pragma_foreign_key_check() limit 1',
);
const columnsOf = ask<{ name: string; pk: number }>('select name, pk from pragma_table_info($1)');
const linksOf = ask<{ from: string; to: string }>(
  'select "from", "to" from pragma_foreign_key_list($1) where id = $2 order by seq',
);

/** Not among the statements of the house: it is about SQLite's own catalogue. */
function ask<Row>(text: string): Statement<Row> {
  return { text, name: '' };
}
