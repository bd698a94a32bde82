import type { Environment } from '../../src/ids/api-key.ts';
import type { World } from './world.ts';

/** The tables of the schema with their columns, without those that only the engine or the migrations need. */
export async function tablesOf(world: World): Promise<Map<string, string[]>> {
  const rows = await world.rows<{ table: string; column: string }>(
    world.ctx.db.engine === 'sqlite'
      ? `select m.name as "table", c.name as "column" from sqlite_master m, pragma_table_info(m.name) c
         where m.type = 'table' and m.name not like 'sqlite_%' order by m.name, c.cid`
      : `select table_name as "table", column_name as "column" from information_schema.columns
         where table_schema = 'public' order by table_name, ordinal_position`,
  );
  return new Map(
    [...Map.groupBy(rows, (row) => row.table)].map(([table, of]) => [table, of.map(({ column }) => column)]),
  );
}

/** All that a host has in one environment, as one text: equal texts mean that nothing has been touched. */
export async function belongings(world: World, hostId: string, environment: Environment): Promise<string> {
  const found: unknown[] = [];
  for (const [table, columns] of await tablesOf(world)) {
    // When a key was last used is no belonging.
    if (table === 'api_keys' || table === 'rate_windows') continue;
    const where = columns.includes('environment')
      ? 'host_id = $1 and environment = $2'
      : columns.includes('space_id')
        ? 'space_id in (select id from spaces where host_id = $1 and environment = $2)'
        : undefined;
    if (where === undefined) continue;
    const order = columns.map((_, i) => i + 1).join(', ');
    found.push(
      table,
      await world.rows(`select * from ${table} where ${where} order by ${order}`, [hostId, environment]),
    );
  }
  return JSON.stringify(found, (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value));
}
