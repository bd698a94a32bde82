-- Text and integers only, so that both engines read the same schema:
-- instants are epoch milliseconds, money is minor units, booleans are 0 and 1, lists are JSON texts.

create table settings (
  name text primary key,
  value text not null
);

create table hosts (
  id text primary key,
  name text not null,
  email text not null,
  timezone text not null,
  currency text not null,
  commission_millionths integer not null check (commission_millionths between 0 and 1000000),
  settlement_modes text not null,
  -- null: the operator's BOOKING_MAX_VALUE
  max_booking_value bigint,
  created_at bigint not null
);

create table api_keys (
  id text primary key,
  host_id text not null references hosts (id),
  environment text not null check (environment in ('production', 'sandbox')),
  name text not null,
  hash text not null unique,
  prefix text not null,
  last4 text not null,
  scopes text not null,
  created_at bigint not null,
  last_used_at bigint,
  expires_at bigint,
  revoked_at bigint
);

create index api_keys_by_host on api_keys (host_id);

create table spaces (
  id text primary key,
  host_id text not null references hosts (id),
  environment text not null check (environment in ('production', 'sandbox')),
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
  rating_hundredths integer not null,
  review_count integer not null,
  is_active integer not null check (is_active in (0, 1)),
  amenities text not null,
  photo_urls text not null,
  ical_token_hash text not null,
  created_at bigint not null,
  updated_at bigint not null,
  check (close_hour > open_hour)
);

create index spaces_by_host on spaces (host_id, environment, id);

-- Who holds which hour. The primary key is the promise: one hour of one space has one holder.
create table hours (
  space_id text not null references spaces (id),
  date text not null,
  hour integer not null check (hour between 0 and 23),
  booking_id text,
  block_id text,
  primary key (space_id, date, hour),
  check ((booking_id is null) <> (block_id is null))
);

-- Hours that a foreign calendar calls busy. They live beside, not in, the table above:
-- another calendar may overlap anything, even itself.
create table external_hours (
  space_id text not null references spaces (id),
  date text not null,
  hour integer not null check (hour between 0 and 23),
  calendar_id text not null,
  primary key (space_id, date, hour, calendar_id)
);
