// Bookings: create, move, cancel, read, list (contract §5).
import { emit, emitHours } from './events.ts';
import { hold, isHeld, isOpen, isRunning, isTooFar, isTooSoon, range, release } from './hours.ts';
import * as input from './input.ts';
import { invalid, notFound, Rejection, type Body, type Check } from './input.ts';
import { commissionOf, major } from './money.ts';
import type { Answer, Call } from './requests.ts';
import { HOUR, iso, isTime, monthOf, startOf, today } from './time.ts';
import * as world from './world.ts';
import type { Account, Booking, Cursor, Mode, Space, World } from './world.ts';

export const WALK_IN_EMAIL = 'walk-in@walk-in.invalid';
const time = (at: number | null): string | null => (at === null ? null : iso(at));

/** The record. What depends on the time is as of `now`. */
export function shown(booking: Booking, now: number) {
  const { space, guest } = booking;
  const { currency } = space.account.host;
  const isDue = booking.status === 'confirmed' && booking.startsAt > now && !booking.wasPaid;
  return {
    id: booking.id,
    space_id: space.id,
    status: booking.status,
    source: booking.source,
    date: booking.date,
    start_hour: booking.startHour,
    end_hour: booking.endHour,
    hours: booking.endHour - booking.startHour,
    timezone: booking.timezone,
    starts_at: iso(booking.startsAt),
    ends_at: iso(booking.endsAt),
    guest_name: guest.name,
    guest_email: guest.email,
    guest_phone: guest.phone,
    price_per_hour: major(booking.pricePerHour, currency),
    total_price: major(booking.price, currency),
    currency,
    settlement_mode: booking.mode,
    payment_status: booking.payment,
    payment_due_at: isDue ? time(booking.dueAt) : null,
    paid_at: time(booking.paidAt),
    refunded_at: time(booking.refundedAt),
    reference: booking.reference,
    notes: booking.notes,
    guest_count: booking.guestCount,
    walk_in: booking.walkIn,
    idempotency_key: booking.idempotencyKey,
    cancellation_reason: booking.cancellationReason,
    cancelled_at: time(booking.cancelledAt),
    replaces: booking.replaces,
    replaced_by: booking.replacedBy,
    created_at: iso(booking.createdAt),
    updated_at: iso(booking.updatedAt),
  };
}

export const hoursOf = ({ startHour, endHour }: Booking): number[] => range(startHour, endHour);

// eslint-disable-next-line no-control-regex
const CONTROL = /[\u0000-\u001f\u007f-\u009f]/;
// eslint-disable-next-line no-control-regex
const CONTROL_BUT_LINES = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]/;
const isKey: Check = (value) => typeof value === 'string' && /^[ -~]{1,255}$/.test(value);
const REFERENCE = input.text(1, 200, { without: CONTROL });

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
  notes: input.nullable(input.text(1, 2000, { without: CONTROL_BUT_LINES })),
  guest_count: input.nullable(input.integer(1, 10_000)),
  walk_in: input.isBoolean,
  idempotency_key: isKey,
  replaces: input.nullable(input.isUuid),
};

/** What a booking is made of, whoever makes it. */
export interface Wanted {
  space: Space;
  date: string;
  startHour: number;
  endHour: number;
  guest: Booking['guest'];
  mode: string;
  reference: string | null;
  notes: string | null;
  guestCount: number | null;
  walkIn: boolean;
  idempotencyKey: string | null;
  source: Booking['source'];
  replaced: Booking | null;
  /** The operator is spared some rules. */
  byOperator: boolean;
}

