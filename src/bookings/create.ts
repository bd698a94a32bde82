import { hash } from 'node:crypto';
import type { Caller, Owner } from '../api-keys/caller.ts';
import * as audit from '../audit/audit.ts';
import type { Context } from '../context.ts';
import type { Condition, Tx } from '../db/database.ts';
import * as earnings from '../earnings/earnings.ts';
import {
  ApiError,
  bookingConflict,
  bookingValueExceeded,
  guestBookingVelocity,
  invalidSettlementMode,
  selfBookingBlocked,
  type FieldError,
  validationError,
} from '../errors.ts';
import * as events from '../events/events.ts';
import { SETTLEMENT_MODES, type SettlementMode } from '../hosts/hosts.ts';
import * as hours from '../hours/hours.ts';
import { closedBecause, toSchedule, type ClosedReason } from '../hours/schedule.ts';
import { newId } from '../ids/uuid.ts';
import { toMajor } from '../money/currency.ts';
import { noSuchSpace } from '../spaces/spaces.ts';
import { localDay } from '../time/local-day.ts';
import { MINUTE_MS } from '../time/units.ts';
import { localDate } from '../time/zones.ts';
import { requestText, type BookingRequest, type BookingRow } from './fields.ts';
import { guestKey } from './guest-key.ts';
import { findToMove, whyNotMoved, writeMove } from './move.ts';
import { rangeOf, toBooking } from './record.ts';
import { sandboxGuest, sandboxVelocity } from './sandbox-guests.ts';
import type { Booking, BookingSource } from './schemas.ts';
import * as sql from './sql.ts';

export interface Created {
  booking: Booking;
  /** True when an earlier request with this key made the booking; it is returned as it is now. */
  replayed: boolean;
}

/**
 * Books hours for a guest, or answers with the booking that the same idempotency key made before. Through the platform, the
 * operator is held to neither the highest price, nor the guest's velocity, nor a notice.
 */
export async function create(
  ctx: Context,
  caller: Caller,
  request: BookingRequest,
  through: BookingSource = 'api',
): Promise<Created> {
  const requestHash = fingerprint(request);
  try {
    return await ctx.db.transaction(async (tx) => {
      const terms = await tx.get(sql.selectTerms, termsValues(caller, request));
      // A key is looked for before every rule: the space may be gone since.
      if (terms === undefined || terms.earlier_id !== null) {
        const earlier = await findByKey(tx, caller, request.idempotencyKey);
        if (earlier === undefined) throw noSuchSpace();
        return replay(earlier, requestHash);
      }
      const now = ctx.clock.now();
      const { replaces } = request;
      const old = replaces === null ? undefined : await findToMove(tx, caller, replaces, through, now);
      const mode = checkRules(ctx, terms, request, through, now);
      const row = newRow(caller, request, terms, mode, old?.source ?? through, requestHash, now);
      const held = hours
        .hoursOf(request)
        .filter((hour) => terms.held & (1 << hour) && !holds(old, row, hour));
      await refuseEarly(ctx, tx, row, held);
      const booking = toBooking(row);
      if (old === undefined) await writeAll(ctx, tx, caller, row, booking);
      else if (!(await writeMove(tx, caller, row, booking, through))) throw new OvertakenMeanwhile();
      return { booking, replayed: false };
    });
  } catch (error) {
    // A move that the same request has made meanwhile looks like a booking that cannot be moved.
    const isRefusedMove = request.replaces !== null && error instanceof ApiError;
    if (!(error instanceof OvertakenMeanwhile) && !isRefusedMove) throw error;
    const first = await findByKey(ctx.db, caller, request.idempotencyKey);
    if (first !== undefined) return replay(first, requestHash);
    if (isRefusedMove) throw error;
    if (request.replaces !== null)
      throw await whyNotMoved(ctx.db, caller, request.replaces, through, ctx.clock.now());
    throw new Error('a booking with this idempotency key was there and is gone', { cause: error });
  }
}

