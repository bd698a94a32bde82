import { readConfig } from '../../src/config.ts';
import { openDatabase } from '../../src/db/open.ts';
import { createLogger } from '../../src/log.ts';

/** How the database stands against what was acknowledged: every sentence is a violation. */
export interface Kept {
  lost: string[];
  doubleHolders: string[];
  untold: string[];
  other: string[];
  /** All events that there are. */
  events: string[];
}

// Joined by host too, as Citus needs it: a space, and so each of its bookings and hours, has one host.

/** By the bookings alone, without the key that is meant to prevent them. */
const DOUBLE_HOLDERS = `
  select a.id, b.id as other, a.space_id, a.date from bookings a join bookings b
    on a.host_id = b.host_id and a.space_id = b.space_id and a.date = b.date and a.id < b.id
      and a.start_hour < b.end_hour and b.start_hour < a.end_hour
  where a.status <> 'cancelled' and b.status <> 'cancelled'`;
const ORPHANS = `
  select h.space_id, h.date, h.hour, h.booking_id from hours h left join bookings b
    on b.host_id = h.host_id and b.id = h.booking_id and b.status <> 'cancelled' and b.space_id = h.space_id and b.date = h.date
      and h.hour >= b.start_hour and h.hour < b.end_hour
  where h.block_id is null and b.id is null`;
const WITHOUT_HOURS = `
  select id from bookings
    left join (select host_id, booking_id, count(*) as held from hours group by host_id, booking_id) as h
      on h.host_id = bookings.host_id and booking_id = id
  where status <> 'cancelled' and coalesce(held, 0) <> end_hour - start_hour`;

/**
 * Reads the whole database past the service. `acknowledged`: `booking.created ID` and `booking.cancelled ID`, for each that a caller was
 * told. Whoever gets no clear answer asks again until there is one: bookings of `guests` are there only if somebody was told so.
 */
export async function inspect(
  settings: Record<string, string>,
  acknowledged: ReadonlySet<string> = new Set(),
  guests?: string,
): Promise<Kept> {
  return reading(settings, async (all) => {
    const bookings = await all<Record<'id' | 'status' | 'guest_email', string>>(
      'select id, status, guest_email from bookings',
    );
    const stands = new Map(bookings.map(({ id, status }) => [id, status]));
    const lost = [...acknowledged].flatMap((told) => {
      const [type, id = ''] = told.split(' ');
      const wasCancelled = acknowledged.has(`booking.cancelled ${id}`);
      if (type === 'booking.created' && wasCancelled) return [];
      const status = stands.get(id) ?? 'not there';
      return (status === 'cancelled') === wasCancelled && stands.has(id) ? [] : [`${told}: it is ${status}`];
    });
    const unasked = bookings.filter(
      ({ id, guest_email }) =>
        guests !== undefined && guest_email.startsWith(guests) && !acknowledged.has(`booking.created ${id}`),
    );
    const doubles = await all<Record<'id' | 'other' | 'space_id' | 'date', string>>(DOUBLE_HOLDERS);
    const orphans = await all<Record<'space_id' | 'date' | 'hour' | 'booking_id', string>>(ORPHANS);
    const withoutHours = await all<{ id: string }>(WITHOUT_HOURS);
    const events = await all<{ id: string; type: string; data: string }>('select id, type, data from events');
    return {
      lost,
      doubleHolders: doubles.map(
        ({ id, other, space_id, date }) => `${id} and ${other} hold an hour of ${space_id} on ${date}`,
      ),
      untold: wrongEvents(events, acknowledged),
      other: [
        ...orphans.map(
          ({ space_id, date, hour, booking_id }) =>
            `${space_id} ${date} ${hour} is held for ${booking_id}, which has no claim to it`,
        ),
        ...withoutHours.map(({ id }) => `booking ${id} does not hold its hours`),
        ...unasked.map(({ id }) => `booking ${id} is there though nobody was told so`),
      ],
      events: events.map(({ id }) => id),
    };
  });
}

/** All of them. */
export function violations({ lost, doubleHolders, untold, other }: Kept): string[] {
  return [...lost, ...doubleHolders, ...untold, ...other];
}

/** Opens the database that a service with these settings uses, for as long as somebody looks into it. */
export async function reading<T>(
  settings: Record<string, string>,
  look: (all: <Row>(text: string) => Promise<Row[]>) => Promise<T>,
): Promise<T> {
  const db = openDatabase(readConfig(settings), createLogger('silent'), 20_000);
  try {
    return await look((text) => db.all({ text, name: '', writes: false }));
  } finally {
    await db.close();
  }
}

/** Each that was acknowledged is told once; of all others none is told twice. */
function wrongEvents(
  events: readonly { type: string; data: string }[],
  acknowledged: ReadonlySet<string>,
): string[] {
  const told = new Map<string, number>();
  for (const { type, data } of events) {
    const { booking } = JSON.parse(data) as { booking?: { id: string } };
    const name = `${type} ${booking?.id}`;
    if (booking !== undefined) told.set(name, (told.get(name) ?? 0) + 1);
  }
  const again = [...told].filter(([, count]) => count > 1);
  const missing = [...acknowledged].filter((name) => !told.has(name));
  return [
    ...again.map(([name, count]) => `${name} was told ${count} times`),
    ...missing.map((name) => `${name} is missing`),
  ];
}
