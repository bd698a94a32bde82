-- Turns a Hourkeep database, empty or filled, into one that Citus distributes by host. Run it once, on the coordinator, after the
-- migrations and while no process of Hourkeep runs:
--
--   hourkeep migrate && psql "$DATABASE_URL" -v ON_ERROR_STOP=1 -f deploy/citus/distribute.sql
--
-- Needs Citus 12.1 or newer on every node, "create extension citus" in this database on every node, and the nodes made known:
--   select citus_set_coordinator_host('coordinator.example.com');
--   select citus_add_node('worker-1.example.com', 5432);
-- Without nodes the coordinator keeps all shards itself, and nodes can be added later. All or nothing. Run it again after an upgrade:
-- it distributes the tables that the new version has added, and changes nothing else.
set client_min_messages = warning;
begin;

do $$
declare
  -- Everything that belongs to one host, and each time all of it: one host's rows are on one node, whatever is joined.
  by_host constant text[] := array['spaces', 'bookings', 'blocks', 'hours', 'calendars', 'external_hours', 'events', 'webhooks',
    'deliveries', 'monthly_earnings', 'audit', 'books', 'closings', 'adjustments', 'payouts', 'payments',
    'host_figures'];
  -- Small, read by every node, seldom written (a key's last use once a minute at most): a copy on each node.
  everywhere constant text[] := array['hosts', 'api_keys', 'feeds'];
  -- The rest stays on the coordinator: schema_migrations, settings, worker_runs, invitations, console_sessions, rate_windows,
  -- rate_slots. Each request writes its key's window: in a table with copies that would be a two-phase commit over all nodes.
  name text;
  key record;
begin
  -- Whoever asks for a host whose node is away is told so after a second, not after thirty.
  execute format('alter database %I set citus.node_connection_timeout = 1000', current_database());
  if exists (select 1 from pg_dist_partition where logicalrelid = 'bookings'::regclass) then
    -- Tables that a later version has added. They refer to no other table.
    foreach name in array by_host loop
      continue when exists (select 1 from pg_dist_partition where logicalrelid = name::regclass);
      perform create_distributed_table(name, 'host_id', colocate_with => by_host[1]);
      perform truncate_local_data_after_distributing_table(name::regclass);
    end loop;
    return;
  end if;
  if not exists (select 1 from pg_dist_node where groupid = 0) then
    if exists (select 1 from pg_dist_node) then
      raise exception 'the coordinator has no copies of the shared tables: run citus_set_coordinator_host() first';
    end if;
    perform citus_set_coordinator_host('localhost', current_setting('port')::integer);
    perform citus_set_node_property('localhost', current_setting('port')::integer, 'shouldhaveshards', true);
  end if;
  perform set_config('citus.multi_shard_modify_mode', 'sequential', true);

  -- Citus distributes no table that a local one refers to, so all references go and come back at the end.
  create temporary table kept_references on commit drop as
    select conrelid::regclass as "table", conname as name, pg_get_constraintdef(oid) as definition
    from pg_constraint where contype = 'f' and connamespace = current_schema()::regnamespace;
  for key in select * from kept_references loop
    execute format('alter table %s drop constraint %I', key."table", key.name);
  end loop;

  foreach name in array everywhere loop
    perform create_reference_table(name);
  end loop;
  foreach name in array by_host loop
    perform create_distributed_table(name, 'host_id', colocate_with => case name when by_host[1] then 'none' else by_host[1] end);
  end loop;
  -- The rows were copied into the shards.
  foreach name in array everywhere || by_host loop
    perform truncate_local_data_after_distributing_table(name::regclass);
  end loop;

  -- With a table of its own in the statement that writes a calendar's hours, Citus would ask every shard.
  drop table day_hours;
  create view day_hours as select hour::smallint as hour from generate_series(0, 23) as hour;

  -- A table with a copy on each node cannot refer to one that lies in pieces. feeds and spaces are written in one
  -- transaction, and spaces are never deleted.
  for key in select * from kept_references where "table" <> 'feeds'::regclass loop
    execute format('alter table %s add constraint %I %s', key."table", key.name, key.definition);
  end loop;
end $$;

commit;
