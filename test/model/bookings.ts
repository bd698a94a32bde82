// Bookings: create, move, cancel, read, list (contract §5).
import { emit, emitHours } from './events.ts';
import { hold, hoursOf, isExternal, isHeld, isOpen, isRunning, isTooFar, isTooSoon } from './hours.ts';
import * as input from './input.ts';
import { invalid, notFound, Rejection, type Body, type Check } from './input.ts';
import * as money from './money.ts';
import type { Answer, Call } from './requests.ts';
import { isClosed } from './settlement.ts';
import { aYearBefore, HOUR, isTime, monthOf, startOf, today } from './time.ts';
import * as world from './world.ts';
import type { Account, Booking, Wanted, World } from './world.ts';

export const WALK_IN_EMAIL = 'walk-in@walk-in.invalid';

/** What is changed. Its time does not go back when the clock does, so that whoever asks what has changed misses nothing. */
export function change(booking: Booking, now: number, changes: Partial<Booking>): void {
  Object.assign(booking, changes, { updated_at: Math.max(now, booking.updated_at) });
}

export const wasPaid = ({ payments }: Booking): boolean => payments.some(({ kind }) => kind === 'confirmed');

/** The record. What depends on the time is as of `now`. */
export function shown(booking: Booking, now: number): Body {
  const { space, status, starts_at, dueAt } = booking;
  const isDue = status === 'confirmed' && starts_at > now && !wasPaid(booking);
  const record = {
    ...world.without(booking, 'space', 'rate', 'payments', 'dueAt', 'isLate'),
    space_id: space.id,
    hours: hoursOf(booking).length,
    currency: space.account.host.currency,
    payment_due_at: isDue ? dueAt : null,
  };
  return money.shown(record, space.account.host.currency);
}

const CONTROL = /\p{Cc}/u;
const CONTROL_BUT_LINES = /[^\P{Cc}\t\n\r]/u;
const isKey: Check = (value) => typeof value === 'string' && /^[ -~]{1,255}$/.test(value);
const REFERENCE = input.text(1, 200, CONTROL);

const FIELDS: Record<string, Check> = {
  space_id: input.isUuid,
  date: input.DATE,
  start_hour: input.START_HOUR,
  end_hour: input.END_HOUR,
  guest_name: input.text(1, 200),
  guest_email: input.isEmail,
  guest_phone: input.text(1, 40),
  settlement_mode: input.text(0, 64),
  reference: input.nullable(REFERENCE),
  notes: input.nullable(input.text(1, 2000, CONTROL_BUT_LINES)),
  guest_count: input.nullable(input.integer(1, 10_000)),
  walk_in: input.isBoolean,
  idempotency_key: isKey,
  replaces: input.nullable(input.isUuid),
};
const REQUIRED = ['space_id', 'date', 'start_hour', 'end_hour', 'guest_name'];

/** What a move keeps of the old booking; null clears one. */
const KEPT = {
  reference: null as string | null,
  notes: null as string | null,
  guest_count: null as number | null,
};
export type Kept = typeof KEPT;
/** Where nothing else is said. */
export const DEFAULTS = {
  ...KEPT,
  guest_email: WALK_IN_EMAIL,
  guest_phone: null,
  settlement_mode: 'host_settled',
  walk_in: false,
  idempotency_key: null,
};

export function createBooking(call: Call): Answer {
  const { world: of, now, account } = call;
  const isWalkIn = (call.body as Body)['walk_in'] === true;
  const body = input.checkBody(call.body, FIELDS, isWalkIn ? REQUIRED : [...REQUIRED, 'guest_email']);
  const header = call.headers['idempotency-key'];
  if (header !== undefined && (!isKey(header) || (body['idempotency_key'] ?? header) !== header))
    throw invalid();
  if (!input.endsAfterStart(body)) throw invalid('end_hour');
  const isMove = (body['replaces'] ?? null) !== null;
  if (isMove && isWalkIn) throw invalid();
  if (!isWalkIn && world.sameGuest(body['guest_email'] as string) === WALK_IN_EMAIL)
    throw invalid('guest_email');

  const key = (header ?? body['idempotency_key'] ?? null) as string | null;
  const request = fingerprint(of, body, isMove);
  const known = key === null ? undefined : account.requests.get(key);
  if (known !== undefined) {
    if (known.request !== request) throw invalid();
    return { data: { booking: shown(known.booking, now) }, headers: { 'idempotent-replayed': 'true' } };
  }

  const space = of.spaces.get(world.nameOf(of, body['space_id']));
  if (space?.account !== account) throw notFound();
  const replaced = isMove ? movable(call, body['replaces']) : null;
  const wanted = {
    ...DEFAULTS,
    ...world.pick(replaced ?? KEPT, ...(Object.keys(KEPT) as (keyof Kept)[])),
    ...world.without(body, 'space_id', 'replaces'),
    space,
    idempotency_key: key,
    source: replaced?.source ?? 'api',
  } as Wanted;
  const booking = book(of, wanted, replaced);
  if (key !== null) account.requests.set(key, { request, booking });
  return { data: { booking: shown(booking, now) } };
}

