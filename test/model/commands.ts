// The operator's commands that change data (contract §9, §14). What is printed is compared by the fields that the contract names.
import * as bookings from './bookings.ts';
import { newCalendar, poll, remove } from './calendars.ts';
import { disable, emit, startAnew } from './events.ts';
import { endsAfterStart, invalid, isRange, notFound, Rejection, type Body } from './input.ts';
import { NONE_YET } from './limit.ts';
import { major, minor, shown } from './money.ts';
import { SCOPES } from './requests.ts';
import { adjust, firstOpenMonth, monthlyReport } from './settlement.ts';
import { change, feedUrl, merged, NEW_LISTING, shownSpace } from './spaces.ts';
import { DAY, monthOf, startOf, today, WEEKDAYS } from './time.ts';
import * as world from './world.ts';
import type { Account, Booking, Calendar, Host, Payment, Payout, Range } from './world.ts';
import type { Space, Wanted, Webhook, World } from './world.ts';

/** A flag has the value ''. */
type Options = Record<string, string | undefined>;

/** What was typed, and when. `id` follows the command's name. */
interface Typed {
  world: World;
  now: number;
  id: string;
  options: Options;
}

function parse(argv: string[]): { name: string; id: string; options: Options } {
  const first = argv.findIndex((word) => word.startsWith('--'));
  const words = first < 0 ? argv : argv.slice(0, first);
  const options: Options = {};
  for (let i = words.length; i < argv.length; i++) {
    const [, name, value] = /^--([^=]+)(?:=(.*))?$/s.exec(argv[i]!)!;
    const next = argv[i + 1];
    const takesNext = value === undefined && next !== undefined && !next.startsWith('--');
    if (takesNext) i++;
    options[name!] = takesNext ? next : (value ?? '');
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

const rejected = (): Rejection => new Rejection('REJECTED');
/** What is looked for, or the command is rejected. */
function known<Found>(found: Found | undefined): Found {
  if (found === undefined) throw rejected();
  return found;
}

const COMMANDS: Record<string, (typed: Typed) => unknown> = {
  'host add': addHost,
  'host update': updateHost,
  'host deactivate': (typed) => void (hostOf(typed, typed.id).isActive = false),
  'host activate': activateHost,
  'space add': addSpace,
  'space update': updateSpace,
  'key create': createKey,
  'key revoke': ({ world: of, id }) =>
    void (known([...of.keys.values()].find((one) => one.id === id)).isRevoked = true),
  'ical-token rotate': rotateToken,
  'calendar add': addCalendar,
  'calendar remove': (typed) => remove(typed.world, ...calendarOf(typed)),
  'calendar sync': syncCalendar,
  'booking create': createBooking,
  'booking move': moveBooking,
  'booking cancel': cancelBooking,
  'booking show': (typed) => ({ ...shownBooking(typed), payments: historyOf(bookingOf(typed)) }),
  'payment confirm': (typed) => confirmPayment(typed.world, bookingOf(typed), typed.options),
  'payment refund': refund,
  'payment void': voidPayment,
  'payment list': (typed) => historyOf(bookingOf(typed)),
  'payout record': recordPayout,
  'payout void': voidPayout,
  'payout list': listPayouts,
  settlement: listSettlement,
  export: () => undefined,
  'guest erase': eraseGuest,
  'webhook disable': disableWebhook,
  'webhook enable': enableWebhook,
  'webhook resend': resend,
};

// Hosts, spaces, keys

/** By its id, or its email. */
const hostOf = ({ world: of }: Typed, given: string | undefined): Host =>
  known(of.hosts.find(({ id, email }) => id === world.nameOf(of, given) || email === given));
const hostFilter = (typed: Typed): ((host: Host) => boolean) => {
  const only = typed.options['host'] === undefined ? null : hostOf(typed, typed.options['host']);
  return (host) => only === null || host === only;
};

function accountOf(typed: Typed): Account {
  const host = hostOf(typed, typed.options['host']);
  const environment = typed.options['env'] ?? 'production';
  return typed.world.accounts.find((one) => one.host === host && one.environment === environment)!;
}

/** The fields that the options give. */
function hostFields({ world: of, options }: Typed, host: Partial<Host>): Partial<Host> {
  const { name, email, timezone, currency, commission } = options;
  const max = options['max-booking-value'];
  const maxValue = max === undefined ? undefined : minor(max, currency ?? host.currency!);
  if (of.hosts.some((one) => one !== host && one.email.toLowerCase() === email?.toLowerCase()))
    throw rejected();
  if (maxValue === null) throw invalid();
  const fields = {
    name,
    email,
    timezone,
    currency,
    maxValue,
    rate: commission === undefined ? undefined : Math.round(Number(commission) * 1_000_000),
    modes: options['settlement-modes']?.split(','),
  };
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

const shownHost = ({ id, name, email }: Host): Body => ({ id, name, email });

function addHost(typed: Typed) {
  const { world: of, now } = typed;
  const defaults = { rate: 100_000, modes: ['host_settled', 'platform_settled'], maxValue: null };
  const host = { ...defaults, ...hostFields(typed, {}), id: '', isActive: true, createdIn: '' } as Host;
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
      payouts: [],
      adjustments: [],
      requests: new Map(),
      closed: new Map(),
    });
  return shownHost(host);
}

const accountsOf = ({ world: of }: Typed, host: Host): Account[] =>
  of.accounts.filter((one) => one.host === host);

function updateHost(typed: Typed) {
  const host = hostOf(typed, typed.id);
  const fields = hostFields(typed, host);
  const isNew = (fields.currency ?? host.currency) !== host.currency;
  const hasMoney = accountsOf(typed, host).some(
    ({ bookings: all, payouts }) => all.length + payouts.length > 0,
  );
  if (isNew && hasMoney) throw rejected();
  if (isNew) changeCurrency(typed.world, host, fields);
  return shownHost(Object.assign(host, fields));
}

/** Amounts stay the same in major units. One that the new currency has not enough decimals for rejects the change. */
function changeCurrency(of: World, host: Host, fields: Partial<Host>): void {
  const before = host.currency;
  const inNew = (amount: number): number => minor(major(amount, before), fields.currency!) ?? refuse();
  const spaces = of.accounts.filter((one) => one.host === host).flatMap((one) => one.spaces);
  const prices = spaces.map(({ price_per_hour }) => inNew(price_per_hour));
  if (host.maxValue !== null) fields.maxValue ??= inNew(host.maxValue);
  host.currency = fields.currency!;
  for (const [i, space] of spaces.entries()) {
    space.price_per_hour = prices[i]!;
    emit(of, space.account, 'listing.updated', { space: shownSpace(space), changed: ['currency'] });
  }
}

function refuse(): never {
  throw rejected();
}

function activateHost(typed: Typed): void {
  const host = hostOf(typed, typed.id);
  if (host.isActive) return;
  host.isActive = true;
  // The five days of nothing but failure start anew.
  for (const { webhooks } of accountsOf(typed, host))
    for (const webhook of webhooks) webhook.failingSince = null;
}

const spaceOf = ({ world: of }: Typed, given: string | undefined): Space =>
  known(of.spaces.get(world.nameOf(of, given)));

function hoursFrom(text: string): Range {
  const [start_hour, end_hour] = text.split('-').map(Number) as [number, number];
  return { start_hour, end_hour };
}

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

const rulesFrom = (text: string): Body =>
  Object.fromEntries(text.split(',').map((rule) => [rule.split('=')[0], Number(rule.split('=')[1])]));

/** The fields of a listing, as endpoint 12 names them. */
const SPACE_OPTIONS: Record<string, [field: string, read: (text: string) => unknown]> = {
  title: ['title', String],
  category: ['category_slug', String],
  description: ['description', String],
  address: ['address', String],
  area: ['area', String],
  price: ['price', Number],
  capacity: ['capacity', Number],
  hours: ['operating_hours', hoursFrom],
  'weekly-hours': ['weekly_hours', weekFrom],
  'no-weekly-hours': ['weekly_hours', () => null],
  'booking-rules': ['booking_rules', rulesFrom],
  'no-booking-rules': ['booking_rules', () => null],
  active: ['is_active', () => true],
  inactive: ['is_active', () => false],
  timezone: ['timezone', String],
};

const spaceFields = ({ options }: Typed): Body =>
  Object.fromEntries(
    Object.entries(SPACE_OPTIONS)
      .filter(([option]) => options[option] !== undefined)
      .map(([option, [field, read]]) => [field, read(options[option]!)]),
  );

function addSpace(typed: Typed) {
  const { world: of, options } = typed;
  const account = accountOf(typed);
  const { timezone, currency } = account.host;
  const space: Space = {
    ...merged({ ...NEW_LISTING, timezone }, spaceFields(typed), currency),
    id: world.fresh(of, 'space'),
    account,
    noticeHours: Number(options['cancellation-notice'] ?? 0),
    feedToken: world.fresh(of, 'token'),
    held: new Map(),
    calendars: [],
  };
  account.spaces.push(space);
  of.spaces.set(space.id, space);
  const { id, title, feedToken: ical_token } = space;
  return { id, title, environment: account.environment, ical_token, ical_url: feedUrl(of, space) };
}

function updateSpace(typed: Typed) {
  const { world: of, now, options } = typed;
  const space = spaceOf(typed, typed.id);
  const { timezone = space.timezone, 'cancellation-notice': notice } = options;
  if (timezone !== space.timezone && liesAhead(space, now)) throw rejected();
  const listing = merged(space, spaceFields(typed), space.account.host.currency);
  if (notice !== undefined) listing.noticeHours = Number(notice);
  change(of, space, listing);
  return { id: space.id, title: space.title };
}

/** A booking or block that holds an hour which is not over. External calendars are read anew by the new clock. */
const liesAhead = ({ timezone, held }: Space, now: number): boolean =>
  [...held].some(([date, hours]) =>
    hours.some((holder, hour) => holder !== undefined && startOf(timezone, date, hour + 1) > now),
  );

function createKey(typed: Typed) {
  const { world: of, now, options } = typed;
  const account = accountOf(typed);
  const { host, environment } = account;
  const days = /^(\d+)d$/.exec(options['expires'] ?? '')?.[1];
  const id = world.fresh(of, 'key');
  const secret = world.fresh(of, `key_${environment}`);
  const scopes = options['scopes']?.split(',') ?? SCOPES;
  const expires_at = days === undefined ? null : now + Number(days) * DAY;
  of.keys.set(secret, {
    id,
    secret,
    account,
    scopes,
    expires_at,
    isRevoked: false,
    admitted: { ...NONE_YET },
  });
  const record = { id, key: secret, host_id: host.id, environment, name: options['name'], expires_at };
  return { ...shown(record, host.currency), scopes };
}

function rotateToken(typed: Typed) {
  const space = spaceOf(typed, typed.options['space']);
  space.feedToken = world.fresh(typed.world, 'token');
  return { space_id: space.id, token: space.feedToken, url: feedUrl(typed.world, space) };
}

function addCalendar(typed: Typed) {
  const space = spaceOf(typed, typed.options['space']);
  const calendar = newCalendar(typed.world, space, typed.options['url']!, null, Infinity);
  if (calendar === null) throw rejected();
  space.calendars.push(calendar);
  return { id: calendar.id };
}

function calendarOf({ world: of, id }: Typed): [Space, Calendar] {
  const all = [...of.spaces.values()].flatMap((space) =>
    space.calendars.map((calendar): [Space, Calendar] => [space, calendar]),
  );
  return known(all.find(([, calendar]) => calendar.id === id));
}

function syncCalendar(typed: Typed) {
  const [space, calendar] = calendarOf(typed);
  poll(typed.world, space, calendar, false);
  if (calendar.status === 'failing') throw rejected();
  return { id: calendar.id };
}

// Bookings

const bookingOf = ({ world: of, id }: Typed): Booking => known(of.bookings.get(id));
const shownBooking = (typed: Typed): Body => bookings.shown(bookingOf(typed), typed.now);

/** Date and hours, as they were typed. */
function hoursTyped({ options }: Typed): Range & { date: string } {
  const hours = hoursFrom(options['hours']!);
  if (!isRange(hours) || !endsAfterStart(hours)) throw invalid();
  return { date: options['date']!, ...hours };
}

function createBooking(typed: Typed) {
  const { world: of, now, options } = typed;
  const wanted: Wanted = {
    ...bookings.DEFAULTS,
    ...hoursTyped(typed),
    space: spaceOf(typed, options['space']),
    source: 'platform',
    guest_name: options['guest-name']!,
    guest_email: options['guest-email']!,
    settlement_mode: options['settlement-mode'] ?? 'platform_settled',
  };
  return bookings.shown(bookings.book(of, wanted, null, true), now);
}

/** Waits for no notice, and may take a booking that has begun; a paid one it may not. */
function moveBooking(typed: Typed) {
  const { world: of, now, options } = typed;
  const hours = hoursTyped(typed);
  const old = bookingOf(typed);
  if (old.status !== 'confirmed' || old.payment_status === 'confirmed') throw rejected();
  const space = options['space'] === undefined ? old.space : spaceOf(typed, options['space']);
  if (space.account !== old.space.account) throw rejected();
  const wanted = { ...old, ...hours, space, walk_in: false, idempotency_key: null };
  return bookings.shown(bookings.book(of, wanted, old, true), now);
}

function cancelBooking(typed: Typed) {
  const booking = bookingOf(typed);
  if (booking.status !== 'confirmed') throw rejected();
  bookings.cancel(typed.world, booking, typed.options['reason']!);
  return shownBooking(typed);
}

// Payments

const referenceOf = ({ payments }: Booking, wanted: Payment['kind']): string | null =>
  payments.findLast(({ kind }) => kind === wanted)?.reference ?? null;

/** A reference stands on one booking of the account, unless it is shared; one that was made void stands nowhere. */
function checkReference(booking: Booking, { reference, shared }: Options): void {
  const stands = (other: Booking): boolean =>
    other !== booking &&
    ((other.paid_at !== null && referenceOf(other, 'confirmed') === reference) ||
      referenceOf(other, 'refunded') === reference);
  if (reference !== undefined && shared !== '' && booking.space.account.bookings.some(stands))
    throw rejected();
}

/** What was recorded before is recorded again. A reference that was missing may come later; one that is there stays. */
function repeat(booking: Booking, kind: Payment['kind'], options: Options): void {
  const entry = booking.payments.findLast((one) => one.kind === kind)!;
  const { reference = entry.reference } = options;
  if (reference === entry.reference) return;
  if (entry.reference !== null) throw rejected();
  checkReference(booking, options);
  entry.reference = reference;
}

function record(booking: Booking, now: number, kind: Payment['kind'], reference: string | null): void {
  bookings.change(booking, now, {});
  booking.payments.push({ at: now, kind, reference, amount: booking.total_price });
}

export function confirmPayment(of: World, booking: Booking, options: Options) {
  const { now } = of;
  const { payment_status } = booking;
  if (payment_status === 'host_collected' || payment_status === 'refunded') throw rejected();
  const already_confirmed = payment_status === 'confirmed';
  if (already_confirmed) repeat(booking, 'confirmed', options);
  else {
    checkReference(booking, options);
    Object.assign(booking, { payment_status: 'confirmed', paid_at: now });
    record(booking, now, 'confirmed', options['reference'] ?? null);
    adjust('payment_confirmed', booking, now);
    emit(of, booking.space.account, 'payment.confirmed', { booking: bookings.shown(booking, now) });
  }
  return { ...bookings.shown(booking, now), already_confirmed };
}

function refund(typed: Typed) {
  const { now, options } = typed;
  const booking = bookingOf(typed);
  const already_refunded = booking.payment_status === 'refunded';
  if (already_refunded) repeat(booking, 'refunded', options);
  else {
    if (booking.status !== 'cancelled' || booking.payment_status !== 'confirmed') throw rejected();
    checkReference(booking, options);
    Object.assign(booking, { payment_status: 'refunded', refunded_at: now });
    record(booking, now, 'refunded', options['reference'] ?? null);
    adjust('refunded', booking, now);
  }
  return { ...shownBooking(typed), already_refunded };
}

function voidPayment(typed: Typed) {
  const { now } = typed;
  const booking = bookingOf(typed);
  if (booking.payment_status !== 'confirmed') throw rejected();
  record(booking, now, 'voided', referenceOf(booking, 'confirmed'));
  Object.assign(booking, { payment_status: 'pending', paid_at: null });
  adjust('payment_voided', booking, now);
  return shownBooking(typed);
}

const historyOf = ({ payments, space }: Booking): Body[] =>
  payments.map((payment) => shown(payment, space.account.host.currency));

// Payouts

const shownPayout = ({ host, environment }: Account, payout: Payout): Body => {
  const own = { host_id: host.id, environment, currency: host.currency };
  return shown({ ...world.without(payout, 'isCounter'), ...own }, host.currency);
};

function recordPayout(typed: Typed) {
  const { world: of, now, options } = typed;
  const account = accountOf(typed);
  const amount = minor(options['amount']!, account.host.currency);
  const reference = options['reference'] ?? null;
  const present = today(now, account.host.timezone);
  const paid_on = options['paid-on'] ?? present;
  if (amount === null || amount === 0 || paid_on > present) throw invalid();
  const standing = account.payouts.find(
    // The opposite amount takes a payout back; its reference may be used again.
    (one) => reference !== null && one.reference === reference && one.voided_at === null && !one.isCounter,
  );
  if (standing !== undefined && standing.amount !== amount) throw rejected();
  const payout = standing ?? addPayout(of, account, { amount, reference, paid_on, isCounter: false });
  return { ...shownPayout(account, payout), already_recorded: standing !== undefined };
}

function addPayout(
  of: World,
  account: Account,
  given: Pick<Payout, 'amount' | 'reference' | 'paid_on' | 'isCounter'>,
): Payout {
  const id = world.fresh(of, 'payout');
  const payout = { id, ...given, month: firstOpenMonth(account), recorded_at: of.now, voided_at: null };
  account.payouts.push(payout);
  return payout;
}

/** In an open month it leaves the report; in a closed one the opposite amount stands in the first open month. */
function voidPayout({ world: of, now, id }: Typed) {
  const account = known(of.accounts.find(({ payouts }) => payouts.some((one) => one.id === id)));
  const payout = account.payouts.find((one) => one.id === id)!;
  if (payout.isCounter) throw rejected();
  const already_voided = payout.voided_at !== null;
  if (!already_voided) {
    const { amount, reference } = payout;
    const paid_on = today(now, account.host.timezone);
    payout.voided_at = now;
    if (account.closed.has(payout.month))
      addPayout(of, account, { amount: -amount, reference, paid_on, isCounter: true });
  }
  return { ...shownPayout(account, payout), already_voided };
}

/** The order in which they were recorded. Ids do not tell: no command shows that of a payout which takes back another. */
const serialOf = ({ id }: Payout): number => Number(/\d+/.exec(id));

/** Newest first, of both environments. */
function listPayouts(typed: Typed) {
  const isWanted = hostFilter(typed);
  const all = typed.world.accounts
    .filter(({ host }) => isWanted(host))
    .flatMap((account) => account.payouts.map((payout) => ({ account, payout })));
  return world
    .sortBy(all, ({ payout }) => [payout.recorded_at, serialOf(payout)])
    .toReversed()
    .map(({ account, payout }) => shownPayout(account, payout));
}

/** Production, every host, by name. */
function listSettlement(typed: Typed) {
  const isWanted = hostFilter(typed);
  const accounts = typed.world.accounts.filter(
    ({ environment, host }) => environment === 'production' && isWanted(host),
  );
  return world
    .sortBy(accounts, ({ host }) => [host.name])
    .map((account) => {
      const report = monthlyReport(typed.world, account, typed.options['month']!);
      const row = world.without(report, 'lines', 'by_space', 'by_settlement_mode');
      return { host_id: account.host.id, host_name: account.host.name, ...row };
    });
}

// Guests, webhooks

const NOBODY = {
  guest_name: 'Erased guest',
  guest_email: 'erased@erased.invalid',
  guest_phone: null,
  notes: null,
  reference: null,
};

/** In bookings, and in events that are still to be delivered; hours and money stay. */
function eraseGuest(typed: Typed): void {
  const { world: of, now, options } = typed;
  const isWanted = hostFilter(typed);
  const guest = world.sameGuest(options['email']!);
  const isGuest = (one: Body): boolean => world.sameGuest(one['guest_email'] as string) === guest;
  if (guest === bookings.WALK_IN_EMAIL) return;
  for (const { bookings: all, webhooks, requests } of of.accounts.filter(({ host }) => isWanted(host))) {
    for (const booking of all.filter((one) => isGuest({ ...one }))) {
      bookings.change(booking, now, NOBODY);
      // What was sent is not known any more: the same key is another request.
      if (booking.idempotency_key !== null) requests.set(booking.idempotency_key, { request: '', booking });
    }
    for (const { event } of webhooks.flatMap(({ deliveries }) => deliveries)) {
      const told = event.data['booking'] as Body | undefined;
      if (told !== undefined && isGuest(told)) Object.assign(told, NOBODY);
    }
  }
}

const webhookOf = ({ world: of, id }: Typed): Webhook =>
  known(of.accounts.flatMap(({ webhooks }) => webhooks).find((one) => one.id === id));

function disableWebhook(typed: Typed) {
  const webhook = webhookOf(typed);
  if (webhook.disabled_reason !== 'operator') disable(webhook, typed.now, 'operator');
  return { id: webhook.id, is_active: false, disabled_reason: 'operator' };
}

function enableWebhook(typed: Typed) {
  const webhook = webhookOf(typed);
  const { id, is_active: wasActive } = webhook;
  if (!wasActive) {
    Object.assign(webhook, { is_active: true, disabled_reason: null, updated_at: typed.now });
    startAnew(webhook, typed.now);
  }
  return { id, is_active: true, disabled_reason: null };
}

/** The schedule starts anew; `attempts` goes on. */
function resend(typed: Typed) {
  const { world: of, now, options } = typed;
  const event = world.nameOf(of, options['event']);
  const webhook = webhookOf(typed);
  if (!webhook.is_active || !webhook.account.host.isActive) throw rejected();
  const isChosen = ({ status, event: { id } }: Webhook['deliveries'][number]): boolean =>
    options['failed'] === '' ? status === 'failed' : id === event;
  const chosen = webhook.deliveries.filter(isChosen);
  if (options['event'] !== undefined && chosen.length === 0) throw notFound();
  for (const one of chosen)
    Object.assign(one, {
      status: 'pending',
      attemptsOfSchedule: 0,
      next_attempt_at: now,
      mayBeReleased: false,
    });
  return { queued: chosen.length };
}
