import type { Context } from '../context.ts';
import { write, type Tx } from '../db/database.ts';
import { MINUTE_MS } from '../time/units.ts';
import { FIRST_ATTEMPTS, RETRIES_AND_LEASED } from './queue.ts';

/** On SQLite other writers wait for a step: 1 000 rows take 5 ms, 100 000 took 2 s. */
const MAX_ROWS_PER_STEP = 1000;

/** Not those that a worker has, which are being sent, nor those that failed anew since then. */
const RETRIES = `host_id = $1 and webhook_id = $2 and ${RETRIES_AND_LEASED} and lease_token is null and due_at > $3
    and last_attempt_at <= $3`;

const hastenRetries = write(`
  update deliveries set due_at = $3
  where ${RETRIES} and due_at <= coalesce((
    select due_at from deliveries where ${RETRIES} order by due_at limit 1 offset ${MAX_ROWS_PER_STEP - 1}), ${Number.MAX_SAFE_INTEGER})`);

/** Retries of a subscription do not wait for their time. Returns whether there are more; `hastenRest` then sees to these. */
export async function hasten(tx: Tx, hostId: string, webhookId: string, now: number): Promise<boolean> {
  tx.notify();
  return (await tx.run(hastenRetries, [hostId, webhookId, now])) >= MAX_ROWS_PER_STEP;
}

/** Call after the commit: on SQLite others write in between. */
export async function hastenRest(ctx: Context, hostId: string, webhookId: string): Promise<void> {
  const now = ctx.clock.now();
  while (await ctx.db.transaction((tx) => hasten(tx, hostId, webhookId, now)));
}

const QUIET_MS = 10 * MINUTE_MS;

const holds = (queue: string): string => `exists (
  select 1 from deliveries d where d.host_id = webhooks.host_id and d.webhook_id = webhooks.id and ${queue})`;

const PENDING = `(${holds(FIRST_ATTEMPTS)} or ${holds(RETRIES_AND_LEASED)})`;

/** Ids of events sort by time: the last one is the newest. */
const forgetIdle = write(`
  update webhooks set has_pending = 0
  where has_pending = 1 and not ${PENDING} and coalesce((
    select e.created_at from deliveries d join events e on e.host_id = d.host_id and e.id = d.event_id
    where d.host_id = webhooks.host_id and d.webhook_id = webhooks.id
    order by d.event_id desc limit 1), 0) < $1`);

const findForgotten = write(`
  update webhooks set has_pending = 1 where has_pending = 0 and is_active = 1 and ${PENDING}`);

/**
 * An event sets has_pending on its subscriptions; this resets it when nothing is pending any more, so that workers look
 * only where there is work. It waits ten minutes after the last event: a transaction that found has_pending set does not
 * set it again, and may still be uncommitted. Should one take even longer, findForgotten sets it again.
 */
export async function tidyPending(ctx: Context): Promise<boolean> {
  await ctx.db.transaction(async (tx) => {
    await Promise.all([tx.run(forgetIdle, [ctx.clock.now() - QUIET_MS]), tx.run(findForgotten)]);
  });
  return false;
}
