import { read, write } from '../db/database.ts';
import type { EventType } from '../events/events.ts';
import type { Environment } from '../ids/api-key.ts';
import type { DELIVERY_STATUSES, DISABLED_REASONS } from './schemas.ts';

export interface WebhookRow {
  id: string;
  host_id: string;
  environment: Environment;
  url: string;
  events: string;
  description: string | null;
  is_active: number;
  disabled_reason: (typeof DISABLED_REASONS)[number] | null;
  secret: string;
  old_secrets: string;
  failing_since: number | null;
  created_at: number;
  updated_at: number;
}

const FIELDS = [
  'host_id',
  'id',
  'environment',
  'url',
  'events',
  'description',
  'is_active',
  'disabled_reason',
  'secret',
  'old_secrets',
  'failing_since',
  'created_at',
  'updated_at',
] as const satisfies (keyof WebhookRow)[];

const COLUMNS = FIELDS.join(', ');

export const selectWebhooks = read<WebhookRow>(`
  select ${COLUMNS} from webhooks
  where host_id = $1 and environment = $2 and deleted_at is null order by id`);

export const countWebhooks = read<{ count: number }>(`
  select count(*) as count from webhooks where host_id = $1 and environment = $2 and deleted_at is null`);

export const insertWebhook = write(`
  insert into webhooks (${COLUMNS}) values (${FIELDS.map((_, i) => `$${i + 1}`).join(', ')})`);

export function webhookValues(row: WebhookRow): (string | number | null)[] {
  return FIELDS.map((field) => row[field]);
}

/** Reads the row and locks it for the update that follows. */
export const touchWebhook = write<WebhookRow>(`
  update webhooks set updated_at = $4
  where host_id = $1 and environment = $2 and id = $3 and deleted_at is null
  returning ${COLUMNS}`);

export const updateWebhook = write(`
  update webhooks set url = $3, events = $4, description = $5, is_active = $6, disabled_reason = $7, secret = $8,
    old_secrets = $9, failing_since = $10
  where host_id = $1 and id = $2`);

export const deleteWebhook = write(`
  update webhooks set deleted_at = $4, is_active = 0, secret = '', old_secrets = '[]'
  where host_id = $1 and environment = $2 and id = $3 and deleted_at is null`);

export interface RecentRow {
  event_id: string;
  type: EventType;
  status: (typeof DELIVERY_STATUSES)[number];
  attempts: number;
  due_at: number;
  /** When the event was made. */
  created_at: number;
  lease_token: string | null;
  last_attempt_at: number | null;
  response_status: number | null;
  error: string | null;
}

export const RECENT_COLUMNS = `d.event_id, e.type, d.status, d.attempts, d.due_at, e.created_at, d.lease_token,
    d.last_attempt_at, d.response_status, d.error`;

export const selectRecent = read<RecentRow>(`
  select ${RECENT_COLUMNS}
  from deliveries d join events e on e.host_id = $1 and e.id = d.event_id
  where d.host_id = $1 and d.webhook_id = $2 order by d.event_id desc limit 10`);