export function createBooking(call: Call): Answer {
  const { now, account } = call;
  const given = call.body as Body;
  const required = ['space_id', 'date', 'start_hour', 'end_hour', 'guest_name'];
  const body = input.checkBody(
    given,
    FIELDS,
    given['walk_in'] === true ? required : [...required, 'guest_email'],
  );
  const header = call.headers['idempotency-key'];
  if (header !== undefined && !isKey(header)) throw invalid();
  if (header !== undefined && (body['idempotency_key'] ?? header) !== header) throw invalid();
  input.checkRange(body);
  const isMove = (body['replaces'] ?? null) !== null;
  if (isMove && body['walk_in'] === true) throw invalid();
  if (body['walk_in'] !== true && world.sameGuest(body['guest_email'] as string) === WALK_IN_EMAIL)
    throw invalid('guest_email');

  const key = (header ?? body['idempotency_key'] ?? null) as string | null;
  const request = fingerprint(call.world, body, isMove);
  const known = key === null ? undefined : account.requests.get(key);
  if (known !== undefined) {
    if (known.request !== request) throw invalid();
    return { data: { booking: shown(known.booking, now) }, headers: { 'idempotent-replayed': 'true' } };
  }

  const space = call.world.spaces.get(world.nameOf(call.world, body['space_id']));
  if (space?.account !== account) throw notFound();
  const replaced = isMove ? movable(call, body['replaces']) : null;
  const kept = <Value>(name: string, old: Value | undefined): Value | null =>
    body[name] === undefined ? (old ?? null) : (body[name] as Value | null);
  const booking = book(call.world, {
    space,
    date: body['date'] as string,
    startHour: body['start_hour'] as number,
    endHour: body['end_hour'] as number,
    guest: {
      name: body['guest_name'] as string,
      email: (body['guest_email'] as string | undefined) ?? WALK_IN_EMAIL,
      phone: (body['guest_phone'] as string | undefined) ?? null,
    },
    mode: (body['settlement_mode'] as string | undefined) ?? 'host_settled',
    reference: kept('reference', replaced?.reference),
    notes: kept('notes', replaced?.notes),
    guestCount: kept('guest_count', replaced?.guestCount),
    walkIn: body['walk_in'] === true,
    idempotencyKey: key,
    source: replaced?.source ?? 'api',
    replaced,
    byOperator: false,
  });
  if (key !== null) account.requests.set(key, { request, booking });
  return { data: { booking: shown(booking, now) } };
}

/** The same request is the same text. Null equals absent, but where a move clears what it would keep. */
function fingerprint(of: World, body: Body, isMove: boolean): string {
  const { idempotency_key: _, ...rest } = body;
  const filled = { settlement_mode: 'host_settled', walk_in: false, ...rest };
  const entries = Object.entries(filled)
    .map(([name, value]) => [name, /^(space_id|replaces)$/.test(name) ? world.nameOf(of, value) : value])
    .filter(([name, value]) => (isMove && name !== 'replaces') || (value !== null && value !== ''));
  return JSON.stringify(world.sortBy(entries, ([name]) => [name as string]));
}

/** The booking that a move replaces. */
function movable(call: Call, id: unknown): Booking {
  const old = call.world.bookings.get(world.nameOf(call.world, id));
  if (old?.space.account !== call.account) throw invalid('replaces');
  if (old.payment === 'confirmed') throw invalid('replaces');
  if (!canBeCancelled(old, call.now)) throw new Rejection(422, 'BOOKING_CANCELLATION_BLOCKED');
  return old;
}

/** The rules in their order, and then everything at once. */
export function book(of: World, wanted: Wanted): Booking {
  const { now } = of;
  const { space, date, startHour, endHour, replaced } = wanted;
  const { host } = space.account;
  const price = space.price * (endHour - startHour);
  const hours = range(startHour, endHour);
  const sandbox = world.sandboxGuest(space.account, wanted.guest.email);

  if (world.sameGuest(wanted.guest.email) === world.sameGuest(host.email))
    throw new Rejection(403, 'SELF_BOOKING_BLOCKED');
  if (!host.modes.includes(wanted.mode)) throw new Rejection(422, 'BOOKING_INVALID_SETTLEMENT_MODE');
  checkHours(wanted, hours, now);
  const maximum = host.maxValue ?? of.settings.bookingMaxValue;
  if (price > maximum && !wanted.byOperator) throw new Rejection(422, 'BOOKING_VALUE_EXCEEDED');
  if (replaced === null && wanted.source === 'api') checkVelocity(of, wanted, sandbox);
  const isFree = (hour: number) =>
    !isHeld(space, date, hour) ||
    (replaced?.space === space &&
      replaced.date === date &&
      hoursOf(replaced).includes(hour) &&
      !space.calendars.some(({ busy }) => busy.has(`${date} ${hour}`)));
  const taken =
    sandbox === 'conflict' && wanted.source === 'api' ? hours : hours.filter((hour) => !isFree(hour));
  if (taken.length > 0) throw new Rejection(409, 'BOOKING_CONFLICT', { hours: taken });

  const minutes = of.settings.unpaidCancelMinutes;
  const mode = wanted.mode as Mode;
  const mayExpire = minutes > 0 && mode === 'platform_settled' && sandbox !== 'keep';
  const booking: Booking = {
    id: world.fresh(of, 'booking'),
    space,
    status: 'confirmed',
    source: wanted.source,
    date,
    startHour,
    endHour,
    timezone: space.timezone,
    startsAt: startOf(space.timezone, date, startHour),
    endsAt: startOf(space.timezone, date, endHour),
    guest: wanted.guest,
    pricePerHour: space.price,
    price,
    rateMillionths: host.rateMillionths,
    mode,
    payment: mode === 'host_settled' ? 'host_collected' : 'pending',
    paidAt: null,
    refundedAt: null,
    wasPaid: false,
    payments: [],
    reference: wanted.reference,
    notes: wanted.notes,
    guestCount: wanted.guestCount,
    walkIn: wanted.walkIn,
    idempotencyKey: wanted.idempotencyKey,
    cancellationReason: null,
    cancelledAt: null,
    replaces: replaced?.id ?? null,
    replacedBy: null,
    createdAt: now,
    updatedAt: now,
    dueAt: mayExpire ? now + minutes * 60_000 : null,
    isLate: wanted.source === 'api' && space.account.closed.has(monthOf(date)),
  };
  const { account } = space;
  if (replaced !== null) {
    replaced.replacedBy = booking.id;
    endBooking(replaced, now, 'Moved');
    emit(of, account, 'booking.cancelled', { booking: shown(replaced, now) });
  }
  hold(space, date, hours, booking);
  account.bookings.push(booking);
  of.bookings.set(booking.id, booking);
  emit(of, account, 'booking.created', { booking: shown(booking, now) });
  // An hour that the new one keeps has not changed.
  const isSameDay = replaced?.space === space && replaced.date === date;
  const before = replaced === null ? [] : hoursOf(replaced);
  const [freed, added] = isSameDay
    ? [before.filter((hour) => !hours.includes(hour)), hours.filter((hour) => !before.includes(hour))]
    : [before, hours];
  if (replaced !== null) emitHours(of, replaced.space, replaced.date, freed, 'booking_cancelled');
  emitHours(of, space, date, added, 'booking_created');
  return booking;
}

