import type { Actor } from '../caller.ts';
import * as audit from '../audit/audit.ts';
import { guestPart, WALK_IN_EMAIL, type Booking } from '../bookings/fields.ts';
import { find } from '../bookings/for-operators.ts';
import { guestKey } from '../bookings/guest.ts';
import { shownToOperator } from '../bookings/shown.ts';
import type { Context } from '../context.ts';
import type { Sql, Tx } from '../db/database.ts';
import { OperatorError } from '../errors.ts';
import * as hosts from '../hosts/hosts.ts';
import { firstIdAt, timeOfId } from '../ids/uuid.ts';
import * as payments from '../payments/payments.ts';
import { checkSecretKey, pseudonym } from '../secret-key/secret-key.ts';
import { toTimestamp } from '../time/clock.ts';
import { DAY_MS } from '../time/units.ts';
import * as sql from './sql.ts';
import { addressInBytes, note, noteWords, withoutKey, withoutWords, wordsOf, type Guest } from './words.ts';

export { TEXT_COLUMNS } from './sql.ts';

/** A guest by an address, or the guest of a booking. */
export interface Wanted {
  email?: string | undefined;
  bookingId?: string | undefined;
  /** Undefined: at all hosts. */
  hostId: string | undefined;
}

/** A guest by the key of the address, or by one booking: somebody who walked in and gave no address. */
interface Sought {
  readonly key: string;
  readonly bookingId: string | null;
  readonly hostId: string | undefined;
  /** How the audit trail names the guest. */
  readonly subject: string;
  /** Undefined where it is nobody's. */
  readonly address: string | undefined;
}

/** Told now and then what a long search is doing. */
export type Progress = (text: string) => void;

/** Everything that is known about a guest, to be handed over as it is. */
export async function exportAll(ctx: Context, actor: Actor, wanted: Wanted, progress: Progress) {
  const sought = await seek(ctx, wanted);
  const rows = await bookingsOf(ctx.db, sought);
  const events: sql.EventRow[] = [];
  for await (const page of eventsOf(ctx.db, rows, progress))
    for (const { host_id: hostId, id } of page) {
      const event = await ctx.db.get(sql.selectEvent, [hostId, id]);
      if (event !== undefined) events.push(event);
    }
  const bookings = await Array.fromAsync(rows, async (row) => {
    const { host_name: name, space_title } = row;
    // What the platform takes of the price is not about the guest.
    const {
      host_id: id,
      commission_rate: _,
      commission: __,
      net: ___,
      ...booking
    } = shownToOperator(ctx, row);
    return { host: { id, name }, space_title, ...booking, payments: await payments.list(ctx.db, row.id) };
  });
  const now = ctx.clock.now();
  await ctx.db.transaction(async (tx) => {
    const entry = { action: 'guest.exported', environment: null, subject: sought.subject } as const;
    for (const hostId of hostsOf(rows)) await audit.record(tx, now, actor, { ...entry, hostId });
  });
  return {
    guest: { email: sought.key },
    exported_at: toTimestamp(now),
    bookings,
    events: events.map(({ id, type, host_id, environment, created_at, data }) => {
      const at = toTimestamp(created_at);
      return { id, type, host_id, environment, created_at: at, data: JSON.parse(data) as unknown };
    }),
  };
}

export interface Counts {
  hosts: number;
  bookings: number;
  /** Those whose guest is still expected. */
  bookings_ahead: number;
  events: number;
}

/** What `erase` would find; without `events`, which takes longest, where that is left out. */
export async function count(ctx: Context, wanted: Wanted, progress?: Progress): Promise<Counts> {
  const rows = await bookingsOf(ctx.db, await seek(ctx, wanted));
  let events = 0;
  if (progress !== undefined)
    for await (const page of eventsOf(ctx.db, rows, progress)) events += page.length;
  const ahead = rows.filter((row) => isAhead(row, ctx.clock.now()));
  return { hosts: hostsOf(rows).length, bookings: rows.length, bookings_ahead: ahead.length, events };
}

export interface Erased extends Counts {
  /** The texts that were erased, for whoever looks whether they are gone. */
  traces: Set<string>;
  /** All that a repeated run knows; nothing of a guest without an address. */
  address: RegExp | undefined;
}

const BOOKINGS_AT_ONCE = 50;
const EVENTS_IN_ONE_TRANSACTION = 100;

/**
 * Puts "Erased guest" in the place of a guest, in bounded transactions beside a running service. In this order, so that
 * a run that breaks off can be repeated: the bookings, whose later events then say "Erased guest"; the events that there
 * are; at last the key by which the bookings are found, with the entry in the audit trail.
 *
 * A booking that the guest makes meanwhile is found by the next round, or was made after the erasure. Of two runs at
 * once each may do a part; each row is counted by the one that changed it, and one writes the entry.
 */
