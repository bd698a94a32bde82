import type { Caller } from '../caller.ts';
import * as audit from '../audit/audit.ts';
import type { Context } from '../context.ts';
import type { Sql, Tx } from '../db/database.ts';
import { DatabaseAway, invalid, notFound } from '../errors.ts';
import {
  chosen,
  fromRequest,
  initialValues,
  isShownToHost,
  toCells,
  toRecord,
  type Row,
} from '../fields/fields.ts';
import { newId } from '../ids/uuid.ts';
import { checkUrl } from '../outbound/guard.ts';
import { requireKnownKey } from '../secret-key/secret-key.ts';
import { timestampOrNull, toTimestamp } from '../time/clock.ts';
import { WEBHOOK, type Subscription, type WebhookRow } from './fields.ts';
import {
  MAX_WEBHOOKS_PER_ENVIRONMENT,
  type CreateWebhook,
  type Delivery,
  type UpdateWebhook,
  type Webhook,
} from './schemas.ts';
import { hasten, hastenRest } from './pending.ts';
import { afterRotation } from '../secrets/signing-secrets.ts';
import { newSecret } from './signature.ts';
import * as sql from './sql.ts';

export async function list(ctx: Context, caller: Caller): Promise<Webhook[]> {
  const rows = await ctx.db.all(sql.selectWebhooks, [caller.hostId, caller.environment]);
  // One look-up for each: no statement for all of them together walks the index on PostgreSQL.
  return Promise.all(rows.map(async (row) => toWebhook(row, await recentOf(ctx.db, row))));
}

/** Only this answer shows the secret. */
export async function create(ctx: Context, caller: Caller, wanted: CreateWebhook): Promise<Webhook> {
  await requireUsableUrl(ctx, wanted.url);
  const id = newId();
  const secret = newSecret();
  const now = ctx.clock.now();
  const row = {
    ...toCells(WEBHOOK, { ...initialValues(WEBHOOK), ...wanted }),
    id,
    host_id: caller.hostId,
    environment: caller.environment,
    secret: ctx.secrets.seal(id, secret),
    created_at: now,
    updated_at: now,
  } as WebhookRow;
  await ctx.db.transaction(async (tx) => {
    await requireKnownKey(tx, row.secret);
    const [, counted] = await Promise.all([
      // Two creations at once must not both count 19.
      tx.lock(`webhooks of ${caller.hostId}`),
      tx.get(sql.countWebhooks, [caller.hostId, caller.environment]),
    ]);
    if ((counted?.count ?? 0) >= MAX_WEBHOOKS_PER_ENVIRONMENT)
      throw invalid(
        'webhooks',
        `are limited to ${MAX_WEBHOOKS_PER_ENVIRONMENT} per environment; delete one first`,
      );
    await Promise.all([
      tx.run(sql.insertWebhook, sql.webhookValues(row)),
      noted(tx, now, caller, 'webhook.created', id),
    ]);
  });
  return { ...toWebhook(row, []), secret };
}

/**
 * Re-activated or with a new address, it gets at once what waits for it, retries too. An attempt that is under way goes on
 * to the old address.
 */
export async function update(
  ctx: Context,
  caller: Caller,
  webhookId: string,
  changes: UpdateWebhook,
): Promise<Webhook> {
  if (changes.url !== undefined) await requireUsableUrl(ctx, changes.url);
  const secret = changes.rotate_secret === true ? newSecret() : undefined;
  const { webhook, moreWaits } = await ctx.db.transaction(async (tx) => {
    const now = ctx.clock.now();
    const before = await tx.get(sql.touchWebhook, [caller.hostId, caller.environment, webhookId, now]);
    if (before === undefined) throw notFound('no such webhook');
    if (changes.is_active === true && before.disabled_reason === 'operator')
      throw invalid(
        'is_active',
        'cannot be true: the operator has disabled this webhook, and only they can enable it again',
      );
    const row = changed(before, changes);
    if (secret !== undefined) {
      row.old_secrets = afterRotation(before, now);
      row.secret = ctx.secrets.seal(webhookId, secret);
      await requireKnownKey(tx, row.secret);
    }
    await tx.run(sql.updateWebhook, sql.webhookValues(row));
    const differences = changesOf(before, row);
    if (Object.keys(differences).length > 0)
      await noted(tx, now, caller, 'webhook.updated', webhookId, differences);
    if (secret !== undefined)
      await noted(tx, now, caller, 'webhook.secret_rotated', webhookId, { secret: audit.CHANGED });
    const moreWaits = startsAnew(before, row) && (await hasten(tx, caller.hostId, webhookId, now));
    return { webhook: toWebhook(row, await recentOf(tx, row)), moreWaits };
  });
  if (moreWaits) await hastenRest(ctx, caller.hostId, webhookId).catch(committedBefore);
  return secret === undefined ? webhook : { ...webhook, secret };
}

