// The operator's commands that change data (contract §9, §14). What is printed is compared by the fields that the contract names.
import * as bookings from './bookings.ts';
import { connect, poll, remove } from './calendars.ts';
import { disable, emit, makeDue } from './events.ts';
import { invalid, isRange, notFound, Rejection, type Body } from './input.ts';
import { major, minor } from './money.ts';
import { adjustPayment, firstOpenMonth, monthlyReport } from './settlement.ts';
import { change, cover, feedUrl, NO_RULES } from './spaces.ts';
import { iso, monthOf, startOf, today, WEEKDAYS } from './time.ts';
import * as world from './world.ts';
import type { Account, Booking, Environment, Host, Payment, Range, Space, Webhook, World } from './world.ts';

type Actor = Payment['actor'];

/** What was typed, and when. */
interface Typed {
  world: World;
  now: number;
  /** What follows the command's name. */
  id: string;
  options: Record<string, string | undefined>;
}

const SCOPES =
  'spaces:read,availability:read,bookings:read,bookings:write,settlement:read,earnings:read,blocks:write,spaces:write,webhooks:read,webhooks:write';

/** A flag has the value ''. */
function parse(argv: string[]): { name: string; id: string; options: Record<string, string> } {
  const first = argv.findIndex((word) => word.startsWith('--'));
  const words = first < 0 ? argv : argv.slice(0, first);
  const options: Record<string, string> = {};
  for (let i = words.length; i < argv.length; i++) {
    const [, name, value] = /^--([^=]+)(?:=(.*))?$/s.exec(argv[i]!)!;
    const next = argv[i + 1];
    if (value === undefined && next !== undefined && !next.startsWith('--')) i++;
    options[name!] = value ?? (next !== undefined && !next.startsWith('--') ? next : '');
  }
  return { name: words.slice(0, 2).join(' '), id: words[2] ?? '', options };
}

export function run(of: World, argv: string[]): { exit: number[]; json?: unknown } {
  const { name, id, options } = parse(argv);
  const command = COMMANDS[name];
  if (command === undefined) throw new Error(`the model does not know the command ${name}`);
  try {
    const json = command({ world: of, now: of.now, id: world.nameOf(of, id), options });
    return { exit: [0], ...(json === undefined ? {} : { json }) };
  } catch (error) {
    if (!(error instanceof Rejection)) throw error;
    // A value that makes no sense may be called wrong usage.
    return { exit: error.code === 'VALIDATION_ERROR' ? [1, 2] : [1] };
  }
}

const rejected = (): Rejection => new Rejection(1, 'REJECTED');

const COMMANDS: Record<string, (typed: Typed) => unknown> = {
  'host add': addHost,
  'host update': updateHost,
  'host deactivate': (typed) => void (hostOf(typed, typed.id).isActive = false),
  'host activate': activateHost,
  'space add': addSpace,
  'space update': updateSpace,
  'key create': createKey,
  'key revoke': revokeKey,
  'ical-token rotate': rotateToken,
  'calendar add': addCalendar,
  'calendar remove': (typed) => {
    const { space, calendar } = calendarOf(typed);
    remove(typed.world, space, calendar);
  },
  'calendar sync': (typed) => {
    const { space, calendar } = calendarOf(typed);
    poll(typed.world, space, calendar, false);
    if (calendar.status === 'failing') throw rejected();
    return { id: calendar.id };
  },
  'booking create': createBooking,
  'booking move': moveBooking,
  'booking cancel': cancelBooking,
  'payment confirm': (typed) => confirmPayment(typed.world, bookingOf(typed), typed.options),
  'payment refund': refund,
  'payment void': voidPayment,
  'payment list': (typed) => historyOf(bookingOf(typed)),
  'booking show': (typed) => {
    const booking = bookingOf(typed);
    return { ...bookings.shown(booking, typed.now), payments: historyOf(booking) };
  },
  'payout list': listPayouts,
  settlement: listSettlement,
  export: () => undefined,
  'payout record': recordPayout,
  'payout void': voidPayout,
  'guest erase': eraseGuest,
  'webhook disable': (typed) => {
    const webhook = webhookOf(typed);
    disable(webhook, typed.now, 'operator');
    return { id: webhook.id, is_active: false, disabled_reason: 'operator' };
  },
  'webhook enable': (typed) => {
    const webhook = webhookOf(typed);
    if (!webhook.isActive) {
      Object.assign(webhook, {
        isActive: true,
        disabledReason: null,
        failingSince: null,
        updatedAt: typed.now,
      });
      makeDue(webhook, typed.now);
    }
    return { id: webhook.id, is_active: true, disabled_reason: null };
  },
  'webhook resend': resend,
};

