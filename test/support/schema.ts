import type { DatabaseSync } from 'node:sqlite';
import type { Client } from 'pg';

// What a schema is, as a sorted list of facts: one line for each column, check, key, reference and index. How its text was
// written (quotes, white space, comments, the order of columns) is not among them.

/** What one list of facts has and the other has not: `- ` only in the first, `+ ` only in the second. */
export function difference(first: readonly string[], second: readonly string[]): string[] {
  const [of, others] = [new Set(first), new Set(second)];
  return [
    ...first.filter((fact) => !others.has(fact)).map((fact) => `- ${fact}`),
    ...second.filter((fact) => !of.has(fact)).map((fact) => `+ ${fact}`),
  ];
}

type Row = Record<string, string | number | null>;

export function sqliteFacts(db: DatabaseSync): string[] {
  const rows = (text: string, ...values: string[]): Row[] => db.prepare(text).all(...values) as Row[];
  const tables = rows(
    `select l.name, l.wr, l.strict, s.sql from pragma_table_list l join sqlite_schema s on s.name = l.name
     where l.schema = 'main' and l.type = 'table' and s.type = 'table'`,
  );
  const facts = tables.flatMap(({ name, wr, strict, sql }) => {
    const table = String(name);
    const text = plain(String(sql));
    return [
      `table ${table}${wr ? ' without rowid' : ''}${strict ? ' strict' : ''}`,
      ...rows('select * from pragma_table_xinfo(?)', table).map(
        (column) =>
          `column ${table}.${column['name']} ${plain(String(column['type']))}${column['notnull'] ? ' not null' : ''}` +
          (column['dflt_value'] === null ? '' : ` default ${column['dflt_value']}`) +
          (column['pk'] ? ` key ${column['pk']}` : ''),
      ),
      ...checksIn(text).map((check) => `check ${table} ${check}`),
      ...referencesOf(table, rows('select * from pragma_foreign_key_list(?) order by id, seq', table)),
      ...[...text.matchAll(/references (\w+)\([^)]*\) deferrable initially deferred/g)].map(
        ([, parent]) => `deferred ${table} to ${parent}`,
      ),
    ];
  });
  const indexes = rows(
    `select s.tbl_name as "table", i.name, i."unique", s.sql
     from sqlite_schema s join pragma_index_list(s.tbl_name) i on i.name = s.name where s.type = 'index'`,
  ).map(({ table, name, unique, sql }) => {
    const columns = rows('select name, "desc", coll from pragma_index_xinfo(?) where key = 1', String(name));
    const where = sql === null ? undefined : /\bwhere\b(.*)$/.exec(plain(String(sql)))?.[1];
    // SQLite numbers the indexes that stand for a key, in the order of the text.
    const known = String(name).startsWith('sqlite_') ? 'of a key' : name;
    const list = columns.map(
      (column) => `${column['name']}${column['desc'] ? ' desc' : ''} ${column['coll']}`,
    );
    return `${unique ? 'unique ' : ''}index ${table} ${known} (${list.join(', ')})${where === undefined ? '' : ` where${where}`}`;
  });
  return [...facts, ...indexes].sort();
}

function referencesOf(table: string, links: readonly Row[]): string[] {
  return [...Map.groupBy(links, ({ id }) => id).values()].map(
    (of) =>
      `reference ${table} (${of.map((link) => link['from']).join(', ')}) to ${of[0]!['table']}` +
      ` (${of.map((link) => link['to']).join(', ')}) on update ${of[0]!['on_update']} on delete ${of[0]!['on_delete']}`,
  );
}

/** The text of SQL without comments, quotes of names and white space that means nothing. */
function plain(sql: string): string {
  return sql
    .replaceAll(/--.*$/gm, '')
    .replaceAll('"', '')
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/ ?([(),=<>|]+) ?/g, '$1')
    .trim()
    .replaceAll(/\b(?:CREATE|TABLE|NOT|NULL|CHECK|WHERE|TEXT|INTEGER|BIGINT)\b/g, (word) =>
      word.toLowerCase(),
    );
}

/** What stands in the parentheses behind each `check`. */
function checksIn(text: string): string[] {
  return [...text.matchAll(/\bcheck\(/g)].map(({ index }) => {
    const from = index + 'check('.length;
    let depth = 1;
    let end = from;
    for (; depth > 0; end++) depth += text[end] === '(' ? 1 : text[end] === ')' ? -1 : 0;
    return text.slice(from, end - 1);
  });
}

export async function postgresFacts(client: Client): Promise<string[]> {
  const { rows } = await client.query<{ fact: string }>(`
    select format('column %s.%s %s%s%s%s', table_name, column_name, data_type, case is_nullable when 'NO' then ' not null' end,
      ' default ' || column_default, ' collate ' || collation_name) as fact
    from information_schema.columns where table_schema = 'public'
    union all
    select format('table %s %s %s', relname, relpersistence, reloptions) from pg_class
    where relnamespace = 'public'::regnamespace and relkind = 'r'
    union all
    select format('constraint %s %s %s', conrelid::regclass, conname, pg_get_constraintdef(oid)) from pg_constraint
    where connamespace = 'public'::regnamespace
    union all
    select format('index %s', indexdef) from pg_indexes where schemaname = 'public'
    union all
    select format('function %s', regexp_replace(
      regexp_replace(pg_get_functiondef(oid), '--[^\\n]*', '', 'g'), '\\s+', ' ', 'g'))
    from pg_proc where pronamespace = 'public'::regnamespace`);
  return rows.map(({ fact }) => fact).sort();
}

/** `table.column`, of every table. */
export function columnNames(facts: readonly string[]): string[] {
  return facts.flatMap((fact) => /^column (\S+)/.exec(fact)?.[1] ?? []).sort();
}