export async function erase(ctx: Context, actor: Actor, wanted: Wanted, progress: Progress): Promise<Erased> {
  const sought = await seek(ctx, wanted);
  const { address } = sought;
  const total = {
    bookings: 0,
    bookings_ahead: 0,
    events: 0,
    traces: new Set(address === undefined ? [] : [address]),
    address: address === undefined ? undefined : addressInBytes(address),
  };
  const touched = new Set<string>();
  for (;;) {
    const rows = await bookingsOf(ctx.db, sought);
    if (rows.length === 0) return { ...total, hosts: touched.size };
    for (const batch of inBatches(rows, BOOKINGS_AT_ONCE)) {
      const trail = await paymentEntriesOf(ctx.db, batch);
      await ctx.db.transaction((tx) => eraseBookings(tx, ctx.clock.now(), batch, trail, total.traces));
    }
    for await (const page of eventsOf(ctx.db, rows, progress))
      for (const batch of inBatches(page, EVENTS_IN_ONE_TRANSACTION))
        total.events += await ctx.db.transaction((tx) => eraseEvents(tx, batch, total.traces));
    for (const hostId of hostsOf(rows)) {
      const erased = await eraseKeys(ctx, actor, hostId, sought);
      total.bookings += erased.length;
      total.bookings_ahead += erased.filter((row) => isAhead(row, ctx.clock.now())).length;
      if (erased.length > 0) touched.add(hostId);
    }
  }
}

async function eraseBookings(
  tx: Tx,
  now: number,
  rows: readonly sql.GuestBookingRow[],
  trail: Trail,
  traces: Set<string>,
): Promise<void> {
  for (const row of rows) {
    // Erased by a run that broke off.
    if (row.guest_email === sql.ERASED.email) continue;
    const guest = {
      name: row.guest_name,
      email: row.guest_email,
      key: row.guest_key,
      phone: row.guest_phone,
    };
    noteTraces(traces, guest);
    // First the guest: from here on nobody else changes the row, so the texts are the last ones.
    const texts = await tx.get(sql.eraseGuest, [row.host_id, row.id, now]);
    if (texts === undefined) continue;
    const words = wordsOf(guest);
    const left = sql.TEXTS.map((column) => withoutGuest(column, texts[column], words, row.id, traces));
    await tx.run(sql.updateTexts, [row.host_id, row.id, ...left]);
    for (const { number, reference } of await tx.all(sql.selectReferences, [row.host_id, row.id])) {
      const text = withoutWords(reference, words, traces);
      await tx.run(sql.updateReference, [row.host_id, row.id, number, text]);
    }
    for (const { host_id, id, changes } of trail.get(row.id) ?? []) {
      const text = JSON.stringify(JSON.parse(changes ?? 'null'), (_, value: unknown) =>
        typeof value === 'string' ? withoutWords(value, words, traces) : value,
      );
      await tx.run(sql.updateChanges, [host_id, id, text]);
    }
  }
}

/** By booking. */
type Trail = Map<string, sql.PaymentEntry[]>;

/** What the audit trail says about payments of these bookings: it has their references. Few bookings were ever paid to the platform. */
async function paymentEntriesOf(db: Sql, rows: readonly sql.GuestBookingRow[]): Promise<Trail> {
  const paid = rows.filter((row) => row.paid_at !== null || row.payment_voided_at !== null);
  const entries: sql.PaymentEntry[] = [];
  for (const [hostId, ofHost] of Map.groupBy(paid, ({ host_id }) => host_id)) {
    const ids = JSON.stringify(ofHost.map(({ id }) => ({ id })));
    entries.push(...(await db.all(sql.selectPaymentEntries, [hostId, ids])));
  }
  return Map.groupBy(entries, ({ subject }) => subject);
}

/** A delivery has no text of its own: each attempt sends what its event says then. */
async function eraseEvents(
  tx: Tx,
  found: readonly { host_id: string; id: string }[],
  traces: Set<string>,
): Promise<number> {
  let erased = 0;
  for (const { host_id: hostId, id } of found) {
    const event = await tx.get(sql.selectEvent, [hostId, id]);
    if (event === undefined) continue;
    const { booking } = JSON.parse(event.data) as { booking: Booking };
    if (booking.guest_email === sql.ERASED.email) continue;
    const { guest_name: name, guest_email: email, guest_phone: phone } = booking;
    const guest = { name, email, phone, key: guestKey(email) };
    noteTraces(traces, guest);
    const words = wordsOf(guest);
    const fields = Object.entries(booking).map(([name, value]) => {
      const text = typeof value === 'string' ? withoutGuest(name, value, words, booking.id, traces) : value;
      return [name, text];
    });
    const data = JSON.stringify({ booking: Object.fromEntries(fields) });
    erased += await tx.run(sql.updateEvent, [hostId, id, data, event.data]);
  }
  return erased;
}