/** Whether the booking that is moved holds this hour of the day to which it is moved. */
function holds(old: BookingRow | undefined, row: BookingRow, hour: number): boolean {
  if (old === undefined || old.space_id !== row.space_id || old.date !== row.date) return false;
  return hour >= old.start_hour && hour < old.end_hour;
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
  const mode = SETTLEMENT_MODES.find((known) => known === request.settlementMode) ?? 'host_settled';
  const cancelledAt = state.status === 'cancelled' ? state.updated_at : null;
  const fresh = newRow(owner, request, terms, mode, state.source, fingerprint(request), state.created_at);
  const row: BookingRow = { ...fresh, ...state, cancelled_at: cancelledAt };
  await tx.run(sql.insertBooking, sql.bookingValues(row));
  if (row.status === 'completed') await earnings.addCompleted(tx, [row]);
  if (row.status === 'cancelled') return;
  const clashing = await hours.claim(tx, row.environment, rangeOf(row), { bookingId: row.id });
  if (clashing.length > 0) throw bookingConflict(clashing);
}

function termsValues(owner: Owner, request: BookingRequest): (string | number | null)[] {
  const { spaceId, idempotencyKey, date, startHour, endHour } = request;
  return [owner.hostId, owner.environment, spaceId, idempotencyKey, date, startHour, endHour];
}

/** Another request committed while this one was under way: one with the same idempotency key, or one that took the booking to be moved. */
class OvertakenMeanwhile extends Error {}

async function findByKey(
  db: Pick<Tx, 'get'>,
  owner: Owner,
  key: string | null,
): Promise<BookingRow | undefined> {
  if (key === null) return undefined;
  return db.get(sql.selectBookingByKey, [owner.hostId, owner.environment, key]);
}

function replay(row: BookingRow, requestHash: string): Created {
  if (row.request_hash !== requestHash) {
    const message = 'was used before for a different request';
    throw validationError([{ field: 'idempotency_key', message }]);
  }
  return { booking: toBooking(row), replayed: true };
}

/** The rules that need no other booking, in the order that the API promises. */
function checkRules(
  ctx: Context,
  terms: sql.TermsRow,
  request: BookingRequest,
  through: BookingSource,
  now: number,
): SettlementMode {
  if (guestKey(request.guestEmail) === guestKey(terms.host_email)) throw selfBookingBlocked();

  const allowed = terms.settlement_modes.split(' ');
  const mode = SETTLEMENT_MODES.find((known) => known === request.settlementMode);
  if (mode === undefined || !allowed.includes(mode))
    throw invalidSettlementMode(request.settlementMode, allowed);

  const schedule = toSchedule(terms);
  const hourList = hours.hoursOf(request);
  const day = localDay(schedule.timezone, request.date);
  const closed = hourList.flatMap((hour) => closedBecause(schedule, day, hour, now) ?? []);
  if (closed[0] !== undefined) {
    const past = request.date < localDate(schedule.timezone, now);
    throw validationError([past ? { field: 'date', message: 'is in the past' } : CLOSED[closed[0]]]);
  }

  const total = terms.price_per_hour * hourList.length;
  const limit = terms.max_booking_value ?? ctx.config.bookingMaxValue;
  if (through === 'api' && total > limit) {
    throw bookingValueExceeded(
      toMajor(total, terms.currency),
      toMajor(limit, terms.currency),
      terms.currency,
    );
  }
  return mode;
}

const CLOSED: Record<ClosedReason, FieldError> = {
  beyond_time: { field: 'date', message: 'must not reach into the year 10000' },
  inactive: { field: 'space_id', message: 'names a space that takes no bookings now' },
  outside_operating_hours: {
    field: 'start_hour',
    message: 'to end_hour must lie within the operating hours',
  },
  skipped: {
    field: 'start_hour',
    message: 'to end_hour has an hour that daylight saving skips on this date',
  },
  begun: { field: 'start_hour', message: 'must not have begun yet' },
};

