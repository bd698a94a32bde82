import { read, write } from '../db/database.ts';
import type { EventType } from '../events/events.ts';
import type { Environment } from '../ids/api-key.ts';
import { NO_ID } from '../ids/uuid.ts';

/** A failing receiver gets one delivery at a time until one succeeds. */
const FAILING_LIMIT = 1;

const LIMIT = `case when w.failing_since is null then cast($2 as integer) else ${FAILING_LIMIT} end`;

/** "> NO_ID" means "not null", written so that both engines use the small index of leased deliveries. */
const IN_FLIGHT = `select webhook_id, count(*) as taken from deliveries
  where lease_token > '${NO_ID}' and due_at > $1 group by webhook_id`;

/** A subscription for which something may be pending. */
export interface PendingRow {
  host_id: string;
  id: string;
  /** How many may be in flight to it. */
  most: number;
  /** How many are. */
  taken: number;
  /** Whether a first attempt is due, and whether a retry is: 0 or 1. */
  first: number;
  again: number;
}

/** 200 take about 3 ms on PostgreSQL and half of one on SQLite. */
export const PAGE_ROWS = 200;

const isDue = (attempts: '= 0' | '> 0'): string => `case when exists (
      select 1 from deliveries d where d.host_id = w.host_id and d.webhook_id = w.id and d.status = 'pending'
        and d.attempts ${attempts} and d.due_at <= $1) then 1 else 0 end`;

/**
 * One page of subscriptions of active hosts with something pending, after host $3 and subscription $4, and which of them have
 * deliveries due and room for them. Only the first row of each queue is read, so a long queue costs no more than a
 * short one. (A window function over all due rows would read the whole backlog each time.)
 */
export const selectPending = read<PendingRow>(`
  select w.host_id, w.id, ${LIMIT} as most, coalesce(f.taken, 0) as taken,
    ${isDue('= 0')} as first,
    ${isDue('> 0')} as again
  from (
    select host_id, id, failing_since from webhooks
    where has_pending = 1 and is_active = 1 and (host_id, id) > ($3, $4)
      and exists (select 1 from hosts h where h.id = webhooks.host_id and h.deactivated_at is null)
    order by host_id, id limit ${PAGE_ROWS}) as w
  left join (${IN_FLIGHT}) f on f.webhook_id = w.id
  order by w.host_id, w.id`);

/**
 * The outer condition is checked again on the locked row. It leaves out `attempts` on purpose: with it SQLite would
 * scan the index of everything due instead of the few chosen ids. Those are chosen first: while PostgreSQL has no
 * statistics, it would choose them anew for each row of the queue.
 */
function claim(attempts: '= 0' | '> 0') {
  return write(`
  with chosen as materialized (
    select event_id from deliveries
    where host_id = $1 and webhook_id = $2 and status = 'pending' and attempts ${attempts} and due_at <= $3
      and exists (
        select 1 from webhooks w join hosts h on h.id = $1
        where w.host_id = $1 and w.id = $2 and w.is_active = 1 and h.deactivated_at is null)
    order by due_at limit $6)
  update deliveries set lease_token = $4, due_at = $5
  where host_id = $1 and webhook_id = $2 and status = 'pending' and due_at <= $3
    and event_id in (select event_id from chosen)`);
}

export const claimFirst = claim('= 0');
export const claimAgain = claim('> 0');

export const countInFlight = read<{ webhook_id: string; taken: number }>(IN_FLIGHT);

export interface ClaimedRow {
  host_id: string;
  event_id: string;
  webhook_id: string;
  attempts: number;
  lease_token: string;
  /** When the lease ends. */
  due_at: number;
  type: EventType;
  data: string;
  created_at: number;
  environment: Environment;
  url: string;
  secret: string;
  old_secrets: string;
}

/**
 * Leaves out subscriptions that were deleted meanwhile: they have no secret any more. The leased ones are collected
 * first: while PostgreSQL has no statistics, it would go through all events of all subscriptions (1.1 s among 6 400).
 */
export const selectClaimed = read<ClaimedRow>(`
  with claimed as materialized (
    select host_id, event_id, webhook_id, attempts, lease_token, due_at from deliveries where lease_token = $1)
  select d.host_id, d.event_id, d.webhook_id, d.attempts, d.lease_token, d.due_at, e.type, e.data, e.created_at,
    w.environment, w.url, w.secret, w.old_secrets
  from claimed d
    join events e on e.host_id = d.host_id and e.id = d.event_id
    join webhooks w on w.host_id = d.host_id and w.id = d.webhook_id
  where w.deleted_at is null`);

/** Needs the token of the lease, so that a worker that comes back late cannot overwrite another's result. */
export const recordAttempt = write(`
  update deliveries set status = $5, attempts = attempts + 1, due_at = $6, lease_token = null,
    last_attempt_at = $7, response_status = $8, error = $9
  where host_id = $1 and webhook_id = $2 and event_id = $3 and lease_token = $4`);

export const releaseLease = write(`
  update deliveries set lease_token = null, due_at = $5
  where host_id = $1 and webhook_id = $2 and event_id = $3 and lease_token = $4`);

export const releaseAllLeases = write(`
  update deliveries set lease_token = null, due_at = $1 where lease_token > '${NO_ID}'`);

export const noteSuccess = write(`
  update webhooks set failing_since = null where host_id = $1 and id = $2 and failing_since is not null`);

export const forgetFailures = write(`
  update webhooks set failing_since = null where host_id = $1 and failing_since is not null`);

/** Only for the address that was tried: a failure at an old address says nothing about the new one. */
export const noteFailure = write(`
  update webhooks set failing_since = $3 where host_id = $1 and id = $2 and url = $4 and failing_since is null`);

export const disableGone = write(`
  update webhooks set is_active = 0, disabled_reason = 'receiver_gone', updated_at = $3
  where host_id = $1 and id = $2 and url = $4 and is_active = 1`);

export const disableFailing = write(`
  update webhooks set is_active = 0, disabled_reason = 'five_days_of_failures', updated_at = $3
  where host_id = $1 and id = $2 and is_active = 1 and failing_since <= $4`);
