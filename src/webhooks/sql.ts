import type { Owned } from '../caller.ts';
import { read, write } from '../db/database.ts';
import type { EventType } from '../events/events.ts';
import { assignments, placeholders, stored } from '../fields/fields.ts';
import type { Environment } from '../ids/api-key.ts';
import { WEBHOOK, type WebhookRow } from './fields.ts';
import { FIRST_ATTEMPTS, RETRIES_AND_LEASED } from './queue.ts';
import type { DELIVERY_STATUSES } from './schemas.ts';

const COLUMN_NAMES = stored(WEBHOOK).columns as (keyof WebhookRow)[];
const COLUMNS = COLUMN_NAMES.join(', ');

export const selectWebhooks = read<WebhookRow>(`
  select ${COLUMNS} from webhooks
  where host_id = $1 and environment = $2 and deleted_at is null order by id`);

export const countWebhooks = read<{ count: number }>(`
  select count(*) as count from webhooks where host_id = $1 and environment = $2 and deleted_at is null`);

export const insertWebhook = write(`
  insert into webhooks (${COLUMNS}) values (${placeholders(COLUMN_NAMES)})`);

export function webhookValues(row: WebhookRow): (string | number | null)[] {
  return COLUMN_NAMES.map((column) => row[column]);
}

/** Reads the row and locks it for the update that follows. */
export const touchWebhook = write<WebhookRow>(`
  update webhooks set updated_at = $4
  where host_id = $1 and environment = $2 and id = $3 and deleted_at is null
  returning ${COLUMNS}`);

/** All but the first three, which name the subscription. */
export const updateWebhook = write(`
  update webhooks set ${assignments(COLUMN_NAMES.slice(3), 4)} where id = $1 and host_id = $2 and environment = $3`);

export const deleteWebhook = write(`
  update webhooks set deleted_at = $4, is_active = 0, secret = '', old_secrets = '[]'
  where host_id = $1 and environment = $2 and id = $3 and deleted_at is null`);

export interface RecentRow {
  event_id: string;
  type: EventType;
  status: (typeof DELIVERY_STATUSES)[number];
  /** Since it was last put into the queue, and before that. */
  attempts: number;
  earlier_attempts: number;
  due_at: number;
  /** When the event was made. */
  created_at: number;
  lease_token: string | null;
  last_attempt_at: number | null;
  response_status: number | null;
  error: string | null;
}

const RECENT_COLUMNS = `d.event_id, e.type, d.status, d.attempts, d.earlier_attempts, d.due_at, e.created_at, d.lease_token,
    d.last_attempt_at, d.response_status, d.error`;

export const selectRecent = read<RecentRow>(`
  select ${RECENT_COLUMNS}
  from deliveries d join events e on e.host_id = $1 and e.id = d.event_id
  where d.host_id = $1 and d.webhook_id = $2 order by d.event_id desc limit 10`);

// For operators.

export interface OverviewRow {
  id: string;
  host_id: string;
  host_name: string;
  environment: Environment;
  url: string;
  events: string;
  is_active: number;
  disabled_reason: WebhookRow['disabled_reason'];
  /** The first failed attempt since the last success. */
  failing_since: number | null;
  pending: number;
  failed: number;
  last_delivered_at: number | null;
}

/** Counts go no further than this: 100 000 take a tenth of a second, a backlog of millions would take many. */
export const MAX_COUNTED_DELIVERIES = 100_000;

const OF_THIS = 'd.host_id = w.host_id and d.webhook_id = w.id';

/** Each condition is the one of an index, so that only rows that are counted are read. */
const counted = (condition: string): string => `(
    select count(*) from (select 1 from deliveries d where ${OF_THIS} and ${condition} limit ${MAX_COUNTED_DELIVERIES}) as found)`;

/**
 * The subscriptions of host $1, or the one with id $2, or all; of these only failing ($3) or disabled ($4) ones; newest first. last_delivered_at is looked for among the
 * newest hundred deliveries, and if all of these wait or were given up, further back until one is found that was not.
 */
export const selectOverview = read<OverviewRow>(`
  select w.id, w.host_id, h.name as host_name, w.environment, w.url, w.events, w.is_active, w.disabled_reason, w.failing_since,
    ${counted(FIRST_ATTEMPTS)} + ${counted(RETRIES_AND_LEASED)} as pending,
    ${counted(`d.status = 'failed'`)} as failed,
    coalesce((
      select max(r.last_attempt_at) from (
        select d.status, d.last_attempt_at from deliveries d where ${OF_THIS} order by d.event_id desc limit 100) as r
      where r.status = 'delivered'), (
      select d.last_attempt_at from deliveries d where ${OF_THIS} and d.status = 'delivered'
      order by d.event_id desc limit 1)) as last_delivered_at
  from webhooks w join hosts h on h.id = w.host_id
  where ($1::uuid is null or w.host_id = $1::uuid) and ($2::uuid is null or w.id = $2::uuid)
    and ($3 = 0 or w.failing_since is not null) and ($4 = 0 or w.disabled_reason is not null)
    and w.deleted_at is null
  order by w.id desc`);

