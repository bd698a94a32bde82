-- Splits the tables that grow with every booking into hash partitions, by space or by host, so that none of them has an
-- index or a vacuum larger than a sixteenth. For PostgreSQL 13 and newer; docs/scaling.md says when it is worth it.
-- Stop every process first; it copies what is there, in one transaction:
--   psql "$DATABASE_URL" -1 -v ON_ERROR_STOP=1 -f deploy/postgres/partition.sql

create function pg_temp.partition(name text, partition_key text, primary_key text, parts integer) returns void
language plpgsql as $$
declare
  old text := name || '_unpartitioned';
  indexes text[];
  foreign_keys text[];
  definition text;
begin
  select array_agg(pg_get_indexdef(indexrelid)) into indexes
    from pg_index where indrelid = name::regclass and not indisprimary;
  select array_agg(pg_get_constraintdef(oid)) into foreign_keys
    from pg_constraint where conrelid = name::regclass and contype = 'f';
  execute format('alter table %I rename to %I', name, old);
  execute format('create table %I (like %I including defaults including constraints) partition by hash (%s)',
    name, old, partition_key);
  for part in 0 .. parts - 1 loop
    execute format('create table %I partition of %I for values with (modulus %s, remainder %s)',
      name || '_' || part, name, parts, part);
  end loop;
  execute format('insert into %I select * from %I', name, old);
  execute format('drop table %I', old);
  -- A unique key of a partitioned table must hold what it is partitioned by.
  execute format('alter table %I add primary key (%s)', name, primary_key);
  foreach definition in array coalesce(indexes, '{}') loop
    execute definition;
  end loop;
  foreach definition in array coalesce(foreign_keys, '{}') loop
    execute format('alter table %I add %s', name, definition);
  end loop;
end $$;

select pg_temp.partition('hours', 'space_id', 'space_id, date, hour', 16);
select pg_temp.partition('external_hours', 'space_id', 'space_id, date, hour, calendar_id', 16);
-- A host's id behind the row's own: uuids of version 7 do not repeat, whoever has them, and some know nothing but the id.
select pg_temp.partition('bookings', 'host_id', 'id, host_id', 16);
select pg_temp.partition('monthly_earnings', 'host_id', 'host_id, environment, space_id, month', 16);
select pg_temp.partition('events', 'host_id', 'id, host_id', 16);
select pg_temp.partition('deliveries', 'webhook_id', 'event_id, webhook_id', 16);
analyze;
