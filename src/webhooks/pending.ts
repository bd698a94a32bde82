import type { Context } from '../context.ts';
import { write } from '../db/database.ts';
import { MINUTE_MS } from '../time/units.ts';

/**
 * Events note at their subscriptions that something is pending; this takes the note away again, so that workers do not
 * look at subscriptions without work. Only after a quiet while: a transaction that writes an event and finds the note
 * in place leaves it as it is, and it may commit later than we look. Should one take longer than that, its delivery is
 * found by the second statement.
 */
export async function tidyPending(ctx: Context): Promise<boolean> {
  await ctx.db.transaction(async (tx) => {
    await tx.inOrder([tx.run(forgetIdle, [ctx.clock.now() - QUIET_MS]), tx.run(findForgotten)]);
  });
  return false;
}

const QUIET_MS = 10 * MINUTE_MS;

const PENDING = `exists (
  select 1 from deliveries d
  where d.host_id = webhooks.host_id and d.webhook_id = webhooks.id and d.status = 'pending')`;

/** Ids of events sort by time: the last one is the newest. */
const forgetIdle = write(`
  update webhooks set has_pending = 0
  where has_pending = 1 and not ${PENDING} and coalesce((
    select e.created_at from deliveries d join events e on e.host_id = d.host_id and e.id = d.event_id
    where d.host_id = webhooks.host_id and d.webhook_id = webhooks.id
    order by d.event_id desc limit 1), 0) < $1`);

const findForgotten = write(`
  update webhooks set has_pending = 1 where has_pending = 0 and is_active = 1 and ${PENDING}`);
