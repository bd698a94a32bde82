// What hosts and the platform owe each other, as the API documents it: plain data, integers in minor units, nothing of src/. It
// keeps every account's bookings, payments, payouts and closed months, and says what each report must be.

export type Mode = 'host_settled' | 'platform_settled';
export type Outcome = 'done' | 'repeated' | 'refused';

export const DECIMALS = { USD: 2, KRW: 0, KWD: 3 };
export type Currency = keyof typeof DECIMALS;

export interface Host {
  id: string;
  name: string;
  timezone: string;
  currency: Currency;
  /** For new bookings. */
  rateMillionths: number;
  createdAt: number;
}

export interface Space {
  id: string;
  title: string;
  timezone: string;
  price: number;
}

export interface Entry {
  at: string;
  kind: 'confirmed' | 'voided' | 'refunded';
  reference: string | null;
  amount: number;
  actor: 'operator' | 'clock';
}

export interface Booking {
  id: string;
  space: Space;
  source: 'api' | 'platform';
  date: string;
  startHour: number;
  endHour: number;
  startsAt: number;
  endsAt: number;
  mode: Mode;
  rateMillionths: number;
  price: number;
  status: 'confirmed' | 'cancelled' | 'completed';
  payment: 'host_collected' | 'pending' | 'confirmed' | 'refunded';
  paidAt: string | null;
  refundedAt: string | null;
  history: Entry[];
  /** Made for a day of a month that was closed already. */
  late: boolean;
}

export interface Payout {
  id: string;
  amount: number;
  reference: string | null;
  paidOn: string;
  month: string;
  recordedAt: string;
  voidedAt: string | null;
  /** Takes back a payout of a closed month. */
  counters: boolean;
}

interface Adjustment {
  inMonth: string;
  kind: 'payment_confirmed' | 'payment_voided' | 'refunded' | 'late_booking';
  booking: Booking;
  recordedAt: string;
  payoutDue: number;
  commissionDue: number;
}

/** In minor units. */
interface Sums {
  bookings: number;
  hours: number;
  gross: number;
  commission: number;
  net: number;
}

/** A report in minor units. */
type Month = ReturnType<Account['asOpen']>;

/** One host in one environment. */
export class Account {
  readonly host: Host;
  readonly environment: 'production' | 'sandbox';
  readonly spaces: Space[] = [];
  readonly bookings: Booking[] = [];
  readonly payouts: Payout[] = [];
  readonly #createdIn: string;
  readonly #adjustments: Adjustment[] = [];
  readonly #closed = new Map<string, Month>();

  constructor(host: Host, environment: Account['environment']) {
    this.host = host;
    this.environment = environment;
    this.#createdIn = monthOf(localDate(host.createdAt, host.timezone));
  }

  isClosed(month: string): boolean {
    return this.#closed.has(month);
  }

  /** What it has seen. */
  get adjustmentKinds(): string[] {
    return this.#adjustments.map(({ kind }) => kind);
  }

