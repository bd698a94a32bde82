import { hash } from 'node:crypto';
import type { Caller, Owner } from '../caller.ts';
import * as audit from '../audit/audit.ts';
import * as books from '../books/books.ts';
import type { Context } from '../context.ts';
import { refuseBroken, type Condition, type Tx } from '../db/database.ts';
import * as earnings from '../earnings/earnings.ts';
import { ApiError, bookingConflict, invalid } from '../errors.ts';
import * as events from '../events/events.ts';
import { SETTLEMENT_MODES, type SettlementMode } from '../hosts/hosts.ts';
import * as hours from '../hours/hours.ts';
import { newId } from '../ids/uuid.ts';
import { noSuchSpace } from '../spaces/spaces.ts';
import { localDay } from '../time/local-day.ts';
import { monthOf } from '../time/month.ts';
import {
  requestText,
  WALK_IN_EMAIL,
  withKept,
  type BookingRequest,
  type BookingRow,
  type CompleteRequest,
} from './fields.ts';
import { findToMove, writeMove } from './move.ts';
import { rangeOf } from './cancel.ts';
import { checkByItself, keyIsTaken, lockGuest, rulesAmongOthers } from './rules.ts';
import { guestKey, sandboxGuest } from './guest.ts';
import type { Booking, BookingSource } from './schemas.ts';
import * as sql from './sql.ts';
import { shown } from './shown.ts';

/**
 * Books hours for a guest, or returns the booking that the same idempotency key made before. Through the platform, the
 * operator is held to fewer rules, and to no notice where a booking is moved.
 *
 * The key goes before every rule, so whoever is rejected gets the error only after a look for it: the space may be gone since, or a twin
 * of this request may just have moved the booking. Hours that are held need no such look: they are seen together with the key, or after it
 * has become ours.
 */
export async function create(
  ctx: Context,
  caller: Caller,
  request: BookingRequest,
  through: BookingSource = 'api',
): Promise<{ booking: Booking; replayed: boolean }> {
  checkWalkIn(request, through);
  // Hashed before the transaction: in between SQLite's statements it takes more than five times as long.
  const requestHash = hashOf(request);
  try {
    const booking = await ctx.db.transaction((tx) => make(ctx, tx, caller, request, through, requestHash));
    return { booking, replayed: false };
  } catch (refusal) {
    const { idempotency_key: idempotencyKey } = request;
    const isRefused = refusal instanceof ApiError && refusal.code !== 'BOOKING_CONFLICT';
    if (!isRefused || idempotencyKey === null) throw refusal;
    const key = [caller.hostId, caller.environment, idempotencyKey];
    const earlier = await ctx.db.get(sql.selectBookingByKey, key);
    if (earlier === undefined) throw refusal;
    if (earlier.request_hash !== requestHash) throw keyIsTaken();
    return { booking: shown(ctx, caller.environment, earlier), replayed: true };
  }
}

function hashOf(request: BookingRequest): string {
  return hash('sha256', requestText(request), 'hex');
}

/** In the order that the API promises: space, key, booking to move, rules, hours. */
async function make(
  ctx: Context,
  tx: Tx,
  caller: Caller,
  request: BookingRequest,
  through: BookingSource,
  requestHash: string,
): Promise<Booking> {
  const terms = await tx.get(sql.selectTerms, termsValues(caller, request));
  if (terms === undefined) throw noSuchSpace();
  if (terms.earlier_id !== null) throw keyIsTaken();
  const now = ctx.clock.now();
  const { replaces } = request;
  const old = replaces === null ? undefined : await findToMove(tx, caller, replaces, through, now);
  const wanted = withKept(request, old);
  const mode = checkByItself(ctx, caller, terms, wanted, through, now);
  const row = newRow(caller, wanted, terms, mode, old?.source ?? through, requestHash, now);
  const rules = rulesAmongOthers(ctx, row, through);
  const held = heldHours(terms, row, old);
  if (held.length > 0) {
    // Refused without writing anything; the rules about the guest still come first.
    await refuseBroken(tx, rules);
    throw bookingConflict(held);
  }
  const booking = shown(ctx, caller.environment, row);
  if (old === undefined) await writeAll(tx, caller, row, booking, rules, terms.subscriptions);
  else await writeMove(tx, caller, row, booking, rules, through);
  return booking;
}

/** Only a walk-in may lack its guest's address. An operator moves a walk-in as it is. */
function checkWalkIn({ walk_in, guest_email, replaces }: BookingRequest, through: BookingSource): void {
  const isMove = replaces !== null;
  if (walk_in && isMove) throw invalid('walk_in', 'must not be true together with replaces');
  const mayLackEmail = walk_in || (isMove && through === 'platform');
  if (guestKey(guest_email) === WALK_IN_EMAIL && !mayLackEmail) throw invalid('guest_email', 'is required');
}

/** The wanted hours that somebody holds, but for those of the booking that is moved. In the sandbox all are held for conflict@. */
function heldHours(terms: sql.TermsRow, row: BookingRow, old: BookingRow | undefined): number[] {
  const wanted = hours.hoursOf(rangeOf(row));
  if (sandboxGuest(row) === 'conflict') return wanted;
  const isSameDay = old?.space_id === row.space_id && old.date === row.date;
  const isOwn = (hour: number) => isSameDay && hour >= old.start_hour && hour < old.end_hour;
  return wanted.filter((hour) => (terms.held | terms.busy) & (1 << hour) && !isOwn(hour));
}

