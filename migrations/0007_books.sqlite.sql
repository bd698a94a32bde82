-- oldest: 0.1.0
-- The books of each host: months that are closed, adjustments for what is recorded later about them, payouts, and the history of payments.

create table books (
  host_id text not null,
  environment text not null check (environment in ('production', 'sandbox')),
  first_month text check (first_month like '____-__'),
  closed_through text check (closed_through like '____-__'),
  primary key (host_id, environment)
);

create table closings (
  host_id text not null,
  environment text not null check (environment in ('production', 'sandbox')),
  month text not null check (month like '____-__'),
  closed_at bigint not null,
  opening_balance bigint not null,
  closing_balance bigint,
  figures text,
  primary key (host_id, environment, month),
  check ((figures is null) = (closing_balance is null))
);
create index closings_begun on closings (host_id) where figures is null;

create table adjustments (
  host_id text not null,
  environment text not null check (environment in ('production', 'sandbox')),
  month text not null check (month like '____-__'),
  id text not null,
  kind text not null check (kind in ('payment_confirmed', 'payment_voided', 'refunded', 'late_booking')),
  booking_id text not null,
  booking_month text not null check (booking_month like '____-__'),
  recorded_at bigint not null,
  payout_due bigint not null,
  commission_due bigint not null,
  primary key (host_id, environment, month, id)
);

create table payouts (
  host_id text not null,
  environment text not null check (environment in ('production', 'sandbox')),
  month text not null check (month like '____-__'),
  id text not null,
  amount bigint not null check (amount <> 0),
  currency text not null,
  reference text,
  paid_on text not null,
  recorded_at bigint not null,
  voided_at bigint,
  voided_in text check (voided_in like '____-__'),
  voids text,
  primary key (host_id, environment, month, id),
  check ((voided_at is null) = (voided_in is null))
);
create unique index payouts_by_reference on payouts (host_id, environment, reference)
  where reference is not null and voided_at is null and voids is null;

create table payments (
  host_id text not null,
  booking_id text not null,
  number integer not null,
  kind text not null check (kind in ('confirmed', 'voided', 'refunded')),
  at bigint,
  reference text,
  amount bigint not null,
  actor_type text,
  actor_id text,
  primary key (host_id, booking_id, number),
  check ((actor_type is null) = (actor_id is null))
) without rowid;

alter table bookings add column is_late integer not null default 0;
alter table bookings add column as_closed text;

-- Hosts that are older than their books: the clock finds out where these begin.
insert into books (host_id, environment) select id, 'production' from hosts;
insert into books (host_id, environment) select id, 'sandbox' from hosts;
