import { read, write } from '../db/database.ts';
import type { EventType } from '../events/events.ts';
import type { Environment } from '../ids/api-key.ts';
import { NO_ID } from '../ids/uuid.ts';
import { again, first } from './queues.ts';

/** A subscription for which something may be pending, and what of it is to be done. */
export interface PendingRow {
  host_id: string;
  id: string;
  environment: Environment;
  url: string;
  secret: string;
  old_secrets: string;
  failing_since: number | null;
  /** The oldest event that was not tried yet, and since when something is to be tried again; null when nothing is due. */
  first: string | null;
  again: number | null;
  /** How many are in flight, and when the first of their leases ends. */
  taken: number;
  leased: number | null;
}

/** 200 take about 3 ms on PostgreSQL and half of one on SQLite. */
export const PAGE_ROWS = 200;

const OF_W = 'd.host_id = w.host_id and d.webhook_id = w.id';

/** Where the look begins in a queue: at the worker's mark, if it has one (progress.ts). */
const markOf = (queue: 'first' | 'again' | 'leased'): string =>
  `($5::jsonb -> cast(w.id as text) ->> '${queue}')`;
const marked = (queue: 'again' | 'leased'): string => `d.due_at >= coalesce(${markOf(queue)}::bigint, 0)`;

/** Nobody has as many in flight. */
const MANY = 1000;

/** Ordered: without statistics PostgreSQL would count by the primary key, through all that the subscription ever had. */
const IN_FLIGHT = `from deliveries d
      where ${OF_W} and ${again('d')} and d.lease_token is not null and d.due_at > $1 and ${marked('leased')}
      order by d.due_at`;

/**
 * One page of subscriptions of active hosts with something pending, after host $2 and subscription $3, and which of them have
 * deliveries due. Locks nothing. Only the first row of each queue is read, so a long queue costs no more than a short
 * one. (A window function over all due rows would read the whole backlog each time.)
 */
export const selectPending = read<PendingRow>(`
  select w.host_id, w.id, w.environment, w.url, w.secret, w.old_secrets, w.failing_since,
    (select d.event_id from deliveries d where ${OF_W} and ${first('d')} and d.due_at <= $1
        and d.event_id >= coalesce(${markOf('first')}::uuid, '${NO_ID}')
      order by d.event_id limit 1) as first,
    (select d.due_at from deliveries d where ${OF_W} and ${again('d')} and d.due_at <= $1 and ${marked('again')}
      order by d.due_at limit 1) as again,
    (select count(*) from (select 1 ${IN_FLIGHT} limit ${MANY}) as found) as taken,
    (select d.due_at ${IN_FLIGHT} limit 1) as leased
  from webhooks w join hosts h on h.id = w.host_id
  where w.has_pending = 1 and w.is_active = 1 and h.deactivated_at is null and (w.host_id, w.id) > ($2, $3)
  order by w.host_id, w.id limit $4`);

interface TakenRow {
  event_id: string;
  attempts: number;
  type: EventType;
  data: string;
  created_at: number;
}

const ofEvent = (column: 'type' | 'data' | 'created_at'): string =>
  `(select e.${column} from events e where e.host_id = $1 and e.id = deliveries.event_id) as ${column}`;

/**
 * Leases at most $6 deliveries that are due, the oldest first, and no more than make $7 in flight. The outer condition is
 * checked again on the locked row. It leaves out the queue's own on purpose: with it SQLite would scan the index of
 * everything due instead of the few chosen ids. While PostgreSQL has no statistics, it would choose anew for each row of the
 * queue (so they are chosen first), and go through all that the subscription ever had to find them (so it is told between
 * which two they are). $8 and $9 are where to begin, as in the look.
 */
function claim(queue: string, key: 'event_id' | 'due_at') {
  return write<TakenRow>(`
  with chosen as materialized (
    select event_id from deliveries
    where host_id = $1 and webhook_id = $2 and ${queue} and due_at <= $3 and ${key} >= $8
      and exists (
        select 1 from webhooks w join hosts h on h.id = $1
        where w.host_id = $1 and w.id = $2 and w.is_active = 1 and w.deleted_at is null and h.deactivated_at is null)
    order by ${key} limit (
      select case when count(*) >= $7 then 0 when $7 - count(*) < $6 then $7 - count(*) else $6 end from (
        select 1 from deliveries
        where host_id = $1 and webhook_id = $2 and ${again()} and lease_token is not null and due_at > $3 and due_at >= $9
        order by due_at limit ${MANY}) as in_flight)
    on_postgres(for update skip locked))
  update deliveries set lease_token = $4, due_at = $5
  where host_id = $1 and webhook_id = $2 and status = 'pending' and due_at <= $3
    and event_id >= (select event_id from chosen order by event_id limit 1)
    and event_id <= (select event_id from chosen order by event_id desc limit 1)
    and event_id in (select event_id from chosen)
  returning event_id, attempts, ${ofEvent('type')}, ${ofEvent('data')}, ${ofEvent('created_at')}`);
}

export const claimFirst = claim(first(), 'event_id');
export const claimAgain = claim(again(), 'due_at');

/**
 * The results of many attempts of one host's deliveries. Needs the token of each lease, so that a worker that comes back
 * late cannot overwrite another's result. The host inside the list makes PostgreSQL expect few rows, so that it looks them
 * up one by one instead of reading all that the host has.
 */
export const recordAttempts = write(`
  with results as materialized (
    select (value ->> 'webhook_id')::uuid as r_webhook_id, (value ->> 'event_id')::uuid as r_event_id,
      (value ->> 'lease_token')::uuid as r_lease_token, value ->> 'status' as r_status,
      (value ->> 'due_at')::bigint as r_due_at, (value ->> 'at')::bigint as r_at,
      (value ->> 'response_status')::smallint as r_response_status, value ->> 'error' as r_error
    from rows_of($2) where (value ->> 'host_id')::uuid = $1)
  update deliveries set status = r_status, attempts = attempts + 1, due_at = r_due_at, lease_token = null,
    last_attempt_at = r_at, response_status = r_response_status, error = r_error
  from results
  where host_id = $1 and webhook_id = r_webhook_id and event_id = r_event_id and lease_token = r_lease_token`);

export const releaseLease = write(`
  update deliveries set lease_token = null, due_at = $5
  where host_id = $1 and webhook_id = $2 and event_id = $3 and lease_token = $4`);

export const releaseAllLeases = write(`
  update deliveries set lease_token = null, due_at = $1 where ${again()} and lease_token is not null`);

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
