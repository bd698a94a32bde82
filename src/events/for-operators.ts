import { read, type Sql } from '../db/database.ts';
import type { Environment } from '../ids/api-key.ts';
import { toTimestamp } from '../time/clock.ts';
import type { EventType } from './schemas.ts';

/** What an event is about; null where it is about none. */
export interface EventSubject {
  booking_id: string | null;
  space_id: string | null;
}

/** An event as the operator sees it: not what it says, which may name a guest. */
export interface EventRecord extends EventSubject {
  id: string;
  type: EventType;
  host_id: string;
  environment: Environment;
  created_at: string;
  request_id: string | null;
}

export async function find(db: Sql, eventId: string): Promise<EventRecord | undefined> {
  const row = await db.get(selectEvent, [eventId]);
  if (row === undefined) return undefined;
  const { data, created_at, request_id, ...event } = row;
  return { ...event, created_at: toTimestamp(created_at), request_id, ...subjectOf(data) };
}

/** Of an event's data. */
export function subjectOf(data: string): EventSubject {
  const { booking, space, space_id } = JSON.parse(data) as {
    booking?: { id: string; space_id: string };
    space?: { id: string };
    space_id?: string;
  };
  return { booking_id: booking?.id ?? null, space_id: booking?.space_id ?? space?.id ?? space_id ?? null };
}

interface EventRow extends Omit<EventRecord, keyof EventSubject | 'created_at'> {
  data: string;
  created_at: number;
}

/** The operator knows only the event's id, but the key begins with the host: this tries every host. */
const selectEvent = read<EventRow>(`
  select id, type, host_id, environment, data, created_at, request_id from events
  where host_id in (select id from hosts) and id = $1`);