// Hosts, spaces, keys

/** By its id, or its email. */
function hostOf({ world: of }: Typed, given: string | undefined): Host {
  const name = world.nameOf(of, given ?? '');
  const host = of.hosts.find(({ id, email }) => id === name || email === given);
  if (host === undefined) throw rejected();
  return host;
}

function accountOf(typed: Typed): Account {
  const host = hostOf(typed, typed.options['host']);
  const environment = (typed.options['env'] ?? 'production') as Environment;
  return typed.world.accounts.find((one) => one.host === host && one.environment === environment)!;
}

/** The fields that the options give. */
function hostFields({ world: of, options }: Typed, host: Partial<Host>): Partial<Host> {
  const { name, email, timezone, currency, commission } = options;
  const modes = options['settlement-modes']?.split(',');
  const max = options['max-booking-value'];
  if (email !== undefined && of.hosts.some((one) => one !== host && sameEmail(one.email, email)))
    throw rejected();
  const maxValue = max === undefined ? undefined : minor(max, currency ?? host.currency!);
  if (maxValue === null) throw invalid();
  return Object.fromEntries(
    Object.entries({
      name,
      email,
      timezone,
      currency,
      rateMillionths: commission === undefined ? undefined : Math.round(Number(commission) * 1_000_000),
      modes,
      maxValue: options['no-max-booking-value'] === '' ? null : maxValue,
    }).filter(([, value]) => value !== undefined),
  );
}

const sameEmail = (a: string, b: string): boolean => a.toLowerCase() === b.toLowerCase();

function addHost(typed: Typed) {
  const { world: of, now } = typed;
  const host = {
    id: '',
    rateMillionths: 100_000,
    modes: ['host_settled', 'platform_settled'],
    maxValue: null,
    isActive: true,
    ...hostFields(typed, {}),
  } as Host;
  host.id = world.fresh(of, 'host');
  host.createdIn = monthOf(today(now, host.timezone));
  of.hosts.push(host);
  for (const environment of ['production', 'sandbox'] as const)
    of.accounts.push({
      host,
      environment,
      spaces: [],
      bookings: [],
      webhooks: [],
      requests: new Map(),
      payouts: [],
      adjustments: [],
      closed: new Map(),
    });
  return { id: host.id, name: host.name, email: host.email };
}

function updateHost(typed: Typed) {
  const host = hostOf(typed, typed.id);
  const fields = hostFields(typed, host);
  const accounts = typed.world.accounts.filter((one) => one.host === host);
  const isNew = fields.currency !== undefined && fields.currency !== host.currency;
  if (isNew && accounts.some((one) => one.bookings.length + one.payouts.length > 0)) throw rejected();
  Object.assign(host, fields);
  return { id: host.id, name: host.name, email: host.email, timezone: host.timezone };
}

function activateHost(typed: Typed): void {
  const host = hostOf(typed, typed.id);
  if (host.isActive) return;
  host.isActive = true;
  // The five days of nothing but failure start anew.
  for (const { webhooks } of typed.world.accounts.filter((one) => one.host === host))
    for (const webhook of webhooks) webhook.failingSince = null;
}

function spaceOf({ world: of }: Typed, given: string | undefined): Space {
  const space = of.spaces.get(world.nameOf(of, given ?? ''));
  if (space === undefined) throw rejected();
  return space;
}

const hoursFrom = (text: string): Range => {
  const [start_hour, end_hour] = text.split('-').map(Number) as [number, number];
  return { start_hour, end_hour };
};

/** `mon-fri=9-22,sat=11-20`: days that are not named are closed. */
function weekFrom(text: string): Record<string, Range | null> {
  const week: Record<string, Range | null> = Object.fromEntries(WEEKDAYS.map((day) => [day, null]));
  const indexOf = (short: string) => WEEKDAYS.findIndex((day) => day.startsWith(short));
  for (const part of text.split(',')) {
    const [days, hours] = part.split('=') as [string, string];
    const [first, last] = days.split('-') as [string, string?];
    for (let i = indexOf(first); i <= indexOf(last ?? first); i++) week[WEEKDAYS[i]!] = hoursFrom(hours);
  }
  return week;
}

