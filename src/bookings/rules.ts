import type { Caller } from '../caller.ts';
import type { Context } from '../context.ts';
import type { Condition, Tx } from '../db/database.ts';
import {
  type ApiError,
  bookingValueExceeded,
  guestBookingVelocity,
  invalidSettlementMode,
  selfBookingBlocked,
  invalid,
} from '../errors.ts';
import { SETTLEMENT_MODES, type SettlementMode } from '../hosts/hosts.ts';
import { hoursOf } from '../hours/hours.ts';
import {
  closedOn,
  isRunning,
  NO_RULES,
  toSchedule,
  type BookingRules,
  type ClosedReason,
} from '../hours/schedule.ts';
import { toMajor } from '../money/currency.ts';
import { localDay } from '../time/local-day.ts';
import { MINUTE_MS } from '../time/units.ts';
import { localDate } from '../time/zones.ts';
import { WALK_IN_EMAIL, type BookingRow, type CompleteRequest } from './fields.ts';
import { guestKey, sandboxGuest } from './guest.ts';
import type { BookingSource } from './schemas.ts';
import * as sql from './sql.ts';

// The rules of a booking, new or moved, in the order that the API promises: those that need no other booking, those about the
// guest's other bookings, and last that its hours are free, which create.ts and move.ts see to. Each says whom it spares.
// `through` is who asks: a host by the API, or the platform's operator. The row's `source` is another question: a moved booking keeps it.

/** The rules that need no other booking. Answers with the settlement mode, which is then known to be one. */
export function checkByItself(
  ctx: Context,
  caller: Caller,
  terms: sql.TermsRow,
  request: CompleteRequest,
  through: BookingSource,
  now: number,
): SettlementMode {
  const guest = guestKey(request.guest_email);
  if (guest === guestKey(terms.host_email)) throw selfBookingBlocked();

  const allowed = terms.settlement_modes.split(' ');
  const mode = SETTLEMENT_MODES.find((known) => known === request.settlement_mode);
  if (mode === undefined || !allowed.includes(mode))
    throw invalidSettlementMode(request.settlement_mode, allowed);

  const rules = through === 'api' ? terms : { ...terms, ...NO_RULES };
  const problem = problemOf(rules, request, now);
  if (problem !== undefined) throw invalid(...problem);

  // Not for the operator.
  const total = terms.price_per_hour * (request.end_hour - request.start_hour);
  const limit = terms.max_booking_value ?? ctx.config.bookingMaxValue;
  if (through === 'api' && total > limit) {
    throw bookingValueExceeded(
      toMajor(total, terms.currency),
      toMajor(limit, terms.currency),
      terms.currency,
    );
  }

  // Velocity comes next: here is the place of the guest whom the sandbox always refuses for it.
  const { environment } = caller;
  const isTooQuick = sandboxGuest({ environment, guest_key: guest }) === 'velocity';
  const { max, windowMinutes } = ctx.config.guestVelocity;
  if (isTooQuick && request.replaces === null) throw guestBookingVelocity(max, windowMinutes, 60);
  return mode;
}

type Problem = readonly [field: string, message: string];

/** Why the space takes no such booking: its hours, how many they are, or for how many people. */
function problemOf(terms: sql.TermsRow, request: CompleteRequest, now: number): Problem | undefined {
  const { date, start_hour, end_hour, walk_in, guest_count } = request;
  const { timezone, min_hours, max_hours, capacity } = terms;
  if (walk_in && !isRunning(localDay(timezone, date), start_hour, now))
    return ['start_hour', 'must be the hour that is running now, for a walk-in'];
  const closed = closedOn(toSchedule(terms, now), date, walk_in);
  const reason = hoursOf({ startHour: start_hour, endHour: end_hour }).map(closed).find(Boolean);
  if (reason) return date < localDate(timezone, now) ? ['date', 'is in the past'] : CLOSED[reason](terms);
  const hours = end_hour - start_hour;
  if (min_hours !== null && hours < min_hours)
    return ['end_hour', `must be later: this space is booked for at least ${counted(min_hours, 'hour')}`];
  if (max_hours !== null && hours > max_hours)
    return ['end_hour', `must be earlier: this space is booked for at most ${counted(max_hours, 'hour')}`];
  if (capacity !== null && guest_count !== null && guest_count > capacity)
    return ['guest_count', `must be ${capacity} or less, the capacity of the space`];
  return undefined;
}

const CLOSED: Record<ClosedReason, (rules: BookingRules) => Problem> = {
  beyond_time: () => ['date', 'must not reach into the year 10000'],
  inactive: () => ['space_id', 'names a space that takes no bookings now'],
  outside_operating_hours: () => ['start_hour', 'to end_hour must lie within the operating hours'],
  skipped: () => ['start_hour', 'to end_hour has an hour that daylight saving skips on this date'],
  begun: () => ['start_hour', 'must not have begun yet'],
  lead_hours: ({ lead_hours }) => [
    'start_hour',
    `must be later: this space is booked at least ${counted(lead_hours!, 'hour')} in advance`,
  ],
  horizon_days: ({ horizon_days }) => [
    'date',
    `must be earlier: this space is booked at most ${counted(horizon_days!, 'day')} in advance`,
  ],
};

function counted(count: number, unit: string): string {
  return `${count} ${unit}${count === 1 ? '' : 's'}`;
}

/**
 * The rules about the guest's other bookings. They are asked when all is written, while the guest is locked. Where hours are known to be
 * held, nothing is written: then they are asked before the conflict is told. Both times they must say the same, so they count the others
 * alone: `sql.othersOfGuest`.
 */
export function rulesAmongOthers(ctx: Context, row: BookingRow, through: BookingSource): Condition[] {
  return [velocity(ctx, row, through)].filter((rule) => rule !== undefined);
}

/**
 * A guest makes at most so many bookings in a while. The next one is possible when the oldest of them is that long ago. Not for moves,
 * even to another guest, nor for the operator; their bookings do not count either. Not for the sandbox's guests, nor for walk-ins without
 * an address.
 */
function velocity(
  ctx: Context,
  row: BookingRow,
  through: BookingSource,
): Condition<sql.RecentRow> | undefined {
  if (row.replaces !== null || through === 'platform' || sandboxGuest(row) !== undefined) return undefined;
  if (row.guest_key === WALK_IN_EMAIL) return undefined;
  const { max, windowMinutes } = ctx.config.guestVelocity;
  const windowMs = windowMinutes * MINUTE_MS;
  return {
    judge: sql.isWithinVelocity,
    values: [...sql.othersOfGuest(row), max, row.created_at - windowMs],
    refusal: ({ oldest }) => {
      const waitMs = oldest! + windowMs - row.created_at;
      return guestBookingVelocity(max, windowMinutes, Math.max(1, Math.ceil(waitMs / 1000)));
    },
  };
}

/** Until the commit nobody else makes a booking for this guest, or moves one to this guest. */
export async function lockGuest(tx: Tx, row: BookingRow): Promise<void> {
  await tx.lock(`guest ${row.host_id} ${row.environment} ${row.guest_key}`);
}

/** For whoever meets a booking with the same key. Whether the same request has made it, `create` finds out. */
export function keyIsTaken(): ApiError {
  return invalid('idempotency_key', 'was used before for a different request');
}
