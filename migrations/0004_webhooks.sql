-- Who wants to be told what. One host in one environment has at most twenty.
create table webhooks (
  id text primary key,
  host_id text not null references hosts (id),
  environment text not null check (environment in ('production', 'sandbox')),
  url text not null,
  -- names of events, separated by spaces
  events text not null,
  description text,
  is_active integer not null check (is_active in (0, 1)),
  disabled_reason text,
  -- encrypted with the service's key, as are those that signed before: a JSON list of {secret, until}
  secret text not null,
  old_secrets text not null,
  -- since when every attempt has failed; null while the last one was a success
  failing_since bigint,
  created_at bigint not null,
  updated_at bigint not null,
  -- a deleted one is gone for everybody; its row stays until the worker has cleared its deliveries away
  deleted_at bigint
);

create index webhooks_by_host on webhooks (host_id, environment, id);
create index webhooks_deleted on webhooks (deleted_at) where deleted_at is not null;

-- One event for one subscription: the job and its log in one row. It is written in the event's own transaction.
-- There is no reference to webhooks: on PostgreSQL a booking would otherwise fail when a subscription of its
-- host is deleted in the same moment.
create table deliveries (
  event_id text not null,
  webhook_id text not null,
  status text not null check (status in ('pending', 'delivered', 'failed')),
  -- those whose result is known
  attempts integer not null,
  -- when it may be taken; while a worker has it, when that worker's lease ends
  due_at bigint not null,
  lease_token text,
  last_attempt_at bigint,
  response_status integer,
  error text,
  primary key (event_id, webhook_id)
);

-- The last deliveries of a subscription.
create index deliveries_by_webhook on deliveries (webhook_id, event_id);

-- What is to be done, by subscription: first attempts and retries apart, since the first come first.
create index deliveries_first on deliveries (webhook_id, due_at) where status = 'pending' and attempts = 0;
create index deliveries_again on deliveries (webhook_id, due_at) where status = 'pending' and attempts > 0;

-- What workers have in their hands.
create index deliveries_leased on deliveries (lease_token, webhook_id, due_at) where lease_token is not null;

-- What is old enough to be forgotten.
create index events_by_age on events (created_at);

-- Locked by whoever takes deliveries, so that a subscription's limit in flight holds across all workers.
insert into settings (name, value) values ('delivery_claims', '');