  get closedMonths(): string[] {
    return [...this.#closed.keys()];
  }

  firstMonth(): string {
    const months = this.bookings.map(({ date }) => monthOf(date));
    return [this.#createdIn, ...months].toSorted()[0]!;
  }

  firstOpenMonth(): string {
    let month = this.firstMonth();
    while (this.#closed.has(month)) month = nextMonth(month);
    return month;
  }

  book(made: Omit<Booking, 'status' | 'payment' | 'paidAt' | 'refundedAt' | 'history' | 'late'>): Booking {
    const booking: Booking = {
      ...made,
      status: 'confirmed',
      payment: made.mode === 'host_settled' ? 'host_collected' : 'pending',
      paidAt: null,
      refundedAt: null,
      history: [],
      late: made.source === 'api' && this.#closed.has(monthOf(made.date)),
    };
    this.bookings.push(booking);
    return booking;
  }

  complete(booking: Booking, now: number): void {
    booking.status = 'completed';
    if (!booking.late) return;
    this.#adjust('late_booking', booking, now, {
      payoutDue: booking.payment === 'confirmed' ? netOf(booking) : 0,
      commissionDue: booking.mode === 'host_settled' ? commissionOf(booking) : 0,
    });
  }

  completeDue(now: number): void {
    for (const booking of this.bookings)
      if (booking.status === 'confirmed' && booking.endsAt <= now) this.complete(booking, now);
  }

  /** How many months the clock closes now. */
  closeDue(now: number): number {
    const zones = this.spaces.length > 0 ? this.spaces.map(({ timezone }) => timezone) : [this.host.timezone];
    let count = 0;
    for (;;) {
      const month = this.firstOpenMonth();
      const isOver = zones.every((zone) => monthOf(localDate(now, zone)) > month);
      const isPending = this.bookings.some(
        ({ source, status, date }) => source === 'api' && status === 'confirmed' && monthOf(date) === month,
      );
      if (!isOver || isPending) return count;
      this.#closed.set(month, { ...this.month(month), status: 'closed', closed_at: timestamp(now) });
      count++;
    }
  }

  confirm(
    booking: Booking,
    now: number,
    reference: string | null,
    shared: boolean,
    actor: Entry['actor'] = 'operator',
  ): Outcome {
    if (booking.payment === 'host_collected' || booking.payment === 'refunded') return 'refused';
    if (booking.payment === 'confirmed') return this.#repeat(booking, 'confirmed', reference, shared);
    if (!shared && this.#stands(reference, booking)) return 'refused';
    booking.payment = 'confirmed';
    booking.paidAt = timestamp(now);
    this.#remember(booking, 'confirmed', now, reference, actor);
    const payoutDue = booking.status === 'completed' ? netOf(booking) : 0;
    this.#adjust('payment_confirmed', booking, now, { payoutDue });
    return 'done';
  }

  makeVoid(booking: Booking, now: number): Outcome {
    if (booking.payment !== 'confirmed') return 'refused';
    this.#remember(booking, 'voided', now, referenceOf(booking, 'confirmed'));
    booking.payment = 'pending';
    booking.paidAt = null;
    const payoutDue = booking.status === 'completed' ? -netOf(booking) : 0;
    this.#adjust('payment_voided', booking, now, { payoutDue });
    return 'done';
  }

  refund(booking: Booking, now: number, reference: string | null, shared: boolean): Outcome {
    if (booking.payment === 'refunded') return this.#repeat(booking, 'refunded', reference, shared);
    if (booking.status !== 'cancelled' || booking.payment !== 'confirmed') return 'refused';
    if (!shared && this.#stands(reference, booking)) return 'refused';
    booking.payment = 'refunded';
    booking.refundedAt = timestamp(now);
    this.#remember(booking, 'refunded', now, reference);
    this.#adjust('refunded', booking, now, {});
    return 'done';
  }

  /** What recording this payout leads to; the one that stands already, where it is the same. */
  payoutOutcome(amount: number, reference: string | null): { outcome: Outcome; standing?: Payout } {
    const standing = this.payouts.find(
      (payout) =>
        reference !== null &&
        payout.reference === reference &&
        payout.voidedAt === null &&
        // The opposite amount takes a payout back; its reference may be used again.
        !payout.counters,
    );
    if (standing === undefined) return { outcome: 'done' };
    return { outcome: standing.amount === amount ? 'repeated' : 'refused', standing };
  }

  payOut(id: string, now: number, given: Pick<Payout, 'amount' | 'reference' | 'paidOn'>): Payout {
    const month = this.firstOpenMonth();
    const payout = { id, ...given, month, recordedAt: timestamp(now), voidedAt: null, counters: false };
    this.payouts.push(payout);
    return payout;
  }

  /** Of a payout of a closed month stays, and what stands against it is one more; its id is the service's to choose. */
  voidPayout(payout: Payout, now: number, counterId: () => string): void {
    payout.voidedAt = timestamp(now);
    if (!this.#closed.has(payout.month)) return;
    const { reference } = payout;
    const paidOn = localDate(now, this.host.timezone);
    this.payOut(counterId(), now, { amount: -payout.amount, reference, paidOn }).counters = true;
  }

  /** In major units, as the API shows it. */
  report(month: string) {
    return this.#inMajor(this.month(month));
  }

  month(month: string): Month {
    return this.#closed.get(month) ?? this.asOpen(month);
  }

  /** In minor units, by what is known now. */
  asOpen(month: string) {
    const isBefore = month < this.firstMonth();
    const own = this.bookings.filter(
      ({ source, date, late }) => source === 'api' && monthOf(date) === month && !late,
    );
    const lines = own
      .filter(
        ({ status, payment }) => status !== 'cancelled' || payment === 'confirmed' || payment === 'refunded',
      )
      .toSorted((a, b) => compare(a.date, b.date) || a.startHour - b.startHour || compare(a.id, b.id))
      .map((booking) => ({ booking, line: lineOf(booking) }));
    const counted = lines.filter(({ booking }) => booking.status !== 'cancelled');
    const sumOf = (some: typeof lines, what: 'gross' | 'net' | 'commission') =>
      some.reduce((sum, { line }) => sum + line[what], 0);
    const ofHost = counted.filter(({ booking }) => booking.mode === 'host_settled');
    const ofPlatform = counted.filter(({ booking }) => booking.mode === 'platform_settled');
    const paid = ofPlatform.filter(({ booking }) => booking.payment === 'confirmed');
    const toRefund = own.filter(({ status, payment }) => status === 'cancelled' && payment === 'confirmed');
    const adjustments = this.#adjustments.filter(({ inMonth }) => inMonth === month);
    const payouts = this.payouts.filter((payout) => payout.month === month && payout.voidedAt === null);
    const adjusted = adjustments.reduce(
      (sum, { payoutDue, commissionDue }) => sum + payoutDue - commissionDue,
      0,
    );
    const [payout_due, commission_due] = [sumOf(paid, 'net'), sumOf(ofHost, 'commission')];
    const balance = payout_due - commission_due + adjusted;
    const opening_balance: number =
      month <= this.firstMonth() ? 0 : this.month(previousMonth(month)).closing_balance;
    return {
      month,
      currency: this.host.currency,
      status: isBefore ? 'closed' : 'open',
      closed_at: null as string | null,
      opening_balance,
      totals: {
        ...sums(counted),
        cancelled: own.filter(({ status }) => status === 'cancelled').length,
        host_collected: sumOf(ofHost, 'gross'),
        platform_collected: sumOf(paid, 'gross'),
        refunded: total(own.filter(({ payment }) => payment === 'refunded')),
        commission_due,
        payout_due,
        adjustments: adjusted,
        balance,
      },
      by_settlement_mode: [
        { settlement_mode: 'host_settled', ...sums(ofHost) },
        { settlement_mode: 'platform_settled', ...sums(ofPlatform) },
      ],
      by_space: [...new Set(lines.map(({ booking }) => booking.space))]
        .toSorted((a, b) => compareCodePoints(a.title, b.title) || compare(a.id, b.id))
        .map((space) => ({
          space_id: space.id,
          title: space.title,
          ...sums(counted.filter(({ booking }) => booking.space === space)),
        })),
      refunds_pending: { bookings: toRefund.length, amount: total(toRefund) },
      adjustments: adjustments.map(({ kind, booking, recordedAt, payoutDue, commissionDue }) => ({
        kind,
        booking_id: booking.id,
        month: monthOf(booking.date),
        recorded_at: recordedAt,
        payout_due: payoutDue,
        commission_due: commissionDue,
      })),
      payouts: payouts.map(({ id, amount, reference, paidOn, recordedAt }) => ({
        id,
        amount,
        reference,
        paid_on: paidOn,
        recorded_at: recordedAt,
      })),
      closing_balance: opening_balance + balance - payouts.reduce((sum, { amount }) => sum + amount, 0),
      lines: lines.map(({ line }) => line),
    };
  }

  /** As `payment list` has it. */
  historyOf(booking: Booking) {
    return booking.history.map((entry) => this.#inMajor(entry));
  }

  /** As `payout list` has them, oldest first. */
  listPayouts() {
    return this.payouts.map(({ id, amount, reference, paidOn, month, recordedAt, voidedAt }) => ({
      id,
      host_id: this.host.id,
      environment: this.environment,
      amount: major(amount, this.host.currency),
      currency: this.host.currency,
      reference,
      paid_on: paidOn,
      month,
      recorded_at: recordedAt,
      voided_at: voidedAt,
    }));
  }

  #adjust(
    kind: Adjustment['kind'],
    booking: Booking,
    now: number,
    { payoutDue = 0, commissionDue = 0 }: { payoutDue?: number; commissionDue?: number },
  ): void {
    if (booking.source !== 'api' || !this.#closed.has(monthOf(booking.date))) return;
    // Before it is completed, a late booking stands nowhere.
    if (booking.late && booking.status !== 'completed') return;
    const inMonth = this.firstOpenMonth();
    this.#adjustments.push({ inMonth, kind, booking, recordedAt: timestamp(now), payoutDue, commissionDue });
  }

  #remember(
    booking: Booking,
    kind: Entry['kind'],
    now: number,
    reference: string | null,
    actor: Entry['actor'] = 'operator',
  ): void {
    booking.history.push({ at: timestamp(now), kind, reference, amount: booking.price, actor });
  }

  /** The same again. A reference that was missing may come later; one that is there never changes. */
  #repeat(booking: Booking, kind: Entry['kind'], reference: string | null, shared: boolean): Outcome {
    const entry = booking.history.findLast((one) => one.kind === kind)!;
    if (reference === null || reference === entry.reference) return 'repeated';
    if (entry.reference !== null || (!shared && this.#stands(reference, booking))) return 'refused';
    entry.reference = reference;
    return 'repeated';
  }

  /** On another booking of the account, not voided. */
  #stands(reference: string | null, except: Booking): boolean {
    if (reference === null) return false;
    return this.bookings.some(
      (other) =>
        other !== except &&
        ((other.paidAt !== null && referenceOf(other, 'confirmed') === reference) ||
          referenceOf(other, 'refunded') === reference),
    );
  }

  /** Every amount of what is shown, in major units. */
  #inMajor<Shown>(shown: Shown): Shown {
    return JSON.parse(JSON.stringify(shown), (name, value: unknown) =>
      typeof value === 'number' && AMOUNTS.has(name) ? major(value, this.host.currency) : value,
    ) as Shown;
  }
}

const AMOUNTS = new Set([
  'gross',
  'commission',
  'net',
  'host_collected',
  'platform_collected',
  'refunded',
  'commission_due',
  'payout_due',
  'adjustments',
  'balance',
  'opening_balance',
  'closing_balance',
  'amount',
]);

function lineOf(booking: Booking) {
  const isCancelled = booking.status === 'cancelled';
  return {
    booking_id: booking.id,
    space_id: booking.space.id,
    space_title: booking.space.title,
    date: booking.date,
    start_hour: booking.startHour,
    end_hour: booking.endHour,
    hours: isCancelled ? 0 : booking.endHour - booking.startHour,
    status: booking.status,
    settlement_mode: booking.mode,
    payment_status: booking.payment,
    paid_at: booking.paidAt,
    refunded_at: booking.refundedAt,
    gross: isCancelled ? 0 : booking.price,
    commission_rate: booking.rateMillionths / 1_000_000,
    commission: isCancelled ? 0 : commissionOf(booking),
    net: isCancelled ? 0 : netOf(booking),
  };
}

function sums(some: { line: ReturnType<typeof lineOf> }[]): Sums {
  const all = { bookings: 0, hours: 0, gross: 0, commission: 0, net: 0 };
  for (const { line } of some) {
    all.bookings++;
    for (const name of ['hours', 'gross', 'commission', 'net'] as const) all[name] += line[name];
  }
  return all;
}

function total(some: Booking[]): number {
  return some.reduce((sum, { price }) => sum + price, 0);
}

/** Half up. */
export function commissionOf({ price, rateMillionths }: Pick<Booking, 'price' | 'rateMillionths'>): number {
  return Math.floor((price * rateMillionths + 500_000) / 1_000_000);
}

function netOf(booking: Booking): number {
  return booking.price - commissionOf(booking);
}

/** Of the last entry of this kind. */
function referenceOf({ history }: Booking, wanted: Entry['kind']): string | null {
  return history.findLast(({ kind }) => kind === wanted)?.reference ?? null;
}

export function major(amount: number, currency: Currency): number {
  return Number(decimal(amount, currency));
}

/** 1205 KWD are 1.205. */
export function decimal(amount: number, currency: Currency): string {
  const decimals = DECIMALS[currency];
  const digits = String(Math.abs(amount)).padStart(decimals + 1, '0');
  const at = digits.length - decimals;
  return `${amount < 0 ? '-' : ''}${digits.slice(0, at)}${decimals > 0 ? `.${digits.slice(at)}` : ''}`;
}

export function timestamp(at: number): string {
  return new Date(at).toISOString();
}

const formats = new Map<string, Intl.DateTimeFormat>();
/** The last of each zone: the same moment is looked at many times. */
const known = new Map<string, { at: number; date: string; hour: number }>();

function local(at: number, timezone: string): { date: string; hour: number } {
  const last = known.get(timezone);
  if (last?.at === at) return last;
  let format = formats.get(timezone);
  if (format === undefined) {
    const day = { year: 'numeric', month: '2-digit', day: '2-digit' } as const;
    format = new Intl.DateTimeFormat('en-CA', {
      ...day,
      timeZone: timezone,
      hour: '2-digit',
      hourCycle: 'h23',
    });
    formats.set(timezone, format);
  }
  const [date, hour] = format.format(at).split(', ') as [string, string];
  const read = { at, date, hour: Number(hour) };
  known.set(timezone, read);
  return read;
}

export function localDate(at: number, timezone: string): string {
  return local(at, timezone).date;
}

export function localHour(at: number, timezone: string): number {
  return local(at, timezone).hour;
}

export function monthOf(date: string): string {
  return date.slice(0, 7);
}

export function nextMonth(month: string): string {
  return shifted(month, 1);
}

export function previousMonth(month: string): string {
  return shifted(month, -1);
}

function shifted(month: string, by: number): string {
  const [year, number] = month.split('-').map(Number) as [number, number];
  return new Date(Date.UTC(year, number - 1 + by, 1)).toISOString().slice(0, 7);
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** UTF-8 sorts as code points do. */
function compareCodePoints(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}
