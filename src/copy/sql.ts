// PostgreSQL's alone, and of its catalogue: a table that a later migration adds is found here without being listed.

/** In front of everything else. Nobody else sees these tables, so a wait for them holds up nobody. */
export const SETTINGS = "set local lock_timeout = 0; set local datestyle = 'ISO'";

/** Not of PostgreSQL itself and of no extension. */
const foreign = (catalogue: string, kind: string, schema: string): string => `
  from ${catalogue} o join pg_namespace n on n.oid = o.${schema}
  where n.nspname <> 'information_schema' and n.nspname !~ '^pg_' and ${kind}
    and not exists (select from pg_depend d where d.classid = '${catalogue}'::regclass and d.objid = o.oid and d.deptype = 'e')`;

export const LOOK = `
  with objects as (
    select n.nspname || '.' || o.relname as name ${foreign('pg_class', "o.relkind in ('r', 'p', 'v', 'm', 'f', 'S')", 'relnamespace')}
    union all
    select n.nspname || '.' || o.proname ${foreign('pg_proc', 'true', 'pronamespace')}
    union all
    select n.nspname || '.' || o.typname ${foreign('pg_type', "o.typtype in ('d', 'e')", 'typnamespace')}
  )
  select (select pg_encoding_to_char(encoding) from pg_database where datname = current_database()) as encoding,
    count(*)::int as objects, min(name) as name
  from objects`;

const OURS = 'current_schema()::regnamespace';

export const SELECT_COLUMNS = `
  select c.relname as table, quote_ident(a.attname) as name, format_type(a.atttypid, null) as type
  from pg_class c join pg_attribute a on a.attrelid = c.oid
  where c.relnamespace = ${OURS} and c.relkind = 'r' and a.attnum > 0 and not a.attisdropped
  order by c.relname, a.attnum`;

/** In the order in which they can be made: keys, other indexes, references. */
export const SELECT_PARTS = `
  select conname as name, format('alter table %s drop constraint %I', conrelid::regclass, conname) as drop,
    format('alter table %s add constraint %I %s', conrelid::regclass, conname, pg_get_constraintdef(oid)) as make,
    case contype when 'f' then 3 else 1 end as step
  from pg_constraint where connamespace = ${OURS} and contype in ('p', 'u', 'f')
  union all
  select c.relname, format('drop index %s', i.indexrelid::regclass), pg_get_indexdef(i.indexrelid), 2
  from pg_index i join pg_class c on c.oid = i.indexrelid
  where c.relnamespace = ${OURS} and not exists (select from pg_constraint o where o.conindid = i.indexrelid and o.contype in ('p', 'u'))
  order by step, name`;

export const SELECT_COUNTERS = `
  select format('select setval(%L, greatest((select max(%I) from %s), 1), exists (select from %s))',
    pg_get_serial_sequence(a.attrelid::regclass::text, a.attname), a.attname, a.attrelid::regclass,
    a.attrelid::regclass) as statement
  from pg_class c join pg_attribute a on a.attrelid = c.oid
  where c.relnamespace = ${OURS} and c.relkind = 'r' and a.attidentity <> ''`;

/** So many digits of each row's SHA-256, added up. */
export function sumOf(table: string, line: string, digits: number): string {
  const hex = `left(encode(sha256(convert_to(${line}, 'UTF8')), 'hex'), ${digits})`;
  return `
    select count(*) as rows, coalesce(sum(('x' || ${hex})::bit(${4 * digits})::bigint), 0)::text as sum from ${table}`;
}
