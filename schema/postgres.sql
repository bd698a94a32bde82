-- Today's schema on PostgreSQL. The migrations lead here; src/db/schema.test.ts fails when they do not.
--
-- Instants are epoch milliseconds, money is minor units of the host's currency, flags are 0 and 1.
-- Every table that grows with bookings has its host in front of its key: what belongs to one host lies together, can
-- be moved together, and a distributed engine can keep it on one node. Texts in keys compare as bytes (collate "C").

-- Which migrations this database has seen, and the oldest version of Hourkeep that can run on each. Read by processes of
-- every version, those that do not have the migration's file too.
create table schema_migrations (
  name text primary key,
  oldest text not null,
  applied_at bigint not null
);

-- Facts about the database as a whole, such as the fingerprint of its secret key.
create table settings (
  name text primary key,
  value text not null
);

-- The hours that every day has, to count through a range.
create table day_hours (
  hour smallint primary key check (hour between 0 and 23)
);

-- An account: whoever rents out spaces.
create table hosts (
  id uuid primary key,
  name text not null,
  email text not null,
  -- of the account: decides which month is the present one
  timezone text not null,
  currency text not null check (length(currency) = 3),
  commission_millionths integer not null check (commission_millionths between 0 and 1000000),
  -- separated by spaces
  settlement_modes text not null check (settlement_modes in
    ('host_settled', 'platform_settled', 'host_settled platform_settled', 'platform_settled host_settled')),
  -- null: the operator's BOOKING_MAX_VALUE
  max_booking_value bigint check (max_booking_value >= 0),
  created_at bigint not null,
  -- while set, keys and feeds of this host are refused, and its deliveries and calendars wait
  deactivated_at bigint,
  -- the operator's own name for it, in files that apply reads
  ref text
);
create unique index hosts_by_ref on hosts (ref) where ref is not null;

-- Who may call the API. The key itself is not kept, only its hash.
create table api_keys (
  id uuid primary key,
  host_id uuid not null references hosts (id),
  environment text collate "C" not null check (environment in ('production', 'sandbox')),
  name text not null,
  hash text collate "C" not null unique,
  prefix text not null,
  last4 text not null,
  -- separated by spaces; nothing is left when the known ones are taken out
  scopes text not null check (trim(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(
    scopes, 'spaces:read', ''), 'availability:read', ''), 'bookings:read', ''), 'bookings:write', ''),
    'settlement:read', ''), 'earnings:read', ''), 'blocks:write', ''), 'spaces:write', ''), 'webhooks:read', ''),
    'webhooks:write', ''), 'keys:write', '')) = ''),
  created_at bigint not null,
  last_used_at bigint,
  expires_at bigint,
  revoked_at bigint,
  ref text,
  -- the key that was made in its place
  replaced_by uuid
);
create index api_keys_by_host on api_keys (host_id);
create unique index api_keys_by_ref on api_keys (host_id, ref) where ref is not null;

-- A link from which a host makes a key. The token in it is not kept, only its hash. Open until it is claimed, withdrawn or expired.
-- No reference to hosts, which are never deleted: on Citus this table stays on the coordinator.
create table invitations (
  -- that of the key which is made of it
  id uuid primary key,
  host_id uuid not null,
  environment text collate "C" not null check (environment in ('production', 'sandbox')),
  name text not null,
  -- separated by spaces, as a key has them
  scopes text not null,
  token_hash text collate "C" not null unique,
  -- when the key ends that is made of it
  key_expires_at bigint,
  -- the key that it replaces, and how long that one goes on once the new one is made
  replaces uuid,
  grace_ms bigint,
  created_at bigint not null,
  expires_at bigint not null,
  claimed_at bigint,
  withdrawn_at bigint,
  ref text,
  check (claimed_at is null or withdrawn_at is null),
  check ((replaces is null) = (grace_ms is null))
);

-- Who is signed in to the console. The token in the cookie is not kept, only its hash. Whether the key works is read with every request, so
-- revoking it changes nothing here. No reference to api_keys, which are never deleted: on Citus this table stays on the coordinator.
create table console_sessions (
  token_hash text collate "C" primary key,
  key_id uuid not null,
  -- 1: thirty days from its last use on, otherwise it ends with the browser and after twelve hours
  remember smallint not null check (remember in (0, 1)),
  expires_at bigint not null
);
create index console_sessions_by_expiry on console_sessions (expires_at);

