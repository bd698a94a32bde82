-- oldest: 0.1.0
-- Sessions of the console, and the scope keys:write.

create table console_sessions (
  token_hash text not null primary key,
  key_id text not null,
  remember integer not null check (remember in (0, 1)),
  expires_at bigint not null
);
create index console_sessions_by_expiry on console_sessions (expires_at);

create table api_keys_new (
  id text not null primary key,
  host_id text not null references hosts (id),
  environment text not null check (environment in ('production', 'sandbox')),
  name text not null,
  hash text not null unique,
  prefix text not null,
  last4 text not null,
  scopes text not null check (trim(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(
    scopes, 'spaces:read', ''), 'availability:read', ''), 'bookings:read', ''), 'bookings:write', ''),
    'settlement:read', ''), 'earnings:read', ''), 'blocks:write', ''), 'spaces:write', ''), 'webhooks:read', ''),
    'webhooks:write', ''), 'keys:write', '')) = ''),
  created_at bigint not null,
  last_used_at bigint,
  expires_at bigint,
  revoked_at bigint,
  ref text,
  replaced_by text
);
insert into api_keys_new (id, host_id, environment, name, hash, prefix, last4, scopes, created_at, last_used_at, expires_at,
    revoked_at, ref, replaced_by)
  select id, host_id, environment, name, hash, prefix, last4, scopes, created_at, last_used_at, expires_at, revoked_at, ref, replaced_by
  from api_keys;
drop table api_keys;
alter table api_keys_new rename to api_keys;
create index api_keys_by_host on api_keys (host_id);
create unique index api_keys_by_ref on api_keys (host_id, ref) where ref is not null;
