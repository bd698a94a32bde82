import { ownerOf, type Actor } from '../caller.ts';
import * as audit from '../audit/audit.ts';
import type { Context } from '../context.ts';
import type { Tx } from '../db/database.ts';
import { OperatorError } from '../errors.ts';
import * as hosts from '../hosts/hosts.ts';
import { LAST_ID, NO_ID } from '../ids/uuid.ts';
import { timestampOrNull, toTimestamp } from '../time/clock.ts';
import { hasten, hastenRest } from './pending.ts';
import type { Delivery, DELIVERY_STATUSES } from './schemas.ts';
import * as sql from './sql.ts';
import { toDelivery } from './webhooks.ts';

export { MAX_COUNTED_DELIVERIES } from './sql.ts';

// What operators do with subscriptions, whoever's they are.

export type Overview = ReturnType<typeof toOverview>;

/** `failing`: those with a `failing_since`. `disabled`: those with a `disabled_reason`. */
export async function list(
  ctx: Context,
  hostId?: string,
  { failing = false, disabled = false } = {},
): Promise<Overview[]> {
  const values = [hostId ?? null, null, Number(failing), Number(disabled)];
  return (await ctx.db.all(sql.selectOverview, values)).map(toOverview);
}

export async function get(ctx: Context, webhookId: string): Promise<Overview> {
  const row = await ctx.db.get(sql.selectOverview, [null, webhookId, 0, 0]);
  if (row === undefined) throw new OperatorError(`there is no webhook ${webhookId}`);
  return toOverview(row);
}

export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number];

/** Newest first. */
export async function deliveries(
  ctx: Context,
  webhook: Pick<Overview, 'host_id' | 'id'>,
  { status, limit }: { status?: DeliveryStatus | undefined; limit: number },
): Promise<TracedDelivery[]> {
  const rows = await ctx.db.all(sql.selectNewest, [webhook.host_id, webhook.id, limit, status ?? null]);
  return rows.map((row) => ({
    ...toDelivery(row),
    ...subjectOf(row.data),
    request_id: row.request_id,
  }));
}

/** A delivery with what it is about, and the request behind it. */
export interface TracedDelivery extends Delivery, EventSubject {
  request_id: string | null;
}

/** An event with what became of it at each subscription that wanted it. Not what it says, which may name a guest. */
export async function showEvent(ctx: Context, eventId: string) {
  const event = await ctx.db.get(sql.selectEvent, [eventId]);
  if (event === undefined)
    throw new OperatorError(
      `there is no event ${eventId}; events that no subscription wants are not kept, others for EVENT_RETENTION_DAYS`,
    );
  const rows = await ctx.db.all(sql.selectOfEvent, [event.host_id, eventId]);
  const { data, ...facts } = event;
  return {
    ...facts,
    created_at: toTimestamp(event.created_at),
    ...subjectOf(data),
    deliveries: rows.map((row) => ({ webhook_id: row.webhook_id, url: row.url, ...toDelivery(row) })),
  };
}

/** What an event is about; null where it is about none. */
interface EventSubject {
  booking_id: string | null;
  space_id: string | null;
}

/** Of an event's data. */
function subjectOf(data: string): EventSubject {
  const { booking, space, space_id } = JSON.parse(data) as {
    booking?: { id: string; space_id: string };
    space?: { id: string };
    space_id?: string;
  };
  return { booking_id: booking?.id ?? null, space_id: booking?.space_id ?? space?.id ?? space_id ?? null };
}

/** Nothing more is sent until the operator enables it again. What was due is kept. Returns whether that changed anything. */
export async function disable(
  ctx: Context,
  actor: Actor,
  webhookId: string,
  reason: string,
): Promise<boolean> {
  const changed = await ctx.db.transaction(async (tx) => {
    const now = ctx.clock.now();
    const owner = await tx.get(sql.disable, [webhookId, now]);
    if (owner === undefined) return false;
    await audit.record(tx, now, actor, {
      action: 'webhook.disabled',
      ...ownerOf(owner),
      subject: webhookId,
      reason,
    });
    return true;
  });
  if (!changed) await get(ctx, webhookId);
  return changed;
}

