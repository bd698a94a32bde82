import type { Booking } from '../bookings/schemas.ts';
import { write, type Tx } from '../db/database.ts';
import type { Environment } from '../ids/api-key.ts';
import { newId } from '../ids/uuid.ts';
import type { Space } from '../spaces/schemas.ts';

export const EVENT_TYPES = [
  'booking.created',
  'booking.cancelled',
  'booking.completed',
  'availability.changed',
  'listing.updated',
  'payment.confirmed',
] as const;

type AvailabilityCause =
  | 'booking_created'
  | 'booking_cancelled'
  | 'block_created'
  | 'block_deleted'
  | 'external_calendar';

/** What each event tells. */
export interface EventData {
  'booking.created': { booking: Booking };
  'booking.cancelled': { booking: Booking };
  'booking.completed': { booking: Booking };
  'availability.changed': { space_id: string; date: string; hours: number[]; cause: AvailabilityCause };
  'listing.updated': { space: Space; changed: string[] };
  'payment.confirmed': { booking: Booking };
}

export type EventType = (typeof EVENT_TYPES)[number];

export interface EventOwner {
  readonly hostId: string;
  readonly environment: Environment;
}

/**
 * Writes an event in the transaction that makes it true: either both are there afterwards or neither. With it
 * goes one delivery for each subscription that is active in this moment, so none is missed or made later, and
 * no process has to remember how far it has read (neither ids nor timestamps are in the order of commits).
 */
export async function append<Type extends keyof EventData>(
  tx: Tx,
  now: number,
  owner: EventOwner,
  type: Type,
  data: EventData[Type],
): Promise<void> {
  const id = newId();
  const [, queued] = await Promise.all([
    tx.run(insertEvent, [id, owner.hostId, owner.environment, type, JSON.stringify(data), now]),
    tx.run(queueDeliveries, [id, owner.hostId, owner.environment, type]),
  ]);
  if (queued > 0) tx.notify();
}

const insertEvent = write(`
  insert into events (id, host_id, environment, type, data, created_at) values ($1, $2, $3, $4, $5, $6)`);

/**
 * Due since ever, not since now: the first attempt waits for no clock. Those of two machines differ, and one that
 * is set back would hold up what was about to be sent.
 */
const queueDeliveries = write(`
  insert into deliveries (event_id, webhook_id, status, attempts, due_at)
  select cast($1 as text), id, 'pending', 0, 0 from webhooks
  where host_id = $2 and environment = $3 and is_active = 1
    and ' ' || events || ' ' like '% ' || cast($4 as text) || ' %'`);