-- The rate limit's memory, shared by all processes: how many requests of a key were ever admitted. Unlogged: written
-- by every request, needs no fsync, and may be forgotten in a crash. (On SQLite the one process that serves keeps it in memory.)
create unlogged table rate_windows (
  key_id uuid primary key,
  -- how many slots the key's ring has: the greatest limit it has had
  ring integer not null,
  admitted bigint not null,
  -- the number of the oldest request that was in the window at the last decision
  live_from bigint not null,
  -- the moment of the last decision; a clock that steps back must not let more through
  decided_at bigint not null
) with (fillfactor = 50);

-- When the last requests of a key were admitted: request number n in slot n % ring. A decision looks at a
-- few slots: one more for each doubling of the limit.
create unlogged table rate_slots (
  key_id uuid,
  slot integer,
  at bigint not null,
  primary key (key_id, slot)
) with (fillfactor = 50);

-- Something to book. Belongs to one host and one environment.
create table spaces (
  host_id uuid not null references hosts (id),
  environment text collate "C" not null check (environment in ('production', 'sandbox')),
  id uuid not null,
  title text not null,
  category_slug text not null,
  description text,
  address text not null,
  area text not null,
  price_per_hour bigint not null check (price_per_hour >= 0),
  capacity integer,
  timezone text not null,
  open_hour smallint not null check (open_hour between 0 and 23),
  close_hour smallint not null check (close_hour between 1 and 24),
  cancellation_notice_hours integer not null check (cancellation_notice_hours >= 0),
  rating_hundredths integer not null check (rating_hundredths >= 0),
  review_count integer not null check (review_count >= 0),
  is_active smallint not null check (is_active in (0, 1)),
  -- lists as JSON
  amenities text not null,
  photo_urls text not null,
  -- counts the changes of the space's blocks; whoever takes the next number holds the lock to change them
  block_revision integer not null default 0,
  created_at bigint not null,
  updated_at bigint not null,
  ref text,
  -- JSON as the API shows it; while it is set, open_hour and close_hour are the smallest range that covers it
  weekly_hours text,
  -- rules of new bookings; null: no such rule
  min_hours integer,
  max_hours integer,
  lead_hours integer,
  horizon_days integer,
  primary key (host_id, environment, id),
  check (close_hour > open_hour)
);
create unique index spaces_by_ref on spaces (host_id, ref) where ref is not null;

-- Whose a space is, for those who know nothing but its id: readers of its calendar feed, and the operator. Also what
-- keeps the ids of spaces unique over all hosts.
create table feeds (
  space_id uuid primary key,
  host_id uuid not null,
  environment text collate "C" not null,
  token_hash text not null,
  foreign key (host_id, environment, space_id) references spaces (host_id, environment, id)
);

