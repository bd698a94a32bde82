-- oldest: 0.1.0
-- Sessions of the console, and the scope keys:write.

create table console_sessions (
  token_hash text collate "C" primary key,
  key_id uuid not null,
  remember smallint not null check (remember in (0, 1)),
  expires_at bigint not null
);
create index console_sessions_by_expiry on console_sessions (expires_at);

alter table api_keys drop constraint api_keys_scopes_check;
alter table api_keys add constraint api_keys_scopes_check check (
  trim(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(
    scopes, 'spaces:read', ''), 'availability:read', ''), 'bookings:read', ''), 'bookings:write', ''),
    'settlement:read', ''), 'earnings:read', ''), 'blocks:write', ''), 'spaces:write', ''), 'webhooks:read', ''),
    'webhooks:write', ''), 'keys:write', '')) = '') not valid;
alter table api_keys validate constraint api_keys_scopes_check;
