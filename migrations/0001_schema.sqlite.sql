-- oldest: 0.1.0
-- The first schema. schema/sqlite.sql is the same with the reasons.

create table settings (
  name text primary key,
  value text not null
);

create table day_hours (
  hour integer primary key check (hour between 0 and 23)
);

insert into day_hours (hour) values (0), (1), (2), (3), (4), (5), (6), (7), (8), (9), (10), (11),
  (12), (13), (14), (15), (16), (17), (18), (19), (20), (21), (22), (23);

create table hosts (
  id text not null primary key,
  name text not null,
  email text not null,
  timezone text not null,
  currency text not null check (length(currency) = 3),
  commission_millionths integer not null check (commission_millionths between 0 and 1000000),
  settlement_modes text not null check (settlement_modes in
    ('host_settled', 'platform_settled', 'host_settled platform_settled', 'platform_settled host_settled')),
  max_booking_value bigint check (max_booking_value >= 0),
  created_at bigint not null,
  deactivated_at bigint
);

create table api_keys (
  id text not null primary key,
  host_id text not null references hosts (id),
  environment text not null check (environment in ('production', 'sandbox')),
  name text not null,
  hash text not null unique,
  prefix text not null,
  last4 text not null,
  scopes text not null check (trim(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(
    scopes, 'spaces:read', ''), 'availability:read', ''), 'bookings:read', ''), 'bookings:write', ''),
    'settlement:read', ''), 'earnings:read', ''), 'blocks:write', ''), 'spaces:write', ''), 'webhooks:read', ''),
    'webhooks:write', '')) = ''),
  created_at bigint not null,
  last_used_at bigint,
  expires_at bigint,
  revoked_at bigint
);
create index api_keys_by_host on api_keys (host_id);

create table spaces (
  host_id text not null references hosts (id),
  environment text not null check (environment in ('production', 'sandbox')),
  id text not null,
  title text not null,
  category_slug text not null,
  description text,
  address text not null,
  area text not null,
  price_per_hour bigint not null check (price_per_hour >= 0),
  capacity integer,
  timezone text not null,
  open_hour integer not null check (open_hour between 0 and 23),
  close_hour integer not null check (close_hour between 1 and 24),
  cancellation_notice_hours integer not null check (cancellation_notice_hours >= 0),
  rating_hundredths integer not null check (rating_hundredths >= 0),
  review_count integer not null check (review_count >= 0),
  is_active integer not null check (is_active in (0, 1)),
  amenities text not null,
  photo_urls text not null,
  block_revision integer not null default 0,
  created_at bigint not null,
  updated_at bigint not null,
  primary key (host_id, environment, id),
  check (close_hour > open_hour)
);

create table feeds (
  space_id text not null primary key,
  host_id text not null,
  environment text not null,
  token_hash text not null,
  foreign key (host_id, environment, space_id) references spaces (host_id, environment, id)
);

create table bookings (
  host_id text not null,
  id text not null primary key,
  environment text not null,
  space_id text not null,
  status text not null check (status = 'confirmed' or status = 'cancelled' or status = 'completed'),
  source text not null check (source in ('api', 'platform')),
  date text not null,
  start_hour integer not null check (start_hour between 0 and 23),
  end_hour integer not null check (end_hour between 1 and 24),
  timezone text not null,
  starts_at bigint not null,
  ends_at bigint not null,
  guest_name text not null,
  guest_email text not null,
  guest_key text not null,
  guest_phone text,
  price_per_hour bigint not null check (price_per_hour >= 0),
  total_price bigint not null check (total_price >= 0),
  currency text not null,
  commission_millionths integer not null check (commission_millionths between 0 and 1000000),
  settlement_mode text not null check (settlement_mode in ('host_settled', 'platform_settled')),
  payment_status text not null check (payment_status = 'host_collected' or payment_status = 'pending'
    or payment_status = 'confirmed' or payment_status = 'refunded'),
  payment_reference text,
  refund_reference text,
  idempotency_key text,
  request_hash text,
  cancellation_reason text,
  cancelled_at bigint,
  created_at bigint not null,
  updated_at bigint not null,
  foreign key (host_id, environment, space_id) references spaces (host_id, environment, id),
  check (end_hour > start_hour),
  check (ends_at > starts_at),
  check ((settlement_mode = 'host_settled') = (payment_status = 'host_collected')),
  check (payment_status <> 'refunded' or status = 'cancelled'),
  check ((status = 'cancelled') = (cancelled_at is not null)),
  check ((idempotency_key is null) = (request_hash is null))
);
create unique index bookings_by_idempotency_key on bookings (host_id, environment, idempotency_key)
  where idempotency_key is not null;
create index bookings_by_host on bookings (host_id, environment, status, date, start_hour, id);
create index bookings_by_space on bookings (space_id, status, date, start_hour, id);
create index bookings_due on bookings (ends_at) where status = 'confirmed';
create index bookings_by_guest on bookings (host_id, environment, guest_key, source, created_at);
create index bookings_sandbox_guests on bookings (guest_key)
  where (environment = 'sandbox' and guest_key = 'complete@sandbox.test' and status = 'confirmed')
    or (environment = 'sandbox' and guest_key = 'pay@sandbox.test' and payment_status = 'pending');