-- Hours of a space that a guest has taken, with the terms they were taken on.
create table bookings (
  host_id uuid not null,
  id uuid not null,
  environment text collate "C" not null,
  space_id uuid not null,
  status text collate "C" not null check (status in ('confirmed', 'cancelled', 'completed')),
  source text not null check (source in ('api', 'platform')),
  -- on the space's wall clock, as are the hours
  date date not null,
  start_hour smallint not null check (start_hour between 0 and 23),
  end_hour smallint not null check (end_hour between 1 and 24),
  timezone text not null,
  starts_at bigint not null,
  ends_at bigint not null,
  guest_name text not null,
  guest_email text not null,
  -- the address as velocity and self-booking compare it: lower case, without a plus-tag
  guest_key text collate "C" not null,
  guest_phone text,
  -- frozen at creation, as are currency and commission: later changes of the listing or the host do not touch them
  price_per_hour bigint not null check (price_per_hour >= 0),
  total_price bigint not null check (total_price >= 0),
  currency text not null,
  commission_millionths integer not null check (commission_millionths between 0 and 1000000),
  settlement_mode text not null check (settlement_mode in ('host_settled', 'platform_settled')),
  payment_status text not null check (payment_status in ('host_collected', 'pending', 'confirmed', 'refunded')),
  payment_reference text,
  refund_reference text,
  idempotency_key text collate "C",
  -- what the request with this idempotency key asked for
  request_hash text,
  cancellation_reason text,
  cancelled_at bigint,
  created_at bigint not null,
  -- of the last change of what the host reads, by the clock of whoever made it (decision 0016)
  updated_at bigint not null,
  -- when the payment and its refund were recorded; null for what was recorded before 0.2.0
  paid_at bigint,
  refunded_at bigint,
  -- of a move: the booking whose place this one takes, and the one that took this one's place
  replaces uuid,
  replaced_by uuid,
  -- the caller's own words
  reference text,
  notes text,
  guest_count integer,
  walk_in integer not null default 0,
  -- when a payment was last voided: such a booking is not cancelled for being unpaid
  payment_voided_at bigint,
  -- 1: made when the month of its date was closed, so it is no line of that month
  is_late smallint not null default 0,
  -- JSON: how its payment stood when its month was closed, where that has changed since
  as_closed text,
  primary key (host_id, id),
  foreign key (host_id, environment, space_id) references spaces (host_id, environment, id),
  check (end_hour > start_hour),
  check (ends_at > starts_at),
  check ((settlement_mode = 'host_settled') = (payment_status = 'host_collected')),
  check (payment_status <> 'refunded' or status = 'cancelled'),
  check ((status = 'cancelled') = (cancelled_at is not null)),
  check ((idempotency_key is null) = (request_hash is null))
);
-- One request, one booking: the key is unique per host and environment, as long as the booking lives.
create unique index bookings_by_idempotency_key on bookings (host_id, environment, idempotency_key)
  where idempotency_key is not null;
-- Lists of each status, in the order in which they are answered. Without the status in front, a list of what is ahead would
-- wade through everything that is over.
create index bookings_by_host on bookings (host_id, environment, status, date, start_hour, id);
create index bookings_by_space on bookings (host_id, space_id, status, date, start_hour, id);
-- What has changed since a moment.
create index bookings_by_change on bookings (host_id, environment, updated_at, id);
-- No booking is replaced by two.
create unique index bookings_by_replaced on bookings (host_id, replaces) where replaces is not null;
-- What the clock has to complete.
create index bookings_due on bookings (ends_at) where status = 'confirmed';
-- What the clock has to cancel where bookings must be paid in time.
create index bookings_unpaid on bookings (created_at) where status = 'confirmed' and payment_status = 'pending';
-- Lists by the caller's own reference, as those of each status.
create index bookings_by_reference on bookings (host_id, environment, reference, status, date, start_hour, id)
  where reference is not null;
-- Which booking a payment's reference stands on.
create index bookings_by_payment_reference on bookings (host_id, environment, payment_reference)
  where payment_reference is not null;
-- What a guest has just booked through the API, and all that the guest has ever booked.
create index bookings_by_guest on bookings (host_id, environment, guest_key, source, created_at);
-- Bookings of the sandbox's guests that the worker has to complete or to pay.
create index bookings_sandbox_guests on bookings (guest_key)
  where (environment = 'sandbox' and guest_key = 'complete@sandbox.test' and status = 'confirmed')
    or (environment = 'sandbox' and guest_key = 'pay@sandbox.test' and payment_status = 'pending');

-- A block of hours as the host made it; which of its hours still stand is in the table hours.
create table blocks (
  host_id uuid not null,
  environment text collate "C" not null,
  space_id uuid not null,
  id uuid not null,
  reason text,
  -- the space's block_revision and the moment of the last change: what calendar programs compare
  revision integer not null,
  changed_at bigint not null,
  created_at bigint not null,
  primary key (host_id, space_id, id),
  foreign key (host_id, environment, space_id) references spaces (host_id, environment, id)
);

-- Who holds which hour. The primary key is the promise: one hour of one space has one holder.
create table hours (
  host_id uuid not null,
  space_id uuid not null,
  date date not null,
  hour smallint not null check (hour between 0 and 23),
  booking_id uuid,
  block_id uuid,
  primary key (host_id, space_id, date, hour),
  -- deferred: of two requests with one idempotency key, the second asks for its hours before it is told
  foreign key (host_id, booking_id) references bookings (host_id, id) deferrable initially deferred,
  foreign key (host_id, space_id, block_id) references blocks (host_id, space_id, id),
  check ((booking_id is null) <> (block_id is null))
);
-- The hours of a block: the reference to blocks is checked by it when a block is deleted. (SQLite does not use it with space_id in it,
-- PostgreSQL not without host_id.)
create index hours_by_block on hours (block_id, host_id) where block_id is not null;