/** As endpoint 12 names them. */
function spaceFields({ options: { ...options } }: Typed): Body {
  const ifGiven = (name: string, read: (text: string) => unknown) =>
    options[`no-${name}`] === '' ? null : options[name] === undefined ? undefined : read(options[name]);
  const list = (text: string) => text.split(',');
  const same = (text: string) => text;
  const rules = (text: string) =>
    Object.fromEntries(text.split(',').map((rule) => [rule.split('=')[0], Number(rule.split('=')[1])]));
  const fields = {
    title: ifGiven('title', same),
    category_slug: ifGiven('category', same),
    description: ifGiven('description', same),
    address: ifGiven('address', same),
    area: ifGiven('area', same),
    price: ifGiven('price', Number),
    capacity: ifGiven('capacity', Number),
    operating_hours: ifGiven('hours', hoursFrom),
    weekly_hours: ifGiven('weekly-hours', weekFrom),
    booking_rules: ifGiven('booking-rules', rules),
    is_active: options['active'] === '' ? true : options['inactive'] === '' ? false : undefined,
    amenities: ifGiven('amenities', list) === null ? [] : ifGiven('amenities', list),
    photo_urls: ifGiven('photos', list) === null ? [] : ifGiven('photos', list),
  };
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

function addSpace(typed: Typed) {
  const { world: of, options } = typed;
  const account = accountOf(typed);
  const { price, booking_rules: rules, ...fields } = spaceFields(typed);
  const amount = minor(price as number, account.host.currency);
  if (amount === null) throw invalid();
  const space: Space = {
    id: '',
    account,
    timezone: options['timezone'] ?? account.host.timezone,
    noticeHours: Number(options['cancellation-notice'] ?? 0),
    feedToken: '',
    price: amount,
    shown: {
      title: '',
      category_slug: 'space',
      description: null,
      address: '',
      area: '',
      capacity: null,
      operating_hours: { start_hour: 0, end_hour: 24 },
      weekly_hours: null,
      booking_rules: { ...NO_RULES, ...(rules as Body | undefined) },
      is_active: true,
      amenities: [],
      photo_urls: [],
      ...fields,
    },
    held: new Map(),
    calendars: [],
  };
  const { weekly_hours: week } = space.shown;
  if (week !== null) {
    const { start_hour, end_hour } = cover(week);
    const sent = fields['operating_hours'] as Range | undefined;
    if (sent !== undefined && (sent.start_hour !== start_hour || sent.end_hour !== end_hour)) throw invalid();
    space.shown.operating_hours = { start_hour, end_hour };
  }
  space.id = world.fresh(of, 'space');
  space.feedToken = world.fresh(of, 'token');
  account.spaces.push(space);
  of.spaces.set(space.id, space);
  return {
    id: space.id,
    title: space.shown.title,
    environment: account.environment,
    ical_token: space.feedToken,
    ical_url: feedUrl(of, space),
  };
}

function updateSpace(typed: Typed) {
  const { world: of, now, options } = typed;
  const space = spaceOf(typed, typed.id);
  const { timezone, 'cancellation-notice': notice } = options;
  const isMoved = timezone !== undefined && timezone !== space.timezone;
  if (isMoved && liesAhead(space, now)) throw rejected();
  const apply = change(space, spaceFields(typed), timezone);
  if (notice !== undefined) space.noticeHours = Number(notice);
  apply(of);
  return { id: space.id, title: space.shown.title };
}

/** Something that holds an hour which is not over. */
function liesAhead(space: Space, now: number): boolean {
  const isAhead = (date: string, hour: number) => startOf(space.timezone, date, hour + 1) > now;
  const isHeldAhead = [...space.held].some(([date, hours]) =>
    hours.some((holder, hour) => holder !== undefined && isAhead(date, hour)),
  );
  const busy = space.calendars.flatMap((calendar) => [...calendar.busy]);
  return isHeldAhead || busy.some((hour) => isAhead(hour.slice(0, 10), Number(hour.slice(11))));
}

function createKey(typed: Typed) {
  const { world: of, now, options } = typed;
  const account = accountOf(typed);
  const { environment } = account;
  const days = /^(\d+)d$/.exec(options['expires'] ?? '')?.[1];
  const key: world.Key = {
    id: world.fresh(of, 'key'),
    secret: world.fresh(of, `key_${environment}`),
    account,
    scopes: (options['scopes'] ?? SCOPES).split(','),
    expiresAt: days === undefined ? null : now + Number(days) * 86_400_000,
    isRevoked: false,
    admitted: [],
  };
  of.keys.set(key.secret, key);
  const expires_at = key.expiresAt === null ? null : iso(key.expiresAt);
  const { id, secret, scopes } = key;
  return {
    id,
    key: secret,
    host_id: account.host.id,
    environment,
    name: options['name'],
    scopes,
    expires_at,
  };
}

function revokeKey({ world: of, id }: Typed): void {
  const key = [...of.keys.values()].find((one) => one.id === id);
  if (key === undefined) throw rejected();
  key.isRevoked = true;
}

function rotateToken(typed: Typed) {
  const space = spaceOf(typed, typed.options['space']);
  space.feedToken = world.fresh(typed.world, 'token');
  return { space_id: space.id, token: space.feedToken, url: feedUrl(typed.world, space) };
}

function addCalendar(typed: Typed) {
  const space = spaceOf(typed, typed.options['space']);
  const change = connect(typed.world, space, typed.options['url']!, null, Infinity);
  if (change === null) throw rejected();
  change.apply();
  return { id: change.calendar.id };
}

function calendarOf({ world: of, id }: Typed) {
  for (const space of of.spaces.values())
    for (const calendar of space.calendars) if (calendar.id === id) return { space, calendar };
  throw rejected();
}

// Bookings

function bookingOf({ world: of, id }: Typed): Booking {
  const booking = of.bookings.get(id);
  if (booking === undefined) throw rejected();
  return booking;
}

function hoursTyped(options: Typed['options']): Range {
  const hours = hoursFrom(options['hours']!);
  if (!isRange(hours)) throw invalid();
  return hours;
}

function createBooking(typed: Typed) {
  const { world: of, now, options } = typed;
  const { start_hour: startHour, end_hour: endHour } = hoursTyped(options);
  const booking = bookings.book(of, {
    space: spaceOf(typed, options['space']),
    date: options['date']!,
    startHour,
    endHour,
    guest: {
      name: options['guest-name']!,
      email: options['guest-email'] ?? bookings.WALK_IN_EMAIL,
      phone: options['guest-phone'] ?? null,
    },
    mode: options['settlement-mode'] ?? 'platform_settled',
    reference: options['reference'] ?? null,
    notes: options['notes'] ?? null,
    guestCount: options['guest-count'] === undefined ? null : Number(options['guest-count']),
    walkIn: options['walk-in'] === '',
    idempotencyKey: null,
    source: 'platform',
    replaced: null,
    byOperator: true,
  });
  return bookings.shown(booking, now);
}

/** Waits for no notice, and may take a booking that has begun; a paid one it may not. */
function moveBooking(typed: Typed) {
  const { world: of, now, options } = typed;
  const old = bookingOf(typed);
  if (old.status !== 'confirmed' || old.payment === 'confirmed') throw rejected();
  const { start_hour: startHour, end_hour: endHour } = hoursTyped(options);
  const space = options['space'] === undefined ? old.space : spaceOf(typed, options['space']);
  if (space.account !== old.space.account) throw rejected();
  const { guest, mode, reference, notes, guestCount, source } = old;
  const booking = bookings.book(of, {
    space,
    date: options['date']!,
    startHour,
    endHour,
    guest: { ...guest },
    mode,
    reference,
    notes,
    guestCount,
    walkIn: false,
    idempotencyKey: null,
    source,
    replaced: old,
    byOperator: true,
  });
  return bookings.shown(booking, now);
}

function cancelBooking(typed: Typed) {
  const booking = bookingOf(typed);
  if (booking.status !== 'confirmed') throw rejected();
  bookings.cancel(typed.world, booking, typed.options['reason']!);
  return bookings.shown(booking, typed.now);
}

// Payments

const referenceOf = ({ payments }: Booking, wanted: Payment['kind']): string | null =>
  payments.findLast(({ kind }) => kind === wanted)?.reference ?? null;

/** On another booking of the account, not voided. */
function stands(booking: Booking, reference: string): boolean {
  return booking.space.account.bookings.some(
    (other) =>
      other !== booking &&
      ((other.paidAt !== null && referenceOf(other, 'confirmed') === reference) ||
        referenceOf(other, 'refunded') === reference),
  );
}

/** What was recorded before is recorded again. A reference that was missing may come later; one that is there stays. */
function repeat(booking: Booking, kind: Payment['kind'], reference: string | null, isShared: boolean): void {
  const entry = booking.payments.findLast((one) => one.kind === kind)!;
  if (reference === null || reference === entry.reference) return;
  if (entry.reference !== null || (!isShared && stands(booking, reference))) throw rejected();
  entry.reference = reference;
}

export function confirmPayment(
  of: World,
  booking: Booking,
  options: Typed['options'],
  actor: Actor = 'operator',
) {
  const { now } = of;
  const reference = options['reference'] ?? null;
  const isShared = options['shared'] === '';
  if (booking.payment === 'host_collected' || booking.payment === 'refunded') throw rejected();
  const isAgain = booking.payment === 'confirmed';
  if (isAgain) repeat(booking, 'confirmed', reference, isShared);
  else {
    if (reference !== null && !isShared && stands(booking, reference)) throw rejected();
    Object.assign(booking, { payment: 'confirmed', paidAt: now, wasPaid: true, updatedAt: now });
    booking.payments.push({ at: now, kind: 'confirmed', reference, amount: booking.price, actor });
    adjustPayment('payment_confirmed', booking, now);
    emit(of, booking.space.account, 'payment.confirmed', {
      booking: bookings.shown(booking, now),
    });
  }
  return { ...bookings.shown(booking, now), already_confirmed: isAgain };
}

function refund(typed: Typed) {
  const { now, options } = typed;
  const booking = bookingOf(typed);
  const reference = options['reference'] ?? null;
  const isShared = options['shared'] === '';
  const isAgain = booking.payment === 'refunded';
  if (isAgain) repeat(booking, 'refunded', reference, isShared);
  else {
    if (booking.status !== 'cancelled' || booking.payment !== 'confirmed') throw rejected();
    if (reference !== null && !isShared && stands(booking, reference)) throw rejected();
    Object.assign(booking, { payment: 'refunded', refundedAt: now, updatedAt: now });
    booking.payments.push({ at: now, kind: 'refunded', reference, amount: booking.price, actor: 'operator' });
    adjustPayment('refunded', booking, now);
  }
  return { ...bookings.shown(booking, now), already_refunded: isAgain };
}

function voidPayment(typed: Typed) {
  const { now } = typed;
  const booking = bookingOf(typed);
  if (booking.payment !== 'confirmed') throw rejected();
  const reference = referenceOf(booking, 'confirmed');
  booking.payments.push({ at: now, kind: 'voided', reference, amount: booking.price, actor: 'operator' });
  Object.assign(booking, { payment: 'pending', paidAt: null, updatedAt: now });
  adjustPayment('payment_voided', booking, now);
  return bookings.shown(booking, now);
}

const historyOf = ({ payments, space }: Booking) =>
  payments.map(({ at, kind, reference, amount }) => ({
    at: iso(at),
    kind,
    reference,
    amount: major(amount, space.account.host.currency),
  }));

// Payouts

function shownPayout({ host, environment }: Account, payout: world.Payout) {
  return {
    id: payout.id,
    host_id: host.id,
    environment,
    amount: major(payout.amount, host.currency),
    currency: host.currency,
    reference: payout.reference,
    paid_on: payout.paidOn,
    month: payout.month,
    recorded_at: iso(payout.recordedAt),
    voided_at: payout.voidedAt === null ? null : iso(payout.voidedAt),
  };
}

function recordPayout(typed: Typed) {
  const { world: of, now, options } = typed;
  const account = accountOf(typed);
  const amount = minor(options['amount']!, account.host.currency);
  const reference = options['reference'] ?? null;
  const present = today(now, account.host.timezone);
  const paidOn = options['paid-on'] ?? present;
  if (amount === null || amount === 0 || paidOn > present) throw invalid();
  const standing = account.payouts.find(
    // The opposite amount takes a payout back; its reference may be used again.
    (one) => reference !== null && one.reference === reference && one.voidedAt === null && !one.isCounter,
  );
  if (standing !== undefined) {
    if (standing.amount !== amount) throw rejected();
    return { ...shownPayout(account, standing), already_recorded: true };
  }
  const payout = addPayout(of, account, now, { amount, reference, paidOn, isCounter: false });
  return { ...shownPayout(account, payout), already_recorded: false };
}

/** Newest first, of both environments. */
function listPayouts(typed: Typed) {
  const { world: of, options } = typed;
  const host = options['host'] === undefined ? undefined : hostOf(typed, options['host']);
  const all = of.accounts
    .filter((account) => host === undefined || account.host === host)
    .flatMap((account) => account.payouts.map((payout) => ({ account, payout })));
  return world
    .sortBy(all, ({ payout }) => [payout.recordedAt, world.actualOf(of, payout.id)])
    .toReversed()
    .map(({ account, payout }) => shownPayout(account, payout));
}

/** Production, every host, by name. */
function listSettlement(typed: Typed) {
  const { world: of, options } = typed;
  const host = options['host'] === undefined ? undefined : hostOf(typed, options['host']);
  const accounts = of.accounts.filter(
    (one) => one.environment === 'production' && (host === undefined || one.host === host),
  );
  return world
    .sortBy(accounts, (one) => [one.host.name])
    .map((account) => {
      const {
        lines: _,
        by_space: __,
        by_settlement_mode: ___,
        ...row
      } = monthlyReport(of, account, options['month']!);
      return { host_id: account.host.id, host_name: account.host.name, ...row };
    });
}

function addPayout(
  of: World,
  account: Account,
  now: number,
  given: Pick<world.Payout, 'amount' | 'reference' | 'paidOn' | 'isCounter'>,
): world.Payout {
  const month = firstOpenMonth(account);
  const payout = { id: world.fresh(of, 'payout'), ...given, month, recordedAt: now, voidedAt: null };
  account.payouts.push(payout);
  return payout;
}

/** In an open month it leaves the report; in a closed one the opposite amount stands in the first open month. */
function voidPayout({ world: of, now, id }: Typed) {
  const account = of.accounts.find(({ payouts }) => payouts.some((one) => one.id === id));
  const payout = account?.payouts.find((one) => one.id === id);
  if (account === undefined || payout === undefined || payout.isCounter) throw rejected();
  const isAgain = payout.voidedAt !== null;
  if (!isAgain) {
    payout.voidedAt = now;
    const paidOn = today(now, account.host.timezone);
    if (account.closed.has(payout.month))
      addPayout(of, account, now, {
        amount: -payout.amount,
        reference: payout.reference,
        paidOn,
        isCounter: true,
      });
  }
  return { ...shownPayout(account, payout), already_voided: isAgain };
}

// Guests, webhooks

/** In bookings, and in events that are still to be delivered; hours and money stay. */
function eraseGuest(typed: Typed): void {
  const { world: of, now, options } = typed;
  if (options['yes'] !== '') throw rejected();
  const only = options['host'] === undefined ? undefined : hostOf(typed, options['host']);
  const guest = world.sameGuest(options['email']!);
  if (guest === bookings.WALK_IN_EMAIL) return;
  for (const { host, bookings: all, webhooks, requests } of of.accounts) {
    if (only !== undefined && host !== only) continue;
    for (const booking of all) {
      if (world.sameGuest(booking.guest.email) !== guest) continue;
      booking.guest = { name: 'Erased guest', email: 'erased@erased.invalid', phone: null };
      Object.assign(booking, { notes: null, reference: null, updatedAt: now });
      // What was sent is not known any more: the same key is another request.
      if (booking.idempotencyKey !== null) requests.set(booking.idempotencyKey, { request: '', booking });
    }
    for (const { event } of webhooks.flatMap(({ deliveries }) => deliveries)) {
      const told = event.data['booking'] as ReturnType<typeof bookings.shown> | undefined;
      if (told === undefined || world.sameGuest(told.guest_email) !== guest) continue;
      Object.assign(told, {
        guest_name: 'Erased guest',
        guest_email: 'erased@erased.invalid',
        guest_phone: null,
        notes: null,
        reference: null,
      });
    }
  }
}

function webhookOf({ world: of, id }: Typed): Webhook {
  for (const { webhooks } of of.accounts)
    for (const webhook of webhooks) if (webhook.id === id) return webhook;
  throw rejected();
}

/** The schedule starts anew; `attempts` goes on. */
function resend(typed: Typed) {
  const { world: of, now, options } = typed;
  const event = world.nameOf(of, options['event']);
  const webhook = webhookOf(typed);
  if (!webhook.isActive) throw rejected();
  const chosen = webhook.deliveries.filter((one) =>
    options['failed'] === '' ? one.status === 'failed' : one.event.id === event,
  );
  if (options['event'] !== undefined && chosen.length === 0) throw notFound();
  for (const one of chosen)
    Object.assign(one, { status: 'pending', attemptsOfSchedule: 0, nextAttemptAt: now });
  return { queued: chosen.length };
}
