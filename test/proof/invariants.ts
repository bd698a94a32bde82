import { readConfig } from '../../src/config.ts';
import { openDatabase } from '../../src/db/open.ts';
import { createLogger } from '../../src/log.ts';

interface BookingRow {
  host_id: string;
  environment: string;
  id: string;
  space_id: string;
  date: string;
  start_hour: number;
  end_hour: number;
  status: string;
  cancellation_reason: string | null;
  replaces: string | null;
  replaced_by: string | null;
}

/** What must never be, by kind: every sentence is a violation. */
export interface Findings {
  doubleHolders: string[];
  hours: string[];
  moves: string[];
  events: string[];
}

export async function violations(
  settings: Record<string, string>,
  made: ReadonlySet<string>,
): Promise<string[]> {
  return Object.values(await inspect(settings, made)).flat();
}

/**
 * Reads the whole database past the service. Demo bookings have no events, so only those named in `made` are
 * asked for theirs.
 */
export async function inspect(
  settings: Record<string, string>,
  made: ReadonlySet<string>,
): Promise<Findings> {
  return reading(settings, async (all) => {
    const bookings = await all<BookingRow>(
      `select host_id, environment, id, space_id, date, start_hour, end_hour, status, cancellation_reason, replaces, replaced_by
      from bookings`,
    );
    const hours = await all<{
      space_id: string;
      date: string;
      hour: number;
      booking_id: string | null;
      block_id: string | null;
    }>('select space_id, date, hour, booking_id, block_id from hours');
    const blocks = new Set((await all<{ id: string }>('select id from blocks')).map((row) => row.id));
    const events = await all<{ type: string; data: string }>(
      "select type, data from events where type like 'booking.%'",
    );
    return {
      doubleHolders: doubleHolders(bookings),
      hours: hoursAndHolders(bookings, hours, blocks),
      moves: movesThatDisagree(bookings),
      events: eventsOfBookings(bookings, events, made),
    };
  });
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

/** From the bookings alone, without the key that is meant to prevent it. */
function doubleHolders(bookings: readonly BookingRow[]): string[] {
  const holder = new Map<string, string>();
  const found: string[] = [];
  for (const booking of bookings.filter(({ status }) => status !== 'cancelled')) {
    for (let hour = booking.start_hour; hour < booking.end_hour; hour++) {
      const slot = `${booking.space_id} ${booking.date} ${hour}`;
      const other = holder.get(slot);
      if (other !== undefined) found.push(`${slot} is held by ${other} and by ${booking.id}`);
      holder.set(slot, booking.id);
    }
  }
  return found;
}

function hoursAndHolders(
  bookings: readonly BookingRow[],
  hours: readonly {
    space_id: string;
    date: string;
    hour: number;
    booking_id: string | null;
    block_id: string | null;
  }[],
  blocks: ReadonlySet<string>,
): string[] {
  const found: string[] = [];
  const byId = new Map(bookings.map((booking) => [booking.id, booking]));
  const held = new Map<string, number>();
  for (const row of hours) {
    const slot = `${row.space_id} ${row.date} ${row.hour}`;
    if (row.block_id !== null) {
      if (!blocks.has(row.block_id)) found.push(`${slot} belongs to a block that is not there`);
      continue;
    }
    const booking = byId.get(row.booking_id ?? '');
    const fits =
      booking !== undefined &&
      booking.status !== 'cancelled' &&
      booking.space_id === row.space_id &&
      booking.date === row.date &&
      row.hour >= booking.start_hour &&
      row.hour < booking.end_hour;
    if (!fits) found.push(`${slot} is held for ${row.booking_id}, which has no claim to it`);
    held.set(row.booking_id ?? '', (held.get(row.booking_id ?? '') ?? 0) + 1);
  }
  for (const booking of bookings) {
    const owed = booking.status === 'cancelled' ? 0 : booking.end_hour - booking.start_hour;
    if ((held.get(booking.id) ?? 0) !== owed)
      found.push(`${booking.id} (${booking.status}) holds ${held.get(booking.id) ?? 0} of ${owed} hours`);
  }
  return found;
}

/** Of two that are one move each must name the other: so nobody is replaced twice either. */
function movesThatDisagree(bookings: readonly BookingRow[]): string[] {
  const byId = new Map(bookings.map((booking) => [booking.id, booking]));
  const found: string[] = [];
  for (const { host_id, environment, id, ...booking } of bookings) {
    const { status, cancellation_reason: reason, replaces, replaced_by: by } = booking;
    const old = replaces === null ? undefined : byId.get(replaces);
    const isSameHosts = old?.host_id === host_id && old.environment === environment;
    if (replaces !== null && (old?.replaced_by !== id || !isSameHosts))
      found.push(`${id} replaces ${replaces}, which is replaced by ${old?.replaced_by}`);
    if (by !== null && byId.get(by)?.replaces !== id)
      found.push(`${id} is replaced by ${by}, which replaces ${byId.get(by)?.replaces}`);
    if ((by !== null) !== (reason === 'Moved') || (by !== null && status !== 'cancelled'))
      found.push(`${id} is ${status} for the reason ${reason} and replaced by ${by}`);
  }
  return found;
}

function eventsOfBookings(
  bookings: readonly BookingRow[],
  events: readonly { type: string; data: string }[],
  made: ReadonlySet<string>,
): string[] {
  const told = new Map<string, number>();
  for (const event of events) {
    const { booking } = JSON.parse(event.data) as { booking: { id: string } };
    const name = `${event.type} ${booking.id}`;
    told.set(name, (told.get(name) ?? 0) + 1);
  }
  const found = [...told]
    .filter(([, count]) => count > 1)
    .map(([name, count]) => `${name} was told ${count} times`);
  const present = new Set(bookings.map((booking) => booking.id));
  for (const id of made) {
    if (!present.has(id)) found.push(`booking ${id} was acknowledged and is not there`);
    if (!told.has(`booking.created ${id}`)) found.push(`booking.created of ${id} is missing`);
  }
  for (const booking of bookings) {
    if (
      made.has(booking.id) &&
      booking.status === 'cancelled' &&
      !told.has(`booking.cancelled ${booking.id}`)
    ) {
      found.push(`booking.cancelled of ${booking.id} is missing`);
    }
  }
  return found;
}