-- A foreign calendar of a space: what the last polls found, and who polls it now.
create table calendars (
  host_id uuid not null,
  environment text collate "C" not null,
  space_id uuid not null,
  id uuid not null,
  -- where sealed_url is set, only what may be shown: https://server/… and the last four characters
  url text not null,
  -- the answer's own marks, sent back so that an unchanged calendar is not sent again
  etag text,
  last_modified text,
  -- the space's date of the last full import: the window moves on with it, so each day begins with a full one
  imported_on date,
  last_polled_at bigint,
  last_success_at bigint,
  last_error text,
  -- in a row
  failures integer not null default 0,
  -- scheduled polls in a row that found a calendar with hours suddenly empty, and when the first of them was
  empty_polls integer not null default 0,
  empty_since bigint,
  next_poll_at bigint not null,
  -- who holds the token may poll, until then; after that anyone may take over
  lease_token uuid,
  lease_until bigint,
  created_at bigint not null,
  ref text,
  -- encrypted; null while a process of version 0.2.0 may run, which reads url
  sealed_url text,
  primary key (host_id, space_id, id),
  foreign key (host_id, environment, space_id) references spaces (host_id, environment, id),
  check ((lease_token is null) = (lease_until is null))
);
create index calendars_due on calendars (next_poll_at);
create unique index calendars_by_ref on calendars (host_id, space_id, ref) where ref is not null;
-- Counted for the metrics.
create index calendars_failing on calendars (host_id) where failures > 0;

-- Hours that a foreign calendar calls busy. They live beside the table hours, not in it: another calendar may overlap
-- anything, even itself.
create table external_hours (
  host_id uuid not null,
  space_id uuid not null,
  date date not null,
  hour smallint not null check (hour between 0 and 23),
  calendar_id uuid not null,
  primary key (host_id, space_id, date, hour, calendar_id),
  foreign key (host_id, space_id, calendar_id) references calendars (host_id, space_id, id)
);

-- What subscriptions are to be told, written in the transaction that made it happen. No reference to hosts, which are never deleted: each
-- event would have to lock its host's row.
create table events (
  host_id uuid not null,
  id uuid not null,
  environment text not null check (environment in ('production', 'sandbox')),
  type text not null check (type in ('booking.created', 'booking.cancelled', 'booking.completed',
    'availability.changed', 'listing.updated', 'payment.confirmed')),
  -- as the webhook's body has it: JSON
  data text not null,
  created_at bigint not null,
  -- of the API's request that made it happen; null for the command line and the clock
  request_id text,
  -- of that request: its place in a trace, as W3C Trace Context writes it
  traceparent text,
  primary key (host_id, id)
);
-- Events are forgotten in the order of their ids, which is that of their time.
create index events_by_age on events (id);

-- Who wants to be told what. One host in one environment has at most twenty.
create table webhooks (
  host_id uuid not null references hosts (id),
  id uuid not null,
  environment text collate "C" not null check (environment in ('production', 'sandbox')),
  url text not null,
  -- names of events, separated by spaces; nothing is left when the known ones are taken out
  events text not null check (trim(replace(replace(replace(replace(replace(replace(
    events, 'booking.created', ''), 'booking.cancelled', ''), 'booking.completed', ''), 'availability.changed', ''),
    'listing.updated', ''), 'payment.confirmed', '')) = ''),
  description text,
  is_active smallint not null check (is_active in (0, 1)),
  disabled_reason text check (disabled_reason in ('receiver_gone', 'five_days_of_failures', 'operator')),
  -- encrypted with the service's key, as are those that signed before: a JSON list of {secret, until}
  secret text not null,
  old_secrets text not null,
  -- since when every attempt has failed; null while the last one was a success
  failing_since bigint,
  -- 1 as long as a delivery may be pending: workers look at these subscriptions and at no others
  has_pending smallint not null default 0 check (has_pending in (0, 1)),
  created_at bigint not null,
  updated_at bigint not null,
  -- a deleted one is gone for everybody; its row stays until the worker has cleared its deliveries away
  deleted_at bigint,
  primary key (host_id, id),
  check (disabled_reason is null or is_active = 0)
);
create index webhooks_pending on webhooks (host_id, id) where has_pending = 1;
create index webhooks_deleted on webhooks (deleted_at) where deleted_at is not null;
-- Counted for the metrics.
create index webhooks_disabled on webhooks (host_id) where disabled_reason is not null;
create index webhooks_failing on webhooks (host_id) where failing_since is not null;