/** The same request is the same text. Null equals absent, but where a move clears what it would keep. */
function fingerprint(of: World, body: Body, isMove: boolean): string {
  const filled = {
    settlement_mode: 'host_settled',
    walk_in: false,
    ...world.without(body, 'idempotency_key'),
  };
  const entries = Object.entries(filled)
    .map(([name, value]) => [name, /^(space_id|replaces)$/.test(name) ? world.nameOf(of, value) : value])
    .filter(([name, value]) => (isMove && name !== 'replaces') || (value !== null && value !== ''));
  return JSON.stringify(world.sortBy(entries, ([name]) => [name as string]));
}

/** The booking that a move replaces. */
function movable(call: Call, id: unknown): Booking {
  const old = call.world.bookings.get(world.nameOf(call.world, id));
  if (old?.space.account !== call.account || old.payment_status === 'confirmed') throw invalid('replaces');
  if (!canBeCancelled(old, call.now)) throw new Rejection('BOOKING_CANCELLATION_BLOCKED');
  return old;
}

/** The rules in their order, and then everything at once. The operator is spared some rules. */
export function book(of: World, wanted: Wanted, replaced: Booking | null, isOperator = false): Booking {
  const { now, settings } = of;
  const { space, date, source, guest_email, settlement_mode } = wanted;
  const { account, timezone, price_per_hour } = space;
  const { host } = account;
  const hours = hoursOf(wanted);
  const total_price = price_per_hour * hours.length;
  const sandbox = world.sandboxGuest(account, guest_email);

  if (world.sameGuest(guest_email) === world.sameGuest(host.email))
    throw new Rejection('SELF_BOOKING_BLOCKED');
  if (!host.modes.includes(settlement_mode)) throw new Rejection('BOOKING_INVALID_SETTLEMENT_MODE');
  checkHours(wanted, hours, now, isOperator);
  if (!isOperator && total_price > (host.maxValue ?? settings.bookingMaxValue))
    throw new Rejection('BOOKING_VALUE_EXCEEDED');
  if (replaced === null && source === 'api') checkVelocity(of, account, guest_email, sandbox);
  const isSameDay = replaced?.space === space && replaced.date === date;
  const before = replaced === null ? [] : hoursOf(replaced);
  const isTaken = (hour: number): boolean =>
    isSameDay && before.includes(hour) ? isExternal(space, date, hour) : isHeld(space, date, hour);
  const taken = hours.filter((hour) => isTaken(hour) || sandbox === 'conflict');
  if (taken.length > 0) throw new Rejection('BOOKING_CONFLICT', { hours: taken });

  const isPaidLater = settlement_mode === 'platform_settled';
  const mayExpire = settings.unpaidCancelMinutes > 0 && isPaidLater && sandbox !== 'keep';
  const booking: Booking = {
    ...wanted,
    id: world.fresh(of, 'booking'),
    status: 'confirmed',
    timezone,
    starts_at: startOf(timezone, date, wanted.start_hour),
    ends_at: startOf(timezone, date, wanted.end_hour),
    price_per_hour,
    total_price,
    rate: host.rate,
    payment_status: isPaidLater ? 'pending' : 'host_collected',
    paid_at: null,
    refunded_at: null,
    payments: [],
    cancellation_reason: null,
    cancelled_at: null,
    replaces: replaced?.id ?? null,
    replaced_by: null,
    created_at: now,
    updated_at: now,
    dueAt: mayExpire ? now + settings.unpaidCancelMinutes * 60_000 : null,
    isLate: source === 'api' && isClosed(account, monthOf(date)),
  };
  if (replaced !== null) {
    replaced.replaced_by = booking.id;
    endBooking(of, replaced, 'Moved');
  }
  hold(space, date, hours, booking);
  account.bookings.push(booking);
  of.bookings.set(booking.id, booking);
  emit(of, account, 'booking.created', { booking: shown(booking, now) });
  // An hour that the new one keeps has not changed.
  const freed = before.filter((hour) => !isSameDay || !hours.includes(hour));
  const added = hours.filter((hour) => !isSameDay || !before.includes(hour));
  if (replaced !== null) emitHours(of, replaced.space, replaced.date, freed, 'booking_cancelled');
  emitHours(of, space, date, added, 'booking_created');
  return booking;
}