function newRow(
  owner: Owner,
  request: BookingRequest,
  terms: sql.TermsRow,
  mode: SettlementMode,
  source: BookingSource,
  requestHash: string,
  now: number,
): BookingRow {
  const day = localDay(terms.timezone, request.date);
  return {
    id: newId(),
    host_id: owner.hostId,
    environment: owner.environment,
    space_id: request.spaceId,
    status: 'confirmed',
    source,
    date: request.date,
    start_hour: request.startHour,
    end_hour: request.endHour,
    timezone: terms.timezone,
    starts_at: day.startsAt[request.startHour]!,
    ends_at: day.endsAt[request.endHour - 1]!,
    guest_name: request.guestName,
    guest_email: request.guestEmail,
    guest_key: guestKey(request.guestEmail),
    guest_phone: request.guestPhone,
    price_per_hour: terms.price_per_hour,
    total_price: terms.price_per_hour * (request.endHour - request.startHour),
    currency: terms.currency,
    commission_millionths: terms.commission_millionths,
    settlement_mode: mode,
    payment_status: mode === 'host_settled' ? 'host_collected' : 'pending',
    idempotency_key: request.idempotencyKey,
    request_hash: request.idempotencyKey === null ? null : requestHash,
    cancellation_reason: null,
    cancelled_at: null,
    created_at: now,
    updated_at: now,
    paid_at: null,
    refunded_at: null,
    replaces: request.replaces,
    replaced_by: null,
  };
}

/**
 * Writes the booking and all that goes with it, in the order in which every booking takes its locks: idempotency key, guest,
 * hours. Nothing is awaited before everything is called, so that all travels in one message. The guest is always locked: whatever a rule
 * counts of a guest holds until the commit.
 */
async function writeAll(
  ctx: Context,
  tx: Tx,
  caller: Caller,
  row: BookingRow,
  booking: Booking,
): Promise<void> {
  const { hostId, environment } = caller;
  const range = rangeOf(row);
  const inserted = tx.run(sql.insertBooking, sql.bookingValues(row));
  const locked = tx.lock(`guest ${hostId} ${environment} ${row.guest_key}`);
  const claimed = hours.claim(tx, environment, range, { bookingId: row.id });
  const announced = events.append(
    tx,
    row.created_at,
    caller,
    { type: 'booking.created', data: { booking } },
    events.availabilityChanged(range, hours.hoursOf(range), 'booking_created'),
  );
  const entry = { action: 'booking.created', hostId, environment, subject: row.id } as const;
  const recorded = audit.record(tx, row.created_at, caller.actor, entry);
  const stands = tx.require(
    { judge: sql.isInserted, values: [hostId, row.id], refusal: () => new OvertakenMeanwhile() },
    ...(isHeldToVelocity(row) ? [velocity(ctx, row, ctx.config.guestVelocity.max)] : []),
    {
      judge: sql.hasItsHours,
      values: [hostId, row.end_hour - row.start_hour, row.id, row.space_id, row.date],
      refusal: async () => bookingConflict(await claimed),
    },
  );
  await Promise.all([inserted, locked, claimed, announced, recorded, stands]);
}

/** Refuses, before anything is written, the guests that the sandbox always refuses, and whoever wants hours that are held. */
async function refuseEarly(ctx: Context, tx: Tx, row: BookingRow, held: number[]): Promise<void> {
  const guest = sandboxGuest(row);
  if (guest === 'velocity' && row.replaces === null) throw sandboxVelocity(ctx.config);
  if (guest === 'conflict') throw bookingConflict(hours.hoursOf(rangeOf(row)));
  if (held.length === 0) return;
  if (isHeldToVelocity(row)) {
    // This one is not among them yet.
    const { judge, values, refusal } = velocity(ctx, row, ctx.config.guestVelocity.max - 1);
    const recent = (await tx.get(judge, values))!;
    if (recent.holds === 0) throw await refusal(recent);
  }
  throw bookingConflict(held);
}

/** Whether a booking is held to velocity: those of the platform, moved ones and those of sandbox guests are not. */
function isHeldToVelocity(row: BookingRow): boolean {
  return row.source !== 'platform' && row.replaces === null && sandboxGuest(row) === undefined;
}

/** The guest has made at most so many bookings lately. The next one is possible when the oldest of them has left the window. */
function velocity(ctx: Context, row: BookingRow, most: number): Condition<sql.RecentRow> {
  const { max, windowMinutes } = ctx.config.guestVelocity;
  const windowMs = windowMinutes * MINUTE_MS;
  return {
    judge: sql.isWithinVelocity,
    values: [row.host_id, row.environment, row.guest_key, row.created_at - windowMs, most],
    refusal: ({ oldest }) => {
      const waitMs = (oldest ?? row.created_at) + windowMs - row.created_at;
      return guestBookingVelocity(max, windowMinutes, Math.max(1, Math.ceil(waitMs / 1000)));
    },
  };
}

function fingerprint(request: BookingRequest): string {
  return hash('sha256', requestText(request), 'hex');
}