-- One event for one subscription: the job and its log in one row, written in the event's own transaction.
-- No references. To webhooks: a booking would fail when a subscription of its host is deleted in the same moment. To
-- events: forgetting an event would need an index by event, the third on a table that grows with every booking; the
-- worker forgets both in one transaction.
create table deliveries (
  host_id uuid not null,
  webhook_id uuid not null,
  event_id uuid not null,
  status text not null check (status in ('pending', 'delivered', 'failed')),
  -- those whose result is known
  attempts integer not null check (attempts >= 0),
  -- when it may be taken; while a worker has it, when that worker's lease ends
  due_at bigint not null,
  lease_token uuid,
  last_attempt_at bigint,
  response_status smallint,
  error text,
  -- those made before the operator had it sent again
  earlier_attempts integer not null default 0,
  primary key (host_id, webhook_id, event_id),
  check (lease_token is null or status = 'pending')
);
-- What is to be done, by subscription. First attempts, by the time of their event; and all that was ever taken, by due_at:
-- what is to be tried again, and what a worker has in its hands.
create index deliveries_first on deliveries (webhook_id, event_id)
  where status = 'pending' and attempts = 0 and lease_token is null;
create index deliveries_again on deliveries (webhook_id, due_at)
  where status = 'pending' and (attempts > 0 or lease_token is not null);
-- What was given up, for the operator who counts it or sends it again.
create index deliveries_failed on deliveries (webhook_id, event_id) where status = 'failed';

-- What each space has earned, month by month: the sums of its completed bookings by the month of their local date.
-- Written in the transaction that completes them. A completed booking never changes again, so these sums only
-- grow, and the earnings summary reads a few rows a space instead of every booking a host ever had. The month 0000-00 is
-- all of a space's months together.
create table monthly_earnings (
  host_id uuid not null,
  environment text collate "C" not null,
  space_id uuid not null,
  month text collate "C" not null check (month like '____-__'),
  bookings bigint not null,
  hours bigint not null,
  gross bigint not null check (gross >= 0),
  commission bigint not null check (commission >= 0),
  primary key (host_id, environment, space_id, month),
  foreign key (host_id, environment, space_id) references spaces (host_id, environment, id)
);

-- Which months of a host and environment are closed. No row: the host is new, and none is.
create table books (
  host_id uuid not null,
  environment text collate "C" not null check (environment in ('production', 'sandbox')),
  -- where balances begin to be carried forward; null until the clock has looked at the books of a host that is older than they are
  first_month text collate "C" check (first_month like '____-__'),
  -- this month and all before it
  closed_through text collate "C" check (closed_through like '____-__'),
  primary key (host_id, environment)
);

-- A month that is closed. First its moment is recorded: from then on payments and bookings of it count in a later month. Then its
-- figures are added up, page by page, and the report is the same for ever.
create table closings (
  host_id uuid not null,
  environment text collate "C" not null check (environment in ('production', 'sandbox')),
  month text collate "C" not null check (month like '____-__'),
  closed_at bigint not null,
  opening_balance bigint not null,
  closing_balance bigint,
  -- JSON: what the lines of the month add up to, in minor units, with the titles that the spaces had
  figures text,
  primary key (host_id, environment, month),
  check ((figures is null) = (closing_balance is null))
);
-- Whose figures are still to be added up.
create index closings_begun on closings (host_id) where figures is null;

-- What was recorded about a booking after its month had been closed. It counts in the month that was the first open one then.
create table adjustments (
  host_id uuid not null,
  environment text collate "C" not null check (environment in ('production', 'sandbox')),
  month text collate "C" not null check (month like '____-__'),
  id uuid not null,
  kind text not null check (kind in ('payment_confirmed', 'payment_voided', 'refunded', 'late_booking')),
  booking_id uuid not null,
  -- the closed one
  booking_month text not null check (booking_month like '____-__'),
  recorded_at bigint not null,
  payout_due bigint not null,
  commission_due bigint not null,
  primary key (host_id, environment, month, id)
);

