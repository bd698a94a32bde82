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

interface Booking {
  id: string;
  space_id: string;
  date: string;
  start_hour: number;
  end_hour: number;
  status: string;
  guest_email: string;
}

interface Hour {
  space_id: string;
  date: string;
  hour: number;
  booking_id: string | null;
}

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
    const bookings = await all<Booking>(
      'select id, space_id, date, start_hour, end_hour, status, guest_email from bookings',
    );
    const hours = await all<Hour>(
      'select space_id, date, hour, booking_id from hours where block_id is null',
    );
    const events = await all<{ id: string; type: string; data: string }>('select id, type, data from events');
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
    return {
      lost,
      untold: wrongEvents(events, acknowledged),
      ...wrongHours(bookings, hours),
      unasked: unasked.map(({ id }) => `booking ${id} is there though nobody was told so`),
      events: events.map(({ id }) => id),
    };
  }).then(({ unasked, orphans, ...kept }) => ({ ...kept, other: [...orphans, ...unasked] }));
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

/** Double holders by the bookings alone, without the key that is meant to prevent them. */
function wrongHours(bookings: readonly Booking[], hours: readonly Hour[]) {
  const holders = new Map<string, string>();
  const doubleHolders: string[] = [];
  for (const { id, space_id, date, start_hour, end_hour, status } of bookings) {
    if (status === 'cancelled') continue;
    for (let hour = start_hour; hour < end_hour; hour++) {
      const slot = `${space_id} ${date} ${hour}`;
      const other = holders.get(slot);
      if (other !== undefined) doubleHolders.push(`${slot} is held by ${other} and by ${id}`);
      holders.set(slot, id);
    }
  }
  const orphans: string[] = [];
  for (const { space_id, date, hour, booking_id } of hours) {
    const slot = `${space_id} ${date} ${hour}`;
    if (holders.get(slot) !== booking_id)
      orphans.push(`${slot} is held for ${booking_id}, which has no claim to it`);
    holders.delete(slot);
  }
  for (const [slot, id] of holders) orphans.push(`${slot} is free, though ${id} has it`);
  return { doubleHolders, orphans };
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