/** The change stands, though not all that waits is due yet. */
function committedBefore(error: unknown): never {
  throw error instanceof DatabaseAway ? new DatabaseAway(error.cause, 'unknown') : error;
}

/** Re-activated or moved. */
function startsAnew(before: WebhookRow, row: WebhookRow): boolean {
  return row.url !== before.url || row.is_active > before.is_active;
}

/** The URL as its origin, also where only its path is another. */
function changesOf(before: WebhookRow, after: WebhookRow): audit.Changes {
  const { url, ...changes } = audit.differences(toSubscription(before), toSubscription(after));
  if (url === undefined) return changes;
  return { url: [audit.originOf(before.url), audit.originOf(after.url)], ...changes };
}

/**
 * A re-activated or moved subscription starts without a record of failures. One that the host pauses has no
 * disabled_reason, unless the operator disabled it: that stays, or the host could undo it.
 */
function changed(before: WebhookRow, changes: UpdateWebhook): WebhookRow {
  const row = { ...before, ...toCells(WEBHOOK, fromRequest(WEBHOOK, changes)) };
  return {
    ...row,
    ...(changes.is_active !== undefined &&
      before.disabled_reason !== 'operator' && { disabled_reason: null }),
    ...(startsAnew(before, row) && { failing_since: null }),
  };
}

/** Its pending deliveries are dropped. */
export async function remove(ctx: Context, caller: Caller, webhookId: string): Promise<void> {
  const key = [caller.hostId, caller.environment, webhookId];
  await ctx.db.transaction(async (tx) => {
    const now = ctx.clock.now();
    const deleted = await tx.run(sql.deleteWebhook, [...key, now]);
    if (deleted === 0) throw notFound('no such webhook');
    await noted(tx, now, caller, 'webhook.deleted', webhookId);
  });
}

/** Writes the audit trail's entry for a change by the host. */
async function noted(
  tx: Tx,
  now: number,
  { hostId, environment, actor }: Caller,
  action: audit.Action,
  subject: string,
  changes?: audit.Changes,
): Promise<void> {
  await audit.record(tx, now, actor, { action, hostId, environment, subject, changes });
}

async function requireUsableUrl(ctx: Context, url: string): Promise<void> {
  const reason = await checkUrl(ctx.guard, url);
  if (reason !== null) throw invalid('url', reason);
}

async function recentOf(db: Sql, row: WebhookRow): Promise<sql.RecentRow[]> {
  return db.all(sql.selectRecent, [row.host_id, row.id]);
}

function toWebhook(row: WebhookRow, recent: readonly sql.RecentRow[]): Webhook {
  return { ...toSubscription(row), recent_deliveries: recent.map(toDelivery) };
}

const SHOWN = chosen(WEBHOOK, isShownToHost);

function toSubscription(row: WebhookRow): Subscription {
  return toRecord(SHOWN, row as unknown as Row) as Subscription;
}

export function toDelivery(row: sql.RecentRow): Delivery {
  const waiting = row.status === 'pending' && row.lease_token === null;
  return {
    event_id: row.event_id,
    type: row.type,
    status: row.status,
    attempts: row.earlier_attempts + row.attempts,
    response_status: row.response_status,
    error: row.error,
    last_attempt_at: timestampOrNull(row.last_attempt_at),
    next_attempt_at: waiting ? toTimestamp(Math.max(row.due_at, row.created_at)) : null,
  };
}