-- What the platform paid a host; a negative amount is what it received. It counts in the month that was the first open one then.
create table payouts (
  host_id uuid not null,
  environment text collate "C" not null check (environment in ('production', 'sandbox')),
  month text collate "C" not null check (month like '____-__'),
  id uuid not null,
  amount bigint not null check (amount <> 0),
  currency text not null,
  reference text,
  paid_on date not null,
  recorded_at bigint not null,
  voided_at bigint,
  -- the first open month then: where it is the payout's own, the payout leaves its report
  voided_in text collate "C" check (voided_in like '____-__'),
  -- of a counter-entry: the payout of a closed month that was voided
  voids uuid,
  primary key (host_id, environment, month, id),
  check ((voided_at is null) = (voided_in is null))
);
-- A reference that stands names one payout.
create unique index payouts_by_reference on payouts (host_id, environment, reference)
  where reference is not null and voided_at is null and voids is null;

-- What was recorded about the payment of a booking, in order. Entries are never deleted.
create table payments (
  host_id uuid not null,
  booking_id uuid not null,
  number smallint not null,
  kind text not null check (kind in ('confirmed', 'voided', 'refunded')),
  -- null, as the actor, for what was recorded before there was this table
  at bigint,
  reference text,
  amount bigint not null,
  actor_type text,
  actor_id text,
  primary key (host_id, booking_id, number),
  check ((actor_type is null) = (actor_id is null))
);

-- Who changed what, and when. Entries are never changed, and deleted only when they are older than AUDIT_RETENTION_DAYS.
-- Of a guest it has nothing but what the operator wrote into a payment's reference: an erasure cuts that out.
create table audit (
  -- only zeros: the change concerns no single host
  host_id uuid not null,
  -- the order in which entries were written
  id bigint generated always as identity,
  at bigint not null,
  actor_type text not null check (actor_type = 'key' or actor_type = 'operator' or actor_type = 'clock'),
  -- a key's id, an operator's name on the machine, or a task's name
  actor_id text not null,
  action text not null,
  environment text check (environment in ('production', 'sandbox')),
  -- the id of what was changed
  subject text not null,
  -- in the operator's words, where a command asks for them
  reason text,
  request_id text,
  -- of an update, as JSON: each field with its values before and after
  changes text,
  primary key (host_id, id)
);
-- Everybody's entries, newest first; and the oldest, which are forgotten first.
create index audit_by_id on audit (id);

-- When a worker last finished a step of each of its tasks.
create table worker_runs (
  task text primary key,
  last_run_at bigint not null
);

-- What requests and deliveries of each host came to in the last 24 hours. Each process adds what it has counted once a minute. No
-- reference to hosts, which are never deleted.
create table host_figures (
  host_id uuid not null,
  -- the quarter of an hour of the day, used again a day later
  slot smallint not null check (slot between 0 and 95),
  -- requests, delivered, failed, or the code of an error
  figure text not null,
  -- when that quarter of an hour began
  since bigint not null,
  total bigint not null,
  primary key (host_id, slot, figure)
);

-- Finds keys by their hashes, which are sorted, and decides about the requests that arrived together with each: the rate limit of
-- src/rate-limit/postgres.ts. Of the requests of one key the first `let_in` are admitted; they are decided at one moment.
-- A function, because each of its statements sees what was committed before it began. One statement would see the
-- slots as they were before it waited for the lock, and let too many through.
create function admit_requests(key_hashes text[], requests integer[], production_limit integer, sandbox_limit integer,
  given_now bigint)
returns table (hash text, id uuid, host_id uuid, environment text, scopes text, expires_at bigint, revoked_at bigint,
  deactivated_at bigint, last_used_at bigint, let_in integer, used integer, oldest bigint, frees bigint,
  decided_at bigint)
language plpgsql as $$
#variable_conflict use_column
declare
  k record;
  w rate_windows;
  quota integer;
  gone bigint;
  step bigint;
  last bigint;
  middle bigint;
  newest bigint[];
