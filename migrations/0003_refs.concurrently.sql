-- oldest: 0.1.0
-- A name stands for one thing: among all hosts, and among what one host or one space has.

create unique index concurrently hosts_by_ref on hosts (ref) where ref is not null;
create unique index concurrently spaces_by_ref on spaces (host_id, ref) where ref is not null;
create unique index concurrently calendars_by_ref on calendars (host_id, space_id, ref) where ref is not null;
create unique index concurrently api_keys_by_ref on api_keys (host_id, ref) where ref is not null;
