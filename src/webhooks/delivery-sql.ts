import { read, write } from '../db/database.ts';
import type { EventType } from '../events/events.ts';
import type { Environment } from '../ids/api-key.ts';

/** One receiver that fails is asked with one delivery at a time, until it succeeds again. */
const FAILING_LIMIT = 1;

const LIMIT = `case when w.failing_since is null then cast($2 as integer) else ${FAILING_LIMIT} end`;

/** "> ''" says "not null" and leads both engines to the index of the few that are leased. */
const IN_FLIGHT = `select webhook_id, count(*) as taken from deliveries
  where lease_token > '' and due_at > $1 group by webhook_id`;

/** Of a look at some of the subscriptions for which something waits: which have something due, and room for it. */
interface Look {
  /** How many subscriptions were looked at, and the last of them. */
  lanes: number;
  last: string | null;
  /** One of those that are ready, in random order; null when there is none. */
  id: string | null;
  /** How many may be in flight to it. */
  most: number;
}

/** So many take about 3 ms on PostgreSQL and half of one on SQLite. */
export const LANES_AT_ONCE = 200;

/**
 * The next subscriptions after $4 for which something waits. They are found by skipping through the index from one
 * to the next, so that a long queue of one of them costs no more than a short one. (A window function over all due
 * rows reads the whole backlog, each time.) And only so many at a time: with 150 000 of them all in one statement took
 * two seconds, and deliveries stopped.
 */
function look(attempts: '= 0' | '> 0') {
  const waiting = `status = 'pending' and attempts ${attempts}`;
  const after = (id: string): string =>
    `(select webhook_id from deliveries where ${waiting} and webhook_id > ${id} order by webhook_id limit 1)`;
  return read<Look>(`
  with recursive lane (webhook_id, n) as (
    select ${after('$4')}, 1
    union all
    select ${after('lane.webhook_id')}, n + 1 from lane where webhook_id is not null and n < ${LANES_AT_ONCE}
  ), ready as (
    select w.id, ${LIMIT} as most
    from lane join webhooks w on w.id = lane.webhook_id left join (${IN_FLIGHT}) f on f.webhook_id = w.id
    where w.is_active = 1 and coalesce(f.taken, 0) < ${LIMIT}
      and exists (select 1 from deliveries where ${waiting} and webhook_id = w.id and due_at <= $1)
    order by random() limit $3
  )
  select seen.lanes, seen.last, ready.id, ready.most
  from (select count(webhook_id) as lanes, max(webhook_id) as last from lane) as seen left join ready on true`);
}

/**
 * The outer guard is judged on the row as it is when it is locked. It says less than the inner one on purpose:
 * with all of it SQLite would walk the index of what is due, all the backlog, instead of the few chosen ids.
 */
function claim(attempts: '= 0' | '> 0') {
  return write(`
  update deliveries set lease_token = $3, due_at = $4
  where webhook_id = $1 and status = 'pending' and due_at <= $2 and event_id in (
    select event_id from deliveries
    where status = 'pending' and attempts ${attempts} and webhook_id = $1 and due_at <= $2
      and exists (select 1 from webhooks where id = $1 and is_active = 1)
    order by due_at limit $5)`);
}

export const first = { look: look('= 0'), claim: claim('= 0') };
export const again = { look: look('> 0'), claim: claim('> 0') };

export const countInFlight = read<{ webhook_id: string; taken: number }>(IN_FLIGHT);

export interface ClaimedRow {
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

/** Without those of a subscription that was deleted in the same moment: it has no secret any more. */
export const selectClaimed = read<ClaimedRow>(`
  select d.event_id, d.webhook_id, d.attempts, d.lease_token, d.due_at, e.type, e.data, e.created_at,
    w.environment, w.url, w.secret, w.old_secrets
  from deliveries d join events e on e.id = d.event_id join webhooks w on w.id = d.webhook_id
  where d.lease_token = $1 and w.deleted_at is null`);

/** Only with the lease's own token: a worker that comes back late finds nothing of its own to overwrite. */
export const recordAttempt = write(`
  update deliveries set status = $4, attempts = attempts + 1, due_at = $5, lease_token = null,
    last_attempt_at = $6, response_status = $7, error = $8
  where event_id = $1 and webhook_id = $2 and lease_token = $3`);

export const releaseLease = write(`
  update deliveries set lease_token = null, due_at = $4
  where event_id = $1 and webhook_id = $2 and lease_token = $3`);

export const releaseAllLeases = write(`
  update deliveries set lease_token = null, due_at = $1 where lease_token > ''`);

export const noteSuccess = write(`
  update webhooks set failing_since = null where id = $1 and failing_since is not null`);

/** What failed may have gone to an address that the subscription no longer has; that says nothing about the new one. */
export const noteFailure = write(`
  update webhooks set failing_since = $2 where id = $1 and url = $3 and failing_since is null`);

export const disableGone = write(`
  update webhooks set is_active = 0, disabled_reason = 'receiver_gone', updated_at = $2
  where id = $1 and url = $3 and is_active = 1`);

export const disableFailing = write(`
  update webhooks set is_active = 0, disabled_reason = 'five_days_of_failures', updated_at = $2
  where id = $1 and is_active = 1 and failing_since <= $3`);