/**
 * Writes a booking in whatever state it is, with its hours, without rules or events. For demo data.
 */
export async function enterAsItStands(
  tx: Tx,
  owner: Owner,
  request: BookingRequest,
  state: Pick<
    BookingRow,
    'source' | 'status' | 'payment_status' | 'paid_at' | 'cancellation_reason' | 'created_at' | 'updated_at'
  >,
): Promise<void> {
  const terms = await tx.get(sql.selectTerms, termsValues(owner, request));
  if (terms === undefined) throw noSuchSpace();
  const mode = SETTLEMENT_MODES.find((known) => known === request.settlement_mode) ?? 'host_settled';
  const cancelledAt = state.status === 'cancelled' ? state.updated_at : null;
  const wanted = withKept(request, undefined);
  const fresh = newRow(owner, wanted, terms, mode, state.source, hashOf(request), state.created_at);
  const row: BookingRow = { ...fresh, ...state, cancelled_at: cancelledAt };
  await tx.run(sql.insertBooking, sql.bookingValues(row));
  if (row.status === 'completed') await earnings.addCompleted(tx, [row]);
  if (row.status === 'cancelled') return;
  const held = heldHours(terms, row, undefined);
  const taken = await hours.take(tx, rangeOf(row), { bookingId: row.id });
  if (held.length > 0 || taken < row.end_hour - row.start_hour) throw bookingConflict(held);
}

function termsValues(owner: Owner, request: BookingRequest): (string | number | null)[] {
  const { space_id, idempotency_key, date, start_hour, end_hour } = request;
  return [owner.hostId, owner.environment, space_id, idempotency_key, date, start_hour, end_hour];
}

function newRow(
  owner: Owner,
  request: CompleteRequest,
  terms: sql.TermsRow,
  mode: SettlementMode,
  source: BookingSource,
  requestHash: string,
  now: number,
): BookingRow {
  const day = localDay(terms.timezone, request.date);
  return {
    ...request,
    id: newId(),
    host_id: owner.hostId,
    environment: owner.environment,
    status: 'confirmed',
    source,
    timezone: terms.timezone,
    starts_at: day.startsAt[request.start_hour]!,
    ends_at: day.endsAt[request.end_hour - 1]!,
    guest_key: guestKey(request.guest_email),
    price_per_hour: terms.price_per_hour,
    total_price: terms.price_per_hour * (request.end_hour - request.start_hour),
    currency: terms.currency,
    commission_millionths: terms.commission_millionths,
    settlement_mode: mode,
    walk_in: Number(request.walk_in),
    payment_status: mode === 'host_settled' ? 'host_collected' : 'pending',
    request_hash: request.idempotency_key === null ? null : requestHash,
    cancellation_reason: null,
    cancelled_at: null,
    created_at: now,
    updated_at: now,
    paid_at: null,
    payment_reference: null,
    payment_voided_at: null,
    is_late: Number(source === 'api' && monthOf(request.date) <= (terms.closed_through ?? '')),
    as_closed: null,
    refunded_at: null,
    refund_reference: null,
    replaced_by: null,
  };
}

/**
 * Writes the booking and all that goes with it, in the order in which every booking takes its locks: idempotency key, guest,
 * hours. Nothing is awaited before everything is called, so that all travels in one message. While the guest is locked, what a rule
 * counts of the guest stays as it is.
 */
async function writeAll(
  tx: Tx,
  caller: Caller,
  row: BookingRow,
  booking: Booking,
  rules: readonly Condition[],
  subscriptions: events.Subscriptions,
): Promise<void> {
  const { hostId, environment } = caller;
  const range = rangeOf(row);
  if (await books.isLate(tx, row, row.created_at)) row.is_late = 1;
  const conflict = async (): Promise<Error> =>
    bookingConflict(await hours.clashing(tx, range, { bookingId: row.id }));
  const inserted = tx.run(sql.insertBooking, sql.bookingValues(row));
  const locked = lockGuest(tx, row);
  const claimed = hours.take(tx, range, { bookingId: row.id });
  const announced = events.appendTo(
    subscriptions,
    tx,
    row.created_at,
    caller,
    { type: 'booking.created', data: { booking } },
    events.availabilityChanged(range, hours.hoursOf(range), 'booking_created'),
  );
  const entry = { action: 'booking.created', hostId, environment, subject: row.id } as const;
  const recorded = audit.record(tx, row.created_at, caller.actor, entry);
  const stands = tx.require(
    { judge: sql.isInserted, values: [hostId, row.id], refusal: keyIsTaken },
    ...rules,
    {
      judge: sql.hasItsHours,
      values: [hostId, row.end_hour - row.start_hour, row.id, row.space_id, row.date],
      refusal: conflict,
    },
    { ...hours.isNowhereBusy(range), refusal: conflict },
    events.stillSubscribed(caller, subscriptions),
  );
  await Promise.all([inserted, locked, claimed, announced, recorded, stands]);
}
