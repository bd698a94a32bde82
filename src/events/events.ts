import { read, write, type Tx } from '../db/database.ts';
import type { Caller } from '../api-keys/caller.ts';
import { newId } from '../ids/uuid.ts';
import type { AvailabilityCause, EventData, EventType } from './schemas.ts';

export { BOOKING_IN, EVENT_TYPES, type EventType } from './schemas.ts';

/** An event to be written. */
export type NewEvent = { [Type in EventType]: { type: Type; data: EventData[Type] } }[EventType];

/**
 * Writes events in the transaction of the change they tell about, with one delivery for each active subscription that
 * wants them. So no event is lost, and no process has to remember how far it has read (commits are in the order of
 * neither ids nor timestamps). An event that no subscription wants can never be delivered and is not written. Two events
 * of one change are matched with subscriptions in one statement.
 */
export async function append(
  tx: Tx,
  now: number,
  caller: Caller,
  ...happened: [NewEvent] | [NewEvent, NewEvent]
): Promise<void> {
  const { hostId, environment, actor } = caller;
  // Most hosts have no subscription, and finding that out four times over was 9 µs of a booking. Where others may subscribe
  // meanwhile, only the statements below can tell.
  if (tx.isAlone && (await tx.get(selectSubscription, [hostId, environment])) === undefined) return;
  const rows = happened.map(({ type, data }) => ({ id: newId(), type, data: JSON.stringify(data) }));
  const inserted = rows.map(({ id, type, data }) =>
    tx.run(insertEvent, [
      hostId,
      id,
      environment,
      type,
      data,
      now,
      actor.requestId,
      actor.traceparent ?? null,
    ]),
  );
  const [first, second = NO_EVENT] = rows;
  const wanted = [first!.id, first!.type, second.id, second.type];
  const queued = tx.run(queueDeliveries, [hostId, environment, ...wanted]);
  await Promise.all([...inserted, queued, tx.run(notePending, [hostId, environment])]);
  if ((await queued) > 0) tx.notify();
}

export function availabilityChanged(
  day: { spaceId: string; date: string },
  hours: number[],
  cause: AvailabilityCause,
): NewEvent {
  return { type: 'availability.changed', data: { space_id: day.spaceId, date: day.date, hours, cause } };
}

const selectSubscription = read<{ one: number }>(`
  select 1 as one from webhooks where host_id = $1 and environment = $2 and is_active = 1 limit 1`);

/** The host comes from the subscriptions' rows: a distributed engine then knows that the event belongs where they are. */
const insertEvent = write(`
  insert into events (host_id, id, environment, type, data, created_at, request_id, traceparent)
  select host_id, $2::uuid, environment, $4::text, $5::text, $6::bigint, $7::text, $8::text from webhooks
  where host_id = $1 and environment = $3 and is_active = 1
    and ' ' || events || ' ' like '% ' || $4::text || ' %'
  group by host_id, environment`);

/** A type that nobody can subscribe to. */
const NO_EVENT = { id: null, type: '' };

/**
 * due_at is 0 so that the first attempt depends on no clock: clocks of two machines differ, and one that is set back
 * would delay it. The events' ids and types are given, and not read from the table: PostgreSQL that has last counted its rows when
 * there were few would read all of it. "cross join" makes SQLite look for subscriptions first; most hosts have none.
 */
const queueDeliveries = write(`
  insert into deliveries (host_id, webhook_id, event_id, status, attempts, due_at)
  select w.host_id, w.id, e.id, 'pending', 0, 0
  from webhooks w cross join (select $3::uuid as id, $4::text as type union all select $5::uuid, $6::text) e
  where w.host_id = $1 and w.environment = $2 and w.is_active = 1
    and ' ' || w.events || ' ' like '% ' || e.type || ' %'`);

/** Tells workers to look at these subscriptions. Mostly it changes nothing, since the note stays for a while (webhooks/queue.ts). */
const notePending = write(`
  update webhooks set has_pending = 1 where host_id = $1 and environment = $2 and is_active = 1 and has_pending = 0`);
