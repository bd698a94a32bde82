-- How SQLite stores these tables; what they hold and promise stays the same. Such things can only be changed by
-- making a table anew.

-- To look for a value in a list of three, SQLite makes a temporary table, for every row that is written. One
-- comparison after the other needs none.
create table bookings_anew (
  id text primary key,
  host_id text not null references hosts (id),
  environment text not null check (environment in ('production', 'sandbox')),
  space_id text not null references spaces (id),
  status text not null
    check (status = 'confirmed' or status = 'cancelled' or status = 'completed'),
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
  price_per_hour bigint not null,
  total_price bigint not null,
  currency text not null,
  commission_millionths integer not null,
  settlement_mode text not null check (settlement_mode in ('host_settled', 'platform_settled')),
  payment_status text not null
    check (payment_status = 'host_collected' or payment_status = 'pending' or payment_status = 'confirmed'),
  payment_reference text,
  idempotency_key text,
  request_hash text,
  cancellation_reason text,
  cancelled_at bigint,
  created_at bigint not null,
  updated_at bigint not null,
  check (end_hour > start_hour)
);
insert into bookings_anew select * from bookings;
drop table bookings;
alter table bookings_anew rename to bookings;
create unique index bookings_by_idempotency_key on bookings (host_id, environment, idempotency_key)
  where idempotency_key is not null;
create index bookings_by_host on bookings (host_id, environment, date, start_hour, id, status);
create index bookings_by_space on bookings (space_id, date, start_hour, id);
create index bookings_due on bookings (ends_at) where status = 'confirmed';
create index bookings_by_guest on bookings (host_id, environment, guest_key, created_at) where source = 'api';

create table deliveries_anew (
  event_id text not null,
  webhook_id text not null,
  status text not null
    check (status = 'pending' or status = 'delivered' or status = 'failed'),
  attempts integer not null,
  due_at bigint not null,
  lease_token text,
  last_attempt_at bigint,
  response_status integer,
  error text,
  primary key (event_id, webhook_id)
);
insert into deliveries_anew select * from deliveries;
drop table deliveries;
alter table deliveries_anew rename to deliveries;
create index deliveries_by_webhook on deliveries (webhook_id, event_id);
create index deliveries_first on deliveries (webhook_id, due_at) where status = 'pending' and attempts = 0;
create index deliveries_again on deliveries (webhook_id, due_at) where status = 'pending' and attempts > 0;
create index deliveries_leased on deliveries (lease_token, webhook_id, due_at) where lease_token is not null;

-- A row in the place where its key says, instead of a row somewhere and an index that tells where.
create table hours_anew (
  space_id text not null references spaces (id),
  date text not null,
  hour integer not null check (hour between 0 and 23),
  booking_id text,
  block_id text,
  primary key (space_id, date, hour),
  check ((booking_id is null) <> (block_id is null))
) without rowid;
insert into hours_anew select * from hours;
drop table hours;
alter table hours_anew rename to hours;

create table external_hours_anew (
  space_id text not null references spaces (id),
  date text not null,
  hour integer not null check (hour between 0 and 23),
  calendar_id text not null,
  primary key (space_id, date, hour, calendar_id)
) without rowid;
insert into external_hours_anew select * from external_hours;
drop table external_hours;
alter table external_hours_anew rename to external_hours;
