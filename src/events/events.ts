import { ChangedMeanwhile, read, write, type Condition, type Judged, type Tx } from '../db/database.ts';
import type { Caller } from '../caller.ts';
import { newId } from '../ids/uuid.ts';

export const EVENT_TYPES = [
  'booking.created',
  'booking.cancelled',
  'booking.completed',
  'availability.changed',
  'listing.updated',
  'payment.confirmed',
] as const;
export type EventType = (typeof EVENT_TYPES)[number];

/** Those that have a booking, and so a guest. */
export const BOOKING_EVENTS = [
  'booking.created',
  'booking.cancelled',
  'booking.completed',
  'payment.confirmed',
] as const satisfies EventType[];

export const AVAILABILITY_CAUSES = [
  'booking_created',
  'booking_cancelled',
  'block_created',
  'block_deleted',
  'external_calendar',
] as const;
type AvailabilityCause = (typeof AVAILABILITY_CAUSES)[number];

/**
 * An event to be written. A booking or a space is the whole record that the API returns (webhooks/openapi.ts). Named here are members that
 * its row in the database has not, or has as a number.
 */
export type NewEvent =
  | { type: (typeof BOOKING_EVENTS)[number]; data: { booking: { id: string; starts_at: string } } }
  | {
      type: 'availability.changed';
      data: { space_id: string; date: string; hours: number[]; cause: AvailabilityCause };
    }
  | {
      type: 'listing.updated';
      data: { space: { id: string; operating_hours: object }; changed: readonly string[] };
    };

/** What the active subscriptions of a host want, by their ids: `{"0198…": "booking.created booking.cancelled"}`. Null: there is none. */
export type Subscriptions = string | null;

const ACTIVE = 'webhooks where host_id = $1 and environment = $2 and is_active = 1';

/** A statement that reads them, of host $1 in environment $2. */
export const SUBSCRIPTIONS = `select nullif(json_object_agg(id, events order by id)::text, '{}') as subscriptions
    from ${ACTIVE}`;

const selectSubscriptions = read<{ subscriptions: Subscriptions }>(SUBSCRIPTIONS);

/**
 * Writes events in the transaction of the change they tell about, with one delivery for each active subscription that
 * wants them. So no event is lost, and no process has to remember how far it has read (commits are in the order of
 * neither ids nor timestamps). An event that no subscription wants can never be delivered and is not written.
 */
export async function append(
  tx: Tx,
  now: number,
  caller: Caller,
  ...happened: readonly NewEvent[]
): Promise<void> {
  if (happened.length === 0) return;
  const { subscriptions } = (await tx.get(selectSubscriptions, [caller.hostId, caller.environment]))!;
  await appendTo(subscriptions, tx, now, caller, ...happened);
}

/** The events of one request about one date are fewer. More would run into the time limit of a statement, which counts from when it is sent. */
const STATEMENTS_PER_MESSAGE = 100;

/**
 * The same for a caller that has read the subscriptions before, with what else it needed. Everything is called before
 * anything is awaited, up to the limit of a message. Rows are given one by one: Citus would plan a select of them anew each time.
 */
export async function appendTo(
  subscriptions: Subscriptions,
  tx: Tx,
  now: number,
  { hostId, environment, actor }: Caller,
  ...happened: readonly NewEvent[]
): Promise<void> {
  if (subscriptions === null) return;
  const wanted = Object.entries(JSON.parse(subscriptions) as Record<string, string>);
  const written: Promise<number>[] = [];
  let isAnyWanted = false;
  for (const { type, data } of happened) {
    const receivers = wanted.filter(([, types]) => types.split(' ').includes(type));
    if (receivers.length === 0) continue;
    isAnyWanted = true;
    const id = newId();
    const origin = [now, actor.requestId, actor.traceparent ?? null];
    written.push(tx.run(insertEvent, [hostId, id, environment, type, JSON.stringify(data), ...origin]));
    for (const [webhookId] of receivers) written.push(tx.run(queueDelivery, [hostId, webhookId, id]));
    if (written.length > STATEMENTS_PER_MESSAGE) await Promise.all(written.splice(0));
  }
  if (!isAnyWanted) return;
  // Last: on PostgreSQL other changes of this host wait for this note until the transaction ends.
  written.push(tx.run(notePending, [hostId, environment]));
  tx.notify();
  await Promise.all(written);
}

/** For `Tx.require`, where others may subscribe meanwhile: these are still the subscriptions. Else the transaction runs again. */
export function stillSubscribed(
  { hostId, environment }: Pick<Caller, 'hostId' | 'environment'>,
  subscriptions: Subscriptions,
): Condition {
  const values = [hostId, environment, subscriptions ?? ''];
  const refusal = () => new ChangedMeanwhile('subscriptions have changed');
  return { judge: isSubscribed, values, againstRaces: true, refusal };
}

export function availabilityChanged(
  day: { spaceId: string; date: string },
  hours: number[],
  cause: AvailabilityCause,
): NewEvent {
  return { type: 'availability.changed', data: { space_id: day.spaceId, date: day.date, hours, cause } };
}

const isSubscribed = read<Judged>(`
  select case when coalesce(json_object_agg(id, events order by id)::text, '') = $3 then 1 else 0 end as holds
  from ${ACTIVE}`);

const insertEvent = write(`
  insert into events (host_id, id, environment, type, data, created_at, request_id, traceparent)
  values ($1, $2, $3, $4, $5, $6, $7, $8)`);

/**
 * due_at is 0 so that the first attempt depends on no clock: clocks of two machines differ, and one that is set back
 * would delay it.
 */
const queueDelivery = write(`
  insert into deliveries (host_id, webhook_id, event_id, status, attempts, due_at)
  values ($1, $2, $3, 'pending', 0, 0)`);

/** Tells workers to look at these subscriptions. Mostly it changes nothing, since the note stays for a while (webhooks/pending.ts). */
const notePending = write(`
  update webhooks set has_pending = 1 where host_id = $1 and environment = $2 and is_active = 1 and has_pending = 0`);
