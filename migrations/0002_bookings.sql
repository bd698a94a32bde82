create table bookings (
  id text primary key,
  host_id text not null references hosts (id),
  environment text not null check (environment in ('production', 'sandbox')),
  space_id text not null references spaces (id),
  status text not null check (status in ('confirmed', 'cancelled', 'completed')),
  source text not null check (source in ('api', 'platform')),
  date text not null,
  start_hour integer not null check (start_hour between 0 and 23),
  end_hour integer not null check (end_hour between 1 and 24),
  timezone text not null,
  starts_at bigint not null,
  ends_at bigint not null,
  guest_name text not null,
  guest_email text not null,
  -- the address as velocity and self-booking compare it: lower case, without a plus-tag
  guest_key text not null,
  guest_phone text,
  -- frozen at creation, as is commission_millionths: later changes of the listing do not touch it
  price_per_hour bigint not null,
  total_price bigint not null,
  currency text not null,
  commission_millionths integer not null,
  settlement_mode text not null check (settlement_mode in ('host_settled', 'platform_settled')),
  payment_status text not null check (payment_status in ('host_collected', 'pending', 'confirmed')),
  payment_reference text,
  idempotency_key text,
  request_hash text,
  cancellation_reason text,
  cancelled_at bigint,
  created_at bigint not null,
  updated_at bigint not null,
  check (end_hour > start_hour)
);

-- One request, one booking: the key is unique per host and environment, as long as the booking lives.
create unique index bookings_by_idempotency_key on bookings (host_id, environment, idempotency_key)
  where idempotency_key is not null;

-- Lists, always in the order they are answered. A space has so few bookings that it needs none for its statuses.
create index bookings_by_host on bookings (host_id, environment, date, start_hour, id);
create index bookings_by_host_status on bookings (host_id, environment, status, date, start_hour, id);
create index bookings_by_space on bookings (space_id, date, start_hour, id);

-- What the clock has to complete.
create index bookings_due on bookings (ends_at) where status = 'confirmed';

-- How many bookings a guest has just made.
create index bookings_by_guest on bookings (host_id, environment, guest_key, created_at) where source = 'api';

-- One row a guest: locked while a booking of theirs is counted.
create table guests (
  host_id text not null references hosts (id),
  environment text not null,
  guest_key text not null,
  last_booking_at bigint not null,
  primary key (host_id, environment, guest_key)
);

-- A block of hours as the host made it; which of its hours still stand is in the hours table.
create table blocks (
  id text primary key,
  space_id text not null references spaces (id),
  reason text,
  created_at bigint not null
);

-- What happened, written in the transaction that made it happen.
create table events (
  id text primary key,
  host_id text not null references hosts (id),
  environment text not null check (environment in ('production', 'sandbox')),
  type text not null,
  data text not null,
  created_at bigint not null
);

create table calendars (
  id text primary key,
  space_id text not null references spaces (id),
  url text not null,
  created_at bigint not null
);
