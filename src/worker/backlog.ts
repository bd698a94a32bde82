import { PLANNED_EACH_TIME, read, type Read } from '../db/database.ts';
import { HOUR_MS } from '../time/units.ts';
import { FIRST_ATTEMPTS, RETRIES_AND_LEASED } from '../webhooks/queue.ts';

/** Counted no further than this, so that a look costs the same whatever has piled up. */
export const MAX_COUNTED = 10_000;

export interface Waiting {
  readonly count: number;
  /** When the oldest of their events was made; null when there is none. */
  readonly oldest: number | null;
}

/**
 * Deliveries that a worker would send. Those of inactive subscriptions and hosts wait for somebody to activate them,
 * perhaps for ever. The joins are in the order in which SQLite is to take them, and "unindexed" keeps it from going
 * through all deliveries that the host ever had. Ids of events sort by time.
 */
function waitingThat(...conditions: string[]): Read<Waiting> {
  const found = conditions.map(
    (condition) => `
    select d.host_id, d.event_id from webhooks w cross join hosts h cross join deliveries d
    where w.has_pending = 1 and w.is_active = 1 and h.id = w.host_id and h.deactivated_at is null
      and unindexed(d.host_id) = w.host_id and d.webhook_id = w.id and ${condition}`,
  );
  return read(
    `
  with waiting as (${found.join(' union all ')}
    limit ${MAX_COUNTED}),
  first as (select host_id, event_id from waiting order by event_id limit 1)
  select (select count(*) from waiting) as count,
    (select e.created_at from first cross join events e where e.host_id = first.host_id and e.id = first.event_id) as oldest`,
    PLANNED_EACH_TIME,
  );
}

/** First attempts, those in a worker's hands too. */
const untriedThat = (condition: string): Read<Waiting> =>
  waitingThat(
    `${FIRST_ATTEMPTS} and ${condition}`,
    `${RETRIES_AND_LEASED} and d.attempts = 0 and ${condition}`,
  );

/** A receiver that fails gets one delivery at a time, so what piles up behind it says nothing about the worker. */
export const waiting = {
  fresh: untriedThat('w.failing_since is null'),
  stuck: untriedThat('w.failing_since is not null'),
  again: waitingThat(`${RETRIES_AND_LEASED} and d.attempts > 0`),
};

/** Rows of deleted ones stay for a while. */
export const countDisabled = read<{ count: number }>(`
  select count(*) as count from (
    select 1 from webhooks where disabled_reason is not null and deleted_at is null limit ${MAX_COUNTED}) as found`);

/** An hour of nothing but failures: a receiver that is restarted is back sooner. */
const FAILING_FOR_MS = HOUR_MS;

/** At the instant $1. Those of hosts that are not active are not tried. */
export const countFailingWebhooks = read<{ count: number }>(`
  select count(*) as count from (
    select 1 from webhooks w cross join hosts h
    where w.failing_since is not null and w.failing_since <= $1::bigint - ${FAILING_FOR_MS} and w.is_active = 1 and w.deleted_at is null
      and h.id = w.host_id and h.deactivated_at is null limit ${MAX_COUNTED}) as found`);

/** Calendars of hosts that are not active are not polled. */
export const countFailing = read<{ count: number }>(`
  select count(*) as count from (
    select 1 from calendars c cross join hosts h
    where c.failures > 0 and h.id = c.host_id and h.deactivated_at is null limit ${MAX_COUNTED}) as found`);