/** Sends at once what has been waiting, retries too. Returns whether that changed anything. */
export async function enable(ctx: Context, actor: Actor, webhookId: string): Promise<boolean> {
  const enabled = await ctx.db.transaction(async (tx) => {
    const now = ctx.clock.now();
    const owner = await tx.get(sql.enable, [webhookId, now]);
    if (owner === undefined) return undefined;
    await audit.record(tx, now, actor, { action: 'webhook.enabled', ...ownerOf(owner), subject: webhookId });
    return { owner, moreWaits: await hasten(tx, owner.host_id, webhookId, now) };
  });
  if (enabled?.moreWaits === true) await hastenRest(ctx, enabled.owner.host_id, webhookId);
  return enabled !== undefined;
}

/** Sends one event again, whatever became of it before. Returns 0 where it is being sent at this moment, else 1. */
export async function resendEvent(
  ctx: Context,
  actor: Actor,
  webhook: Overview,
  eventId: string,
  { dryRun = false } = {},
): Promise<number> {
  const key = [webhook.host_id, webhook.id, eventId];
  const delivery = await ctx.db.get(sql.selectLease, key);
  if (delivery === undefined)
    throw new OperatorError(`webhook ${webhook.id} has no delivery of event ${eventId}`);
  await demandActive(ctx, webhook);
  if (dryRun) return delivery.lease_token === null ? 1 : 0;
  return resending(ctx, actor, webhook, (tx) => tx.run(sql.resendEvent, [...key, ctx.clock.now()]));
}

const RESENDS_PER_STEP = 1000;

/** Sends again what was given up, of events made since then. Returns how many. */
export async function resendFailed(
  ctx: Context,
  actor: Actor,
  webhook: Overview,
  { since = 0, dryRun = false, progress = (_queued: number): void => undefined } = {},
): Promise<number> {
  await demandActive(ctx, webhook);
  const key = [webhook.host_id, webhook.id];
  if (dryRun) return (await ctx.db.get(sql.countFailed, [...key, since]))?.count ?? 0;
  let queued = 0;
  for (let after = NO_ID; after !== LAST_ID;) {
    const ahead = await ctx.db.get(sql.selectFailedAhead, [...key, after, RESENDS_PER_STEP - 1]);
    const upTo = ahead?.event_id ?? LAST_ID;
    const range = [...key, since, ctx.clock.now(), after, upTo];
    queued += await resending(ctx, actor, webhook, (tx) => tx.run(sql.resendFailed, range));
    progress(queued);
    after = upTo;
  }
  return queued;
}

/** One transaction: what is put back into the queue, the note for the workers, and the audit trail's entry. */
async function resending(
  ctx: Context,
  actor: Actor,
  webhook: Overview,
  queue: (tx: Tx) => Promise<number>,
): Promise<number> {
  return ctx.db.transaction(async (tx) => {
    const [active, queued] = await Promise.all([
      tx.run(sql.notePending, [webhook.host_id, webhook.id]),
      queue(tx),
    ]);
    if (active === 0) throw notActive(webhook.id);
    if (queued > 0) {
      await audit.record(tx, ctx.clock.now(), actor, {
        action: 'webhook.resent',
        ...ownerOf(webhook),
        subject: webhook.id,
      });
      tx.notify();
    }
    return queued;
  });
}

async function demandActive(ctx: Context, webhook: Overview): Promise<void> {
  if (!webhook.is_active) throw notActive(webhook.id);
  const { host_id: hostId } = webhook;
  if ((await hosts.get(ctx.db, hostId)).deactivated_at !== null)
    throw new OperatorError(
      `host ${hostId} is deactivated, so nothing can be sent; "hourkeep host activate ${hostId}" lets it go on`,
    );
}

function notActive(webhookId: string): OperatorError {
  return new OperatorError(
    `webhook ${webhookId} is not active, so nothing can be sent; "hourkeep webhook enable ${webhookId}" switches it on`,
  );
}

function toOverview(row: sql.OverviewRow) {
  return {
    ...row,
    events: row.events.split(' '),
    is_active: row.is_active === 1,
    failing_since: timestampOrNull(row.failing_since),
    last_delivered_at: timestampOrNull(row.last_delivered_at),
  };
}
