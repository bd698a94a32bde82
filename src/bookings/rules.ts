import type { Caller } from '../caller.ts';
import type { Context } from '../context.ts';
import type { Condition, Tx } from '../db/database.ts';
import {
  type ApiError,
  bookingValueExceeded,
  guestBookingVelocity,
  invalidSettlementMode,
  selfBookingBlocked,
  type FieldError,
  validationError,
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
  type Schedule,
} from '../hours/schedule.ts';
import { toMajor } from '../money/currency.ts';
import { localDay } from '../time/local-day.ts';
import { MINUTE_MS } from '../time/units.ts';
import { localDate } from '../time/zones.ts';
import { WALK_IN_EMAIL, type BookingRow, type CompleteRequest } from './fields.ts';
import { guestKey, sandboxGuest, sandboxVelocity } from './guest.ts';
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

  const schedule = toSchedule(through === 'api' ? terms : { ...terms, ...NO_RULES }, now);
  const hourList = hoursOf({ startHour: request.start_hour, endHour: request.end_hour });
  const problem =
    problemOfHours(terms, schedule, request, hourList) ??
    (through === 'api' ? problemOfLength(terms, hourList.length) : undefined) ??
    problemOfGuests(terms, request);
  if (problem !== undefined) throw validationError([problem]);

  // Not for the operator.
  const total = terms.price_per_hour * hourList.length;
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
  if (isTooQuick && request.replaces === null) throw sandboxVelocity(ctx.config);
  return mode;
}

/** Why the space takes no booking of these hours. */
function problemOfHours(
  terms: sql.TermsRow,
  schedule: Schedule,
  { date, start_hour, walk_in }: CompleteRequest,
  hourList: readonly number[],
): FieldError | undefined {
  const { timezone, now } = schedule;
  if (walk_in && !isRunning(localDay(timezone, date), start_hour, now))
    return { field: 'start_hour', message: 'must be the hour that is running now, for a walk-in' };
  const closed = closedOn(schedule, date, walk_in);
  const reason = hourList.map(closed).find((each) => each !== null);
  if (reason === undefined) return undefined;
  return date < localDate(timezone, now)
    ? { field: 'date', message: 'is in the past' }
    : CLOSED[reason](terms);
}

const CLOSED: Record<ClosedReason, (rules: BookingRules) => FieldError> = {
  beyond_time: () => ({ field: 'date', message: 'must not reach into the year 10000' }),
  inactive: () => ({ field: 'space_id', message: 'names a space that takes no bookings now' }),
  outside_operating_hours: () => ({
    field: 'start_hour',
    message: 'to end_hour must lie within the operating hours',
  }),
  skipped: () => ({
    field: 'start_hour',
    message: 'to end_hour has an hour that daylight saving skips on this date',
  }),
  begun: () => ({ field: 'start_hour', message: 'must not have begun yet' }),
  lead_hours: ({ lead_hours }) => ({
    field: 'start_hour',
    message: `must be later: this space is booked at least ${counted(lead_hours!, 'hour')} in advance`,
  }),
  horizon_days: ({ horizon_days }) => ({
    field: 'date',
    message: `must be earlier: this space is booked at most ${counted(horizon_days!, 'day')} in advance`,
  }),
};

/** Why the space takes no booking of so many hours. */
function problemOfLength({ min_hours, max_hours }: BookingRules, hours: number): FieldError | undefined {
  const problem = (message: string): FieldError => ({ field: 'end_hour', message });
  if (min_hours !== null && hours < min_hours)
    return problem(`must be later: this space is booked for at least ${counted(min_hours, 'hour')}`);
  if (max_hours !== null && hours > max_hours)
    return problem(`must be earlier: this space is booked for at most ${counted(max_hours, 'hour')}`);
  return undefined;
}

function counted(count: number, unit: string): string {
  return `${count} ${unit}${count === 1 ? '' : 's'}`;
}

/** Why the space takes no booking for so many people. */
function problemOfGuests(
  { capacity }: sql.TermsRow,
  { guest_count }: CompleteRequest,
): FieldError | undefined {
  if (capacity === null || guest_count === null || guest_count <= capacity) return undefined;
  return { field: 'guest_count', message: `must be ${capacity} or less, the capacity of the space` };
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
  return validationError([{ field: 'idempotency_key', message: 'was used before for a different request' }]);
}
