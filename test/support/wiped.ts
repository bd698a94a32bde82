import type { Client } from 'pg';
import { onConnection } from './query.ts';

/** Everything that a test may have changed but the rows: what must be as in the template, or the database is not used again. */
const SHAPE = `
  select md5(string_agg(line, ' ' order by line)) as shape from (
    select concat_ws(' ', oid, relname, relpersistence, reloptions) as line from pg_class
      where relnamespace = 'public'::regnamespace
    union all select concat_ws(' ', attrelid, attnum, attname, atttypid, attnotnull) from pg_attribute
      join pg_class on pg_class.oid = attrelid where relnamespace = 'public'::regnamespace and attnum > 0
    union all select concat_ws(' ', oid, conname, convalidated) from pg_constraint where connamespace = 'public'::regnamespace
    union all select concat_ws(' ', oid, proname) from pg_proc where pronamespace = 'public'::regnamespace
    union all select concat_ws(' ', oid, tgname, tgenabled) from pg_trigger
    union all select concat_ws(' ', oid, nspname) from pg_namespace where nspname !~ '^pg_(toast_)?temp_'
    union all select concat_ws(' ', 'setting', setconfig) from pg_db_role_setting
      join pg_database on pg_database.oid = setdatabase where datname = current_database()
    union all select concat_ws(' ', 'statistics', starelid) from pg_statistic
      join pg_class on pg_class.oid = starelid where relnamespace = 'public'::regnamespace
  ) as lines`;

interface Fresh {
  shape: string;
  tables: string[];
  /** By table, the rows that migrations have left there, as JSON. */
  rows: Map<string, string>;
}

let fresh: Fresh | undefined;

/** Remembers what a copy of the template is like, before anybody has used it. */
export async function lookAtFresh(url: string): Promise<void> {
  fresh ??= await onConnection(url, async (client) => {
    const { rows } = await client.query<{ name: string }>(
      `select quote_ident(relname) as name from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r'`,
    );
    const tables = rows.map(({ name }) => name);
    return { shape: await shapeOf(client), tables, rows: await rowsOf(client, tables) };
  });
}

/** Takes a database back to how it was, where only rows differ; answers whether it did. */
export async function wipe(url: string): Promise<boolean> {
  const { shape, tables, rows } = fresh!;
  return onConnection(url, async (client) => {
    await client.query(
      'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
    );
    if ((await shapeOf(client)) !== shape) return false;
    const used = [...(await rowsOf(client, tables))].filter(([table, now]) => rows.get(table) !== now);
    if (used.length === 0) return true;
    await client.query(`truncate ${used.map(([table]) => table).join(', ')} restart identity cascade`);
    const left = await rowsOf(client, tables);
    for (const [table, before] of rows)
      if (left.get(table) !== before)
        await client.query(`insert into ${table} select * from json_populate_recordset(null::${table}, $1)`, [
          before,
        ]);
    return true;
  });
}

async function shapeOf(client: Client): Promise<string> {
  return (await client.query<{ shape: string }>(SHAPE)).rows[0]!.shape;
}

/** Of the tables that have any. */
async function rowsOf(client: Client, tables: readonly string[]): Promise<Map<string, string>> {
  const each = tables.map(
    (table, i) => `select ${i} as i, json_agg(t)::text as rows from (select * from ${table} limit 100) t`,
  );
  const { rows } = await client.query<{ i: number; rows: string | null }>(each.join(' union all '));
  return new Map(rows.flatMap(({ i, rows: found }) => (found === null ? [] : [[tables[i]!, found]])));
}