/** Past, closed or inactive, then the space's rules, then how many guests fit: of several broken rules, the first is told. */
function checkHours(wanted: Wanted, hours: number[], now: number, isOperator: boolean): void {
  const { space, date, start_hour, walk_in, guest_count } = wanted;
  const { min_hours, max_hours } = space.booking_rules;
  if (walk_in && !isRunning(space, date, start_hour, now)) throw invalid('start_hour');
  const hasBegun = !walk_in && startOf(space.timezone, date, start_hour) <= now;
  if (hasBegun || !space.is_active || !hours.every((hour) => isOpen(space, date, hour))) throw invalid();
  if (!isOperator) {
    if (!walk_in && isTooSoon(space, date, start_hour, now)) throw invalid('start_hour');
    if (isTooFar(space, date, now)) throw invalid('date');
    if (hours.length < (min_hours ?? 1) || hours.length > (max_hours ?? 24)) throw invalid('end_hour');
  }
  if (guest_count !== null && guest_count > (space.capacity ?? Infinity)) throw invalid('guest_count');
}

function checkVelocity(of: World, account: Account, email: string, sandbox: string | null): void {
  const reject = (seconds: number): Rejection =>
    new Rejection('GUEST_BOOKING_VELOCITY', undefined, { 'retry-after': String(seconds) });
  if (sandbox === 'velocity') throw reject(60);
  if (sandbox !== null || email === WALK_IN_EMAIL) return;
  const { now, settings } = of;
  const { max, windowMinutes } = settings.velocity;
  const window = windowMinutes * 60_000;
  const counted = account.bookings.filter(
    ({ source, replaces, created_at, guest_email }) =>
      source === 'api' &&
      replaces === null &&
      created_at > now - window &&
      world.sameGuest(guest_email) === world.sameGuest(email),
  );
  if (max === 0 || counted.length < max) return;
  const oldest = Math.min(...counted.map(({ created_at }) => created_at));
  throw reject(Math.ceil((oldest + window - now) / 1000));
}

function endBooking(of: World, booking: Booking, cancellation_reason: string): void {
  const { now } = of;
  const { space, date } = booking;
  change(booking, now, { status: 'cancelled', cancellation_reason, cancelled_at: now });
  hold(space, date, hoursOf(booking), undefined);
  emit(of, space.account, 'booking.cancelled', { booking: shown(booking, now) });
}

export function cancel(of: World, booking: Booking, reason: string): void {
  endBooking(of, booking, reason);
  emitHours(of, booking.space, booking.date, hoursOf(booking), 'booking_cancelled');
}

const canBeCancelled = ({ space, status, starts_at, guest_email }: Booking, now: number): boolean =>
  status === 'confirmed' &&
  starts_at > now &&
  now <= starts_at - space.noticeHours * HOUR &&
  world.sandboxGuest(space.account, guest_email) !== 'keep';

function bookingOf({ world: of, account, id }: Call): Booking {
  const booking = of.bookings.get(id);
  if (booking?.space.account !== account) throw notFound();
  return booking;
}

export function cancelBooking(call: Call): Answer {
  const { reason } = input.checkBody(call.body, { reason: input.text(1, 500) }, ['reason']);
  const booking = bookingOf(call);
  if (!canBeCancelled(booking, call.now)) throw new Rejection('BOOKING_CANCELLATION_BLOCKED');
  cancel(call.world, booking, reason as string);
  return { data: { booking: shown(booking, call.now) } };
}

export const getBooking = (call: Call): Answer => ({ data: { booking: shown(bookingOf(call), call.now) } });