create table blocks (
  host_id text not null,
  environment text not null,
  space_id text not null,
  id text not null,
  reason text,
  revision integer not null,
  changed_at bigint not null,
  created_at bigint not null,
  primary key (host_id, space_id, id),
  foreign key (host_id, environment, space_id) references spaces (host_id, environment, id)
);

create table hours (
  host_id text not null,
  space_id text not null,
  date text not null,
  hour integer not null check (hour between 0 and 23),
  booking_id text,
  block_id text,
  primary key (space_id, date, hour),
  foreign key (booking_id) references bookings (id) deferrable initially deferred,
  foreign key (host_id, space_id, block_id) references blocks (host_id, space_id, id),
  check ((booking_id is null) <> (block_id is null))
) without rowid;

create table calendars (
  host_id text not null,
  environment text not null,
  space_id text not null,
  id text not null,
  url text not null,
  etag text,
  last_modified text,
  imported_on text,
  last_polled_at bigint,
  last_success_at bigint,
  last_error text,
  failures integer not null default 0,
  empty_polls integer not null default 0,
  empty_since bigint,
  next_poll_at bigint not null,
  lease_token text,
  lease_until bigint,
  created_at bigint not null,
  primary key (host_id, space_id, id),
  foreign key (host_id, environment, space_id) references spaces (host_id, environment, id),
  check ((lease_token is null) = (lease_until is null))
);
create index calendars_due on calendars (next_poll_at);
create index calendars_failing on calendars (host_id) where failures > 0;

create table external_hours (
  host_id text not null,
  space_id text not null,
  date text not null,
  hour integer not null check (hour between 0 and 23),
  calendar_id text not null,
  primary key (space_id, date, hour, calendar_id),
  foreign key (host_id, space_id, calendar_id) references calendars (host_id, space_id, id)
) without rowid;

create table events (
  host_id text not null,
  id text not null primary key,
  environment text not null check (environment in ('production', 'sandbox')),
  type text not null check (type = 'booking.created' or type = 'availability.changed'
    or type = 'booking.completed' or type = 'booking.cancelled' or type = 'listing.updated'
    or type = 'payment.confirmed'),
  data text not null,
  created_at bigint not null
);

create table webhooks (
  host_id text not null references hosts (id),
  id text not null,
  environment text not null check (environment in ('production', 'sandbox')),
  url text not null,
  events text not null check (trim(replace(replace(replace(replace(replace(replace(
    events, 'booking.created', ''), 'booking.cancelled', ''), 'booking.completed', ''), 'availability.changed', ''),
    'listing.updated', ''), 'payment.confirmed', '')) = ''),
  description text,
  is_active integer not null check (is_active in (0, 1)),
  disabled_reason text check (disabled_reason in ('receiver_gone', 'five_days_of_failures', 'operator')),
  secret text not null,
  old_secrets text not null,
  failing_since bigint,
  has_pending integer not null default 0 check (has_pending in (0, 1)),
  created_at bigint not null,
  updated_at bigint not null,
  deleted_at bigint,
  primary key (host_id, id),
  check (disabled_reason is null or is_active = 0)
);
create index webhooks_pending on webhooks (host_id, id) where has_pending = 1;
create index webhooks_deleted on webhooks (deleted_at) where deleted_at is not null;
create index webhooks_disabled on webhooks (host_id) where disabled_reason is not null;

create table deliveries (
  host_id text not null,
  webhook_id text not null,
  event_id text not null,
  status text not null check (status = 'pending' or status = 'delivered' or status = 'failed'),
  attempts integer not null check (attempts >= 0),
  due_at bigint not null,
  lease_token text,
  last_attempt_at bigint,
  response_status integer,
  error text,
  primary key (webhook_id, event_id),
  check (lease_token is null or status = 'pending')
);
create index deliveries_first on deliveries (webhook_id, event_id)
  where status = 'pending' and attempts = 0 and lease_token is null;
create index deliveries_again on deliveries (webhook_id, due_at)
  where status = 'pending' and (attempts > 0 or lease_token is not null);
create index deliveries_failed on deliveries (webhook_id, event_id) where status = 'failed';

create table monthly_earnings (
  host_id text not null,
  environment text not null,
  space_id text not null,
  month text not null check (month like '____-__'),
  bookings bigint not null,
  hours bigint not null,
  gross bigint not null check (gross >= 0),
  commission bigint not null check (commission >= 0),
  primary key (host_id, environment, space_id, month),
  foreign key (host_id, environment, space_id) references spaces (host_id, environment, id)
);

create table audit (
  host_id text not null,
  id integer primary key,
  at bigint not null,
  actor_type text not null check (actor_type = 'key' or actor_type = 'operator' or actor_type = 'clock'),
  actor_id text not null,
  action text not null,
  environment text check (environment in ('production', 'sandbox')),
  subject text not null,
  reason text,
  request_id text
);

create table worker_runs (
  task text primary key,
  last_run_at bigint not null
);