/** Past, closed or inactive, then the space's rules, then how many guests fit: of several broken rules, the first is told. */
function checkHours(wanted: Wanted, hours: number[], now: number): void {
  const { space, date, startHour, walkIn, byOperator, guestCount } = wanted;
  const { shown: listing, timezone } = space;
  const rules = listing.booking_rules;
  if (walkIn && !isRunning(space, date, startHour, now)) throw invalid('start_hour');
  const hasBegun = !walkIn && startOf(timezone, date, startHour) <= now;
  if (hasBegun || !listing.is_active || hours.some((hour) => !isOpen(space, date, hour))) throw invalid();
  if (!byOperator) {
    if (!walkIn && isTooSoon(space, date, startHour, now)) throw invalid('start_hour');
    if (isTooFar(space, date, now)) throw invalid('date');
    const isWithin = hours.length >= (rules.min_hours ?? 1) && hours.length <= (rules.max_hours ?? 24);
    if (!isWithin) throw invalid('end_hour');
  }
  if (guestCount !== null && guestCount > (listing.capacity ?? Infinity)) throw invalid('guest_count');
}

function checkVelocity(of: World, { space, guest }: Wanted, sandbox: string | null): void {
  const reject = (seconds: number) =>
    new Rejection(429, 'GUEST_BOOKING_VELOCITY', undefined, { 'retry-after': String(seconds) });
  if (sandbox === 'velocity') throw reject(60);
  if (sandbox !== null || guest.email === WALK_IN_EMAIL) return;
  const { now, settings } = of;
  const { max, windowMinutes } = settings.velocity;
  const window = windowMinutes * 60_000;
  const counted = space.account.bookings.filter(
    ({ source, replaces, createdAt, guest: other }) =>
      source === 'api' &&
      replaces === null &&
      createdAt > now - window &&
      world.sameGuest(other.email) === world.sameGuest(guest.email),
  );
  if (max === 0 || counted.length < max) return;
  throw reject(Math.ceil((counted.at(-max)!.createdAt + window - now) / 1000));
}

function endBooking(booking: Booking, now: number, reason: string): void {
  Object.assign(booking, {
    status: 'cancelled',
    cancellationReason: reason,
    cancelledAt: now,
    updatedAt: now,
  });
  release(booking.space, booking.date, hoursOf(booking));
}

/** With its events. */
export function cancel(of: World, booking: Booking, reason: string): void {
  const { now } = of;
  endBooking(booking, now, reason);
  const { space, date } = booking;
  emit(of, space.account, 'booking.cancelled', { booking: shown(booking, now) });
  emitHours(of, space, date, hoursOf(booking), 'booking_cancelled');
}

function canBeCancelled(booking: Booking, now: number): boolean {
  const { space, status, startsAt, guest } = booking;
  return (
    status === 'confirmed' &&
    startsAt > now &&
    now <= startsAt - space.noticeHours * HOUR &&
    world.sandboxGuest(space.account, guest.email) !== 'keep'
  );
}

function find({ world: of, account, id }: Call): Booking {
  const booking = of.bookings.get(id);
  if (booking?.space.account !== account) throw notFound();
  return booking;
}

