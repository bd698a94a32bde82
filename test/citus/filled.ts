import { hash, randomBytes } from 'node:crypto';
import { fill } from '../traffic/fill.ts';
import { addHosts, withDatabase } from '../traffic/world.ts';
import { createOnNodes, onServer } from '../support/citus.ts';
import type { CitusCluster } from './cluster.ts';

/** Distributes a database that hosts have worked with. Answers with the tables that have other rows afterwards. */
export async function distributeFilled({ url, nodes }: CitusCluster): Promise<string[]> {
  const database = await createOnNodes(url, `hourkeep_filled_${randomBytes(6).toString('hex')}`, nodes);
  await withDatabase(database.url, async (ctx) => fill(ctx, await addHosts(ctx, 10, 2), 1000));
  const before = await contents(database.url);
  await database.distribute();
  const after = await contents(database.url);
  await database.drop();
  const changed = [...before].filter(([table, rows]) => after.get(table) !== rows);
  return changed.map(([table, rows]) => `${table} had ${rows} and has ${after.get(table)}`);
}

/** The number and the hash of each table's rows. */
async function contents(url: string): Promise<Map<string, string>> {
  const [tables] = await onServer(url, [
    `select relname as name from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace
     union select 'day_hours'`,
  ]);
  const names = (tables as { name: string }[]).map(({ name }) => name);
  const found = await onServer(
    url,
    names.map((name) => `select t::text as row from ${name} t`),
  );
  return new Map(
    names.map((name, i) => {
      const rows = (found[i] as { row: string }[]).map(({ row }) => row).toSorted();
      return [name, `${rows.length} rows, ${hash('sha256', rows.join('\n')).slice(0, 12)}`];
    }),
  );
}
