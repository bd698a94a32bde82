import type { Context } from '../context.ts';
import { read, write } from '../db/database.ts';
import { DAY_MS } from '../time/units.ts';

const EVENTS_AT_ONCE = 100;
const DELIVERIES_AT_ONCE = 1000;

/** One small step of forgetting: events past their time with their deliveries, and what was deleted. */
export async function prune(ctx: Context): Promise<boolean> {
  const before = ctx.clock.now() - ctx.config.eventRetentionDays * DAY_MS;
  return ctx.db.transaction(async (tx) => {
    const [, deleted, , events] = await Promise.all([
      // Or, of two workers, the second would find the next events and miss their deliveries.
      tx.lock('prune'),
      tx.get(selectDeleted),
      tx.run(deleteDeliveriesOfOldEvents, [before, EVENTS_AT_ONCE]),
      tx.run(deleteOldEvents, [before, EVENTS_AT_ONCE]),
    ]);
    if (deleted === undefined) return events === EVENTS_AT_ONCE;
    const cleared = await tx.run(deleteDeliveriesOfWebhook, [deleted.id, DELIVERIES_AT_ONCE]);
    if (cleared < DELIVERIES_AT_ONCE) await tx.run(deleteWebhookRow, [deleted.id]);
    return true;
  });
}

/** Ids sort by their time, so the first ones are the oldest: their times need no index. */
const OLD_EVENTS = `
  select id from (select id, created_at from events order by id limit $2) as oldest where created_at < $1`;

const deleteDeliveriesOfOldEvents = write(`delete from deliveries where event_id in (${OLD_EVENTS})`);

const deleteOldEvents = write(`delete from events where id in (${OLD_EVENTS})`);

const selectDeleted = read<{ id: string }>(`
  select id from webhooks where deleted_at is not null order by deleted_at limit 1`);

const deleteDeliveriesOfWebhook = write(`
  delete from deliveries where webhook_id = $1 and event_id in (
    select event_id from deliveries where webhook_id = $1 order by event_id limit $2)`);

const deleteWebhookRow = write('delete from webhooks where id = $1');