export function cancelBooking(call: Call): Answer {
  const { reason } = input.checkBody(call.body, { reason: input.text(1, 500) }, ['reason']);
  const booking = find(call);
  if (!canBeCancelled(booking, call.now)) throw new Rejection(422, 'BOOKING_CANCELLATION_BLOCKED');
  cancel(call.world, booking, reason as string);
  return { data: { booking: shown(booking, call.now) } };
}

export const getBooking = (call: Call): Answer => ({ data: { booking: shown(find(call), call.now) } });

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
  const {
    space_id,
    status,
    from,
    to,
    limit = '50',
    offset = '0',
    guest,
    reference,
    updated_since,
    cursor,
  } = query;
  if (from !== undefined && to !== undefined && from > to) throw invalid();
  const alone = reference ?? updated_since;
  if (alone !== undefined && (from ?? to ?? guest ?? query['offset']) !== undefined) throw invalid();
  if (reference !== undefined && updated_since !== undefined) throw invalid();
  if (cursor !== undefined && query['offset'] !== undefined) throw invalid();
  const wanted = status?.split(',').toSorted();
  const since = updated_since === undefined ? undefined : Date.parse(updated_since);
  const filter = JSON.stringify([space_id, wanted, from, to, guest, reference, since]);
  const before = cursor === undefined ? undefined : of.cursors.get(world.nameOf(of, cursor));
  if (cursor !== undefined && before?.filter !== filter) throw invalid();

  const inSpace = world.nameOf(of, space_id);
  // A year back, where nothing says from when.
  const first =
    from ?? (guest !== undefined && to === undefined ? aYearBefore(today(now, 'UTC')) : undefined);
  const found = account.bookings.filter(
    (booking) =>
      (space_id === undefined || booking.space.id === inSpace) &&
      (wanted === undefined || wanted.includes(booking.status)) &&
      (first === undefined || booking.date >= first) &&
      (to === undefined || booking.date <= to) &&
      (guest === undefined || isGuest(booking, guest)) &&
      (reference === undefined || booking.reference === reference) &&
      (since === undefined || booking.updatedAt >= since),
  );
  const orderOf = (booking: Booking) => [
    ...(since === undefined ? [booking.date, booking.startHour] : [booking.updatedAt]),
    world.actualOf(of, booking.id),
  ];
  const sorted = world.sortBy(found, orderOf);
  const rest = before ? sorted.filter((one) => world.compareKeys(orderOf(one), before.after) > 0) : sorted;
  const skipped = rest.slice(before ? 0 : Number(offset));
  const page = skipped.slice(0, Number(limit));
  const hasMore = skipped.length > page.length;
  const total = before?.total ?? found.length;
  const syncedTo = before?.syncedTo ?? (since === undefined ? null : world.fresh(of, 'synced_to'));
  const next = hasMore ? world.fresh(of, 'cursor') : null;
  if (next !== null)
    of.cursors.set(next, { filter, after: orderOf(page.at(-1)!), total, syncedTo } satisfies Cursor);
  const pagination = {
    limit: Number(limit),
    offset: Number(offset),
    total: Math.min(total, MAX_TOTAL),
    total_is_exact: total <= MAX_TOTAL,
    has_more: hasMore,
    next_cursor: next,
    ...(syncedTo === null ? {} : { synced_to: syncedTo }),
  };
  return { data: { bookings: page.map((booking) => shown(booking, now)), pagination } };
}

const aYearBefore = (date: string): string => Temporal.PlainDate.from(date).subtract({ years: 1 }).toString();

/** Without marks and case. */
const folded = (value: string): string => value.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();
const isGuest = ({ guest }: Booking, wanted: string): boolean =>
  folded(guest.name).includes(folded(wanted)) || folded(guest.email).includes(folded(wanted));

export const commissionOfBooking = ({ price, rateMillionths }: Booking): number =>
  commissionOf(price, rateMillionths);

/** Every booking that the clock completes now. */
export function completeDue(of: World, account: Account, complete: (booking: Booking) => void): void {
  const { now } = of;
  for (const booking of account.bookings) {
    if (booking.status !== 'confirmed') continue;
    const isAtOnce = world.sandboxGuest(account, booking.guest.email) === 'complete';
    if (booking.endsAt > now && !isAtOnce) continue;
    Object.assign(booking, { status: 'completed', updatedAt: now });
    complete(booking);
    emit(of, account, 'booking.completed', { booking: shown(booking, now) });
  }
}

/** Every booking that was not paid in time, and has not begun. */
export function cancelUnpaid(of: World, account: Account): void {
  const { now } = of;
  for (const booking of account.bookings) {
    const { status, dueAt, wasPaid, startsAt } = booking;
    if (status === 'confirmed' && dueAt !== null && dueAt <= now && !wasPaid && startsAt > now)
      cancel(of, booking, 'Not paid in time');
  }
}
