import { ownerOf, type Actor } from '../caller.ts';
import type { Context } from '../context.ts';
import type { Sql, Tx } from '../db/database.ts';
import { OperatorError } from '../errors.ts';
import { LAST_ID } from '../ids/uuid.ts';
import { toTimestamp } from '../time/clock.ts';
import { create } from './create.ts';
import { toRequest, type BookingRow, type OperatorBooking } from './fields.ts';
import { isGuest } from './guest.ts';
import { datesOf } from './list.ts';
import * as bookings from './cancel.ts';
import * as sql from './sql.ts';
import { shownToOperator } from './shown.ts';

/** Pending and confirmed are without those of cancelled bookings; what was paid for these is to be refunded. */
export const PAYMENT_STATES = ['pending', 'confirmed', 'refund_pending', 'refunded'] as const;
export type PaymentState = (typeof PAYMENT_STATES)[number];

export interface OperatorFilter {
  host?: string;
  space?: string;
  /** One, or several separated by commas. */
  status?: string;
  reference?: string;
  /** Local dates, both inclusive. */
  from?: string;
  to?: string;
  /** Letters of a name or an address. */
  guest?: string;
  payment?: PaymentState;
  limit: number;
}

/** Newest first. */
export async function list(ctx: Context, filter: OperatorFilter): Promise<OperatorBooking[]> {
  const { guest, limit } = filter;
  const { from, to } = datesOf(filter, ctx.clock.now());
  const isWanted = guest === undefined ? () => true : isGuest(guest);
  const found: OperatorBooking[] = [];
  for (let before = LAST_ID; ;) {
    const values = [...valuesOf(filter), from, to, before, limit];
    const page = await ctx.db.all(sql.selectForOperator, values);
    found.push(...page.filter(isWanted).map((row) => shownToOperator(ctx, row)));
    if (page.length < limit || found.length >= limit) return found.slice(0, limit);
    before = page.at(-1)!.id;
  }
}

/** What has changed since then, in the order of the changes. */
export async function listChanges(
  ctx: Context,
  filter: OperatorFilter,
  since: number,
): Promise<OperatorBooking[]> {
  const values = [...valuesOf(filter), since, filter.limit];
  const rows = await ctx.db.all(sql.selectChangesForOperator, values);
  return rows.map((row) => shownToOperator(ctx, row));
}

function valuesOf({ host, space, status, payment, reference }: OperatorFilter): (string | null)[] {
  return [host, space, status, payment, reference].map((value) => value ?? null);
}

export async function show(ctx: Context, bookingId: string): Promise<OperatorBooking> {
  return shownToOperator(ctx, await find(ctx.db, bookingId));
}

export async function find(db: Sql, bookingId: string): Promise<BookingRow> {
  return (await db.get(sql.selectAnyBooking, [bookingId])) ?? refuseUnknown(bookingId);
}

/** The same, and nobody else changes it until the transaction ends. */
export async function lock(tx: Tx, bookingId: string): Promise<BookingRow> {
  return (await tx.get(sql.lockAnyBooking, [bookingId])) ?? refuseUnknown(bookingId);
}

function refuseUnknown(bookingId: string): never {
  throw new OperatorError(`there is no booking ${bookingId}`);
}

/** Whatever the space's notice window says, and also when it has begun: only an end that has passed is final. */
export async function cancel(
  ctx: Context,
  actor: Actor,
  bookingId: string,
  reason: string,
): Promise<OperatorBooking> {
  const owner = ownerOf(await find(ctx.db, bookingId));
  await bookings.cancel(ctx, { ...owner, actor }, bookingId, reason, 'platform');
  return show(ctx, bookingId);
}

export interface Place {
  space?: string | undefined;
  date: string;
  startHour: number;
  endHour: number;
}

/** Moves a booking, whoever made it and whatever notice its space asks for. The guest and how they pay stay. Returns the new one. */
export async function move(
  ctx: Context,
  actor: Actor,
  bookingId: string,
  to: Place,
): Promise<OperatorBooking> {
  const old = await show(ctx, bookingId);
  const { booking } = await create(
    ctx,
    { ...ownerOf(old), actor },
    {
      ...toRequest(old),
      space_id: to.space ?? old.space_id,
      date: to.date,
      start_hour: to.startHour,
      end_hour: to.endHour,
      replaces: old.id,
      walk_in: false,
      idempotency_key: null,
    },
    'platform',
  );
  return show(ctx, booking.id);
}

export async function anyOfHost(db: Sql, hostId: string): Promise<boolean> {
  return (await db.get(sql.selectAnyOfHost, [hostId])) !== undefined;
}

export interface NewestBooking {
  id: string;
  created_at: string;
}

/** The one that was made last, of all hosts. Ids sort by time. Asked of SQLite alone, which has an index by id. */
export async function newest(db: Sql): Promise<NewestBooking | undefined> {
  const row = await db.get(sql.selectNewest, []);
  return row && { id: row.id, created_at: toTimestamp(row.created_at) };
}