begin
  -- Reads go on while a synchronous standby is away: even a transaction that writes to unlogged tables alone would wait
  -- for it where a read has tidied up a page. Until the end of the transaction, so never call this in one that books.
  perform set_config('synchronous_commit', 'off', true);
  for nth in 1 .. coalesce(cardinality(key_hashes), 0) loop
    hash := key_hashes[nth];
    select a.*, h.deactivated_at into k from api_keys a join hosts h on h.id = a.host_id where a.hash = key_hashes[nth];
    continue when not found;
    id := k.id; host_id := k.host_id; environment := k.environment; scopes := k.scopes;
    expires_at := k.expires_at; revoked_at := k.revoked_at; deactivated_at := k.deactivated_at;
    last_used_at := k.last_used_at;
    quota := case k.environment when 'production' then production_limit else sandbox_limit end;
    if quota = 0 or k.revoked_at is not null or k.deactivated_at is not null
      or k.expires_at <= coalesce(given_now, extract(epoch from clock_timestamp()) * 1000) then
      decided_at := null;
      return next;
      continue;
    end if;

    -- Whoever holds this lock decides about the key's next requests. Everybody names keys in the same order, so nobody
    -- waits for somebody who waits for them.
    perform pg_advisory_xact_lock(hashtextextended(k.id::text, 0));
    select * into w from rate_windows where key_id = k.id;
    if not found then
      insert into rate_windows values (k.id, quota, 0, 0, 0) returning * into w;
    end if;
    if w.ring < quota then
      -- The operator has raised the limit: what is remembered moves into a longer ring. After a lower limit the ring
      -- stays, so that nothing is forgotten should it be raised again.
      select array_agg(at order by (w.admitted - 1 - slot) % w.ring) into newest
        from rate_slots where key_id = k.id;
      delete from rate_slots where key_id = k.id;
      insert into rate_slots select k.id, (w.admitted - age) % quota, newest[age]
        from generate_subscripts(newest, 1) as age;
      w.ring := quota;
    end if;
    decided_at := greatest(coalesce(given_now, extract(epoch from clock_timestamp()) * 1000), w.decided_at);
    gone := decided_at - 60000;

    -- Find the oldest that is still in the window. Times only grow, so look ahead in longer and longer steps from where
    -- the last one was, then halve the distance.
    w.live_from := greatest(w.live_from, w.admitted - w.ring);
    last := w.admitted;
    step := 1;
    while w.live_from < last loop
      middle := least(w.live_from + step, last) - 1;
      select at into oldest from rate_slots where key_id = k.id and slot = middle % w.ring;
      if oldest > gone then
        last := middle;
        exit;
      end if;
      w.live_from := middle + 1;
      step := step * 2;
    end loop;
    while w.live_from < last loop
      middle := (w.live_from + last) / 2;
      select at into oldest from rate_slots where key_id = k.id and slot = middle % w.ring;
      if oldest > gone then last := middle; else w.live_from := middle + 1; end if;
    end loop;

    used := w.admitted - w.live_from;
    let_in := greatest(0, least(requests[nth], quota - used));
    if let_in = 1 then
      insert into rate_slots values (k.id, w.admitted % w.ring, decided_at)
        on conflict (key_id, slot) do update set at = excluded.at;
    elsif let_in > 1 then
      insert into rate_slots select k.id, nr % w.ring, decided_at
        from generate_series(w.admitted, w.admitted + let_in - 1) as nr
        on conflict (key_id, slot) do update set at = excluded.at;
    end if;
    if used = 0 then
      oldest := decided_at;
    elsif middle <> w.live_from then
      select at into oldest from rate_slots where key_id = k.id and slot = w.live_from % w.ring;
    end if;
    w.admitted := w.admitted + let_in;
    frees := null;
    if let_in < requests[nth] then
      -- The others are told when they would be admitted: when the request that lies a limit's length back leaves.
      select at into frees from rate_slots where key_id = k.id and slot = (w.admitted - quota) % w.ring;
    end if;
    update rate_windows set ring = w.ring, admitted = w.admitted, live_from = w.live_from,
      decided_at = admit_requests.decided_at where key_id = k.id;
    return next;
  end loop;
end $$;
