import type { Context } from '../context.ts';
import { write } from '../db/database.ts';
import { MINUTE_MS } from '../time/units.ts';
import { again, first } from './queues.ts';

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

const QUIET_MS = 10 * MINUTE_MS;

const holds = (queue: string): string => `exists (
  select 1 from deliveries d where d.host_id = webhooks.host_id and d.webhook_id = webhooks.id and ${queue})`;

const PENDING = `(${holds(first('d'))} or ${holds(again('d'))})`;

/** Ids of events sort by time: the last one is the newest. */
const forgetIdle = write(`
  update webhooks set has_pending = 0
  where has_pending = 1 and not ${PENDING} and coalesce((
    select e.created_at from deliveries d join events e on e.host_id = d.host_id and e.id = d.event_id
    where d.host_id = webhooks.host_id and d.webhook_id = webhooks.id
    order by d.event_id desc limit 1), 0) < $1`);

const findForgotten = write(`
  update webhooks set has_pending = 1 where has_pending = 0 and is_active = 1 and ${PENDING}`);