/** What an erasure leaves of a text, in a booking's row or in its record in an event. */
function withoutGuest(
  name: string,
  text: string | null,
  words: RegExp,
  bookingId: string,
  traces: Set<string>,
): string | null {
  switch (guestPart(name)) {
    case 'name':
      return sql.ERASED.name;
    case 'email':
      return sql.ERASED.email;
    case 'phone':
      return null;
    case 'own words':
      noteWords(text, traces);
      return null;
    case 'words':
      return withoutWords(text, words, traces);
    case 'chosen key':
      return withoutKey(text, words, bookingId, traces);
    // An event has neither hash nor guest key; in a row they go by statements of their own.
    case 'request hash':
    case 'guest key':
    case 'nothing':
  }
  return text;
}

async function eraseKeys(
  ctx: Context,
  actor: Actor,
  hostId: string,
  { key, bookingId, subject }: Sought,
): Promise<sql.ErasedRow[]> {
  const all: sql.ErasedRow[] = [];
  for (;;) {
    const erased = await ctx.db.transaction(async (tx) => {
      await tx.lock(`guest ${subject}`);
      const rows = await tx.all(sql.eraseKeys, [hostId, key, bookingId]);
      const left = await tx.get(sql.selectKey, [hostId, key, bookingId]);
      const entry = { action: 'guest.erased', hostId, environment: null, subject } as const;
      // Whoever erases the last one writes the entry.
      if (rows.length > 0 && left === undefined) await audit.record(tx, ctx.clock.now(), actor, entry);
      return rows;
    });
    all.push(...erased);
    if (erased.length < sql.KEYS_AT_ONCE) return all;
  }
}

function noteTraces(traces: Set<string>, guest: Guest): void {
  const address = guest.key === WALK_IN_EMAIL ? [] : [guest.email, guest.key];
  for (const text of [guest.name, ...address, guest.phone ?? '']) if (text !== '') note(traces, text);
}

/** Done first: without the right secret key nothing is done. */
async function seek(ctx: Context, { email, bookingId, hostId }: Wanted): Promise<Sought> {
  await checkSecretKey(ctx.db, ctx.config);
  const key = email === undefined ? (await find(ctx.db, bookingId!)).guest_key : guestKey(email);
  if (key === sql.ERASED.email && email !== undefined)
    throw new OperatorError(
      `${key} stands in the place of all guests who were erased; it is nobody’s address`,
    );
  if (key === WALK_IN_EMAIL && bookingId !== undefined)
    return { key, bookingId, hostId, subject: bookingId, address: undefined };
  const address = key === WALK_IN_EMAIL || key === sql.ERASED.email ? undefined : key;
  return { key, bookingId: null, hostId, subject: pseudonym(ctx.config, key), address };
}

const HOSTS_PER_STEP = 500;

async function bookingsOf(
  db: Sql,
  { key, bookingId, hostId, address }: Sought,
): Promise<sql.GuestBookingRow[]> {
  if (hostId !== undefined) await hosts.get(db, hostId);
  if (bookingId === null && address === undefined) return [];
  const hostIds = hostId === undefined ? (await db.all(sql.selectHostIds)).map(({ id }) => id) : [hostId];
  const found: sql.GuestBookingRow[] = [];
  for (const page of inBatches(hostIds, HOSTS_PER_STEP))
    found.push(...(await db.all(sql.selectBookings, [page[0]!, page.at(-1)!, key, bookingId])));
  return found;
}

/**
 * The events that tell about these bookings, page by page. There is no index of events by booking: it would be one more
 * to write with every booking, for something that is done once in a while. So all events since the first of the bookings
 * are looked through, at most those of EVENT_RETENTION_DAYS; only ids leave the database.
 */
async function* eventsOf(
  db: Sql,
  rows: readonly sql.GuestBookingRow[],
  progress: Progress,
): AsyncGenerator<{ host_id: string; id: string }[]> {
  const ids = new Set(rows.map(({ id }) => id));
  const first = [...ids].sort()[0];
  if (first === undefined) return;
  // Clocks of two machines differ: an event may have an earlier id than the booking that another machine made.
  let after = firstIdAt(Math.max(0, timeOfId(first) - DAY_MS));
  for (let seen = 0; ;) {
    const page = await db.all(sql.selectEventPage, [after]);
    const about = page.filter(({ booking_id: id }) => ids.has(id));
    if (about.length > 0) yield about;
    seen += page.length;
    progress(`${seen} events looked through`);
    const last = page.at(-1);
    if (last === undefined || page.length < sql.EVENTS_PER_PRUNE) return;
    after = last.id;
  }
}

function isAhead({ status, ends_at: endsAt }: sql.ErasedRow, now: number): boolean {
  return status === 'confirmed' && endsAt > now;
}

function hostsOf(rows: readonly { host_id: string }[]): string[] {
  return [...new Set(rows.map((row) => row.host_id))];
}

function inBatches<T>(list: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(list.length / size) }, (_, i) =>
    list.slice(i * size, (i + 1) * size),
  );
}
