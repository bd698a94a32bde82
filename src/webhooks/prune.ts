import type { Context } from '../context.ts';
import { read, write } from '../db/database.ts';
import { DAY_MS } from '../time/units.ts';

const EVENTS_PER_PRUNE = 100;
const DELIVERIES_PER_PRUNE = 1000;

/** Deletes some events past their retention with their deliveries, and some deliveries of deleted subscriptions. */
export async function prune(ctx: Context): Promise<boolean> {
  const before = ctx.clock.now() - ctx.config.eventRetentionDays * DAY_MS;
  return ctx.db.transaction(async (tx) => {
    const [, deleted, , events] = await Promise.all([
      // Without the lock a second worker could delete events whose deliveries it has not seen.
      tx.lock('prune'),
      tx.get(selectDeleted),
      tx.run(deleteDeliveriesOfOldEvents, [before, EVENTS_PER_PRUNE]),
      tx.run(deleteOldEvents, [before, EVENTS_PER_PRUNE]),
    ]);
    if (deleted === undefined) return events === EVENTS_PER_PRUNE;
    const key = [deleted.host_id, deleted.id];
    const cleared = await tx.run(deleteDeliveriesOfWebhook, [...key, DELIVERIES_PER_PRUNE]);
    if (cleared < DELIVERIES_PER_PRUNE) await tx.run(deleteWebhookRow, key);
    return true;
  });
}

/** Ids sort by time, so the first ones are the oldest, and created_at needs no index. */
const OLD_EVENTS = `(
  select host_id, id from (select host_id, id, created_at from events order by id limit $2) as oldest
  where created_at < $1)`;

/** The key of deliveries begins with the subscription, so this tries each subscription of the event's host. */
const deleteDeliveriesOfOldEvents = write(`
  delete from deliveries where (host_id, webhook_id, event_id) in (
    select old.host_id, w.id, old.id from ${OLD_EVENTS} as old join webhooks w on w.host_id = old.host_id)`);

const deleteOldEvents = write(`delete from events where (host_id, id) in ${OLD_EVENTS}`);

const selectDeleted = read<{ host_id: string; id: string }>(`
  select host_id, id from webhooks where deleted_at is not null order by deleted_at limit 1`);

const deleteDeliveriesOfWebhook = write(`
  delete from deliveries where host_id = $1 and webhook_id = $2 and event_id in (
    select event_id from deliveries where host_id = $1 and webhook_id = $2 order by event_id limit $3)`);

const deleteWebhookRow = write('delete from webhooks where host_id = $1 and id = $2');