const STATUSES = ['confirmed', 'cancelled', 'completed'];
const QUERY: Record<string, Check> = {
  space_id: input.isUuid,
  status: (value) => input.setOf(STATUSES)(String(value).split(',')),
  from: input.DATE,
  to: input.DATE,
  limit: input.digits(1, 200),
  offset: input.digits(0, 999_999_999_999_999),
  guest: input.text(2, 100),
  reference: REFERENCE,
  updated_since: isTime,
  cursor: (value) => value !== '',
};
const MAX_TOTAL = 10_000;

export function listBookings(call: Call): Answer {
  const { world: of, now, account } = call;
  const query = input.checkQuery(call.query, QUERY);
  const { space_id, status, from, to, guest, reference, updated_since, cursor } = query;
  const [limit, offset] = [Number(query['limit'] ?? 50), Number(query['offset'] ?? 0)];
  if (from !== undefined && to !== undefined && from > to) throw invalid();
  const isAlone = reference !== undefined || updated_since !== undefined;
  if (isAlone && (from ?? to ?? guest ?? query['offset']) !== undefined) throw invalid();
  if (reference !== undefined && updated_since !== undefined) throw invalid();
  if (cursor !== undefined && query['offset'] !== undefined) throw invalid();
  const statuses = status?.split(',').toSorted();
  const since = updated_since === undefined ? undefined : Date.parse(updated_since);
  const filter = JSON.stringify([space_id, statuses, from, to, guest, reference, since]);
  const before = cursor === undefined ? undefined : of.cursors.get(world.nameOf(of, cursor));
  if (cursor !== undefined && before?.filter !== filter) throw invalid();

  const inSpace = world.nameOf(of, space_id);
  // A year back, where nothing says from when.
  const first = from ?? (guest === undefined || to !== undefined ? '' : aYearBefore(today(now, 'UTC')));
  const found = account.bookings.filter(
    (one) =>
      (space_id === undefined || one.space.id === inSpace) &&
      (statuses?.includes(one.status) ?? true) &&
      one.date >= first &&
      (to === undefined || one.date <= to) &&
      (guest === undefined || isGuest(one, guest)) &&
      (reference === undefined || one.reference === reference) &&
      (since === undefined || one.updated_at >= since),
  );
  const orderOf = ({ id, date, start_hour, updated_at }: Booking) => [
    ...(since === undefined ? [date, start_hour] : [updated_at]),
    world.actualOf(of, id),
  ];
  const sorted = world.sortBy(found, orderOf);
  const rest = before
    ? sorted.filter((one) => world.compareKeys(orderOf(one), before.after) > 0)
    : sorted.slice(offset);
  const page = rest.slice(0, limit);
  const has_more = rest.length > page.length;
  const total = before?.total ?? found.length;
  const syncedTo = before?.syncedTo ?? (since === undefined ? null : world.fresh(of, 'synced_to'));
  const next_cursor = has_more ? world.fresh(of, 'cursor') : null;
  if (next_cursor !== null)
    of.cursors.set(next_cursor, { filter, after: orderOf(page.at(-1)!), total, syncedTo });
  const pagination = {
    limit,
    offset,
    total: Math.min(total, MAX_TOTAL),
    total_is_exact: total <= MAX_TOTAL,
    has_more,
    next_cursor,
    ...(syncedTo === null ? {} : { synced_to: syncedTo }),
  };
  return { data: { bookings: page.map((booking) => shown(booking, now)), pagination } };
}

/** Without marks and case. */
const folded = (value: string): string => value.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();
const isGuest = ({ guest_name, guest_email }: Booking, wanted: string): boolean =>
  [guest_name, guest_email].some((one) => folded(one).includes(folded(wanted)));

/** Every booking that the clock completes now. */
export function completeDue(of: World, account: Account, complete: (booking: Booking) => void): void {
  const { now } = of;
  for (const booking of account.bookings) {
    const isAtOnce = world.sandboxGuest(account, booking.guest_email) === 'complete';
    if (booking.status !== 'confirmed' || (booking.ends_at > now && !isAtOnce)) continue;
    change(booking, now, { status: 'completed' });
    complete(booking);
    emit(of, account, 'booking.completed', { booking: shown(booking, now) });
  }
}

/** Every booking that was not paid in time, and has not begun. */
export function cancelUnpaid(of: World, { bookings }: Account): void {
  for (const booking of bookings) {
    const { status, dueAt, starts_at } = booking;
    const isDue = status === 'confirmed' && dueAt !== null && dueAt <= of.now && starts_at > of.now;
    if (isDue && !wasPaid(booking)) cancel(of, booking, 'Not paid in time');
  }
}
