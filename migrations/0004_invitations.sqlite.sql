-- oldest: 0.1.0
-- Links from which hosts make their keys themselves, and which key took the place of which.

create table invitations (
  id text not null primary key,
  host_id text not null,
  environment text not null check (environment in ('production', 'sandbox')),
  name text not null,
  scopes text not null,
  token_hash text not null unique,
  key_expires_at bigint,
  replaces text,
  grace_ms bigint,
  created_at bigint not null,
  expires_at bigint not null,
  claimed_at bigint,
  withdrawn_at bigint,
  ref text,
  check (claimed_at is null or withdrawn_at is null),
  check ((replaces is null) = (grace_ms is null))
);

alter table api_keys add column replaced_by text;