const OF_WEBHOOK = 'from deliveries where host_id = $1 and webhook_id = $2';

/** Those of a delivery that RECENT_COLUMNS shows. */
const OF_DELIVERY =
  'event_id, status, attempts, earlier_attempts, due_at, lease_token, last_attempt_at, response_status, error';

/** With what the operator alone is shown. */
export interface TracedRow extends RecentRow {
  data: string;
  request_id: string | null;
}

/** The newest $3 of any status, or of status $4. */
export const selectNewest = read<TracedRow>(`
  select ${RECENT_COLUMNS}, e.data, e.request_id
  from (
    select ${OF_DELIVERY} ${OF_WEBHOOK} and ($4::text is null or status = $4::text)
    order by event_id desc limit $3) as d
  join events e on e.host_id = $1 and e.id = d.event_id
  order by d.event_id desc`);

export interface EventRow {
  id: string;
  type: EventType;
  host_id: string;
  environment: Environment;
  data: string;
  created_at: number;
  request_id: string | null;
}

/** The operator knows only the event's id, but the key begins with the host: this tries every host. */
export const selectEvent = read<EventRow>(`
  select id, type, host_id, environment, data, created_at, request_id from events
  where host_id in (select id from hosts) and id = $1`);

export interface EventDeliveryRow extends RecentRow {
  webhook_id: string;
  url: string;
}

/** One event to all subscriptions that wanted it: at most forty, so each is looked up. */
export const selectOfEvent = read<EventDeliveryRow>(`
  select w.id as webhook_id, w.url, ${RECENT_COLUMNS}
  from webhooks w join deliveries d on d.host_id = $1 and d.webhook_id = w.id and d.event_id = $2
    join events e on e.host_id = $1 and e.id = $2
  where w.host_id = $1 order by w.id desc`);

/** The operator knows only the id. No index has it in front, but subscriptions are few: at most forty a host. */
export const disable = write<Owned>(`
  update webhooks set is_active = 0, disabled_reason = 'operator', updated_at = $2
  where id = $1 and deleted_at is null and (disabled_reason is null or disabled_reason <> 'operator')
  returning host_id, environment`);

/** As when the host re-activates it: without a record of failures. */
export const enable = write<Owned>(`
  update webhooks set is_active = 1, disabled_reason = null, failing_since = null, updated_at = $2
  where id = $1 and deleted_at is null and is_active = 0 returning host_id, environment`);

/** Locks the subscription before its deliveries, in the order of a worker that records results. */
export const notePending = write(`
  update webhooks set has_pending = 1 where host_id = $1 and id = $2 and is_active = 1 and deleted_at is null`);

export const selectLease = read<{ lease_token: string | null }>(`
  select lease_token ${OF_WEBHOOK} and event_id = $3`);

/** Starts over at $4, now, with all its attempts, as if the event had just been made. */
const START_OVER = `set status = 'pending', earlier_attempts = earlier_attempts + attempts, attempts = 0, due_at = $4, lease_token = null`;

/** Not while a worker has it: it is being sent then. */
export const resendEvent = write(`
  update deliveries ${START_OVER}
  where host_id = $1 and webhook_id = $2 and event_id = $3 and (lease_token is null or due_at <= $4)`);

/**
 * Of events made since $3. Looked up one by one, not joined: as long as PostgreSQL has no statistics of a table, it
 * takes it for empty and compares every row with every other.
 */
const SINCE = `(
    select e.created_at from events e where e.host_id = deliveries.host_id and e.id = deliveries.event_id) >= $3`;

export const countFailed = read<{ count: number }>(`
  select count(*) as count ${OF_WEBHOOK} and status = 'failed' and ${SINCE}`);

/** The first event after $3 and $4 further ones that was given up. */
export const selectFailedAhead = read<{ event_id: string }>(`
  select event_id ${OF_WEBHOOK} and status = 'failed' and event_id > $3 order by event_id limit 1 offset $4`);

/** Those after event $5, up to $6. */
export const resendFailed = write(`
  update deliveries ${START_OVER}
  where host_id = $1 and webhook_id = $2 and status = 'failed' and event_id > $5 and event_id <= $6 and ${SINCE}`);
