import assert from 'node:assert/strict';
import * as bookings from '../../src/bookings/bookings.ts';
import * as forOperator from '../../src/bookings/for-operators.ts';
import * as payouts from '../../src/books/payouts.ts';
import { ApiError, OperatorError } from '../../src/errors.ts';
import * as hosts from '../../src/accounts/update.ts';
import * as payments from '../../src/payments/payments.ts';
import { closeDue } from '../../src/books/closing.ts';
import { ofHosts } from '../../src/settlement/for-operators.ts';
import * as spaces from '../../src/spaces/update.ts';
import { CREATE } from '../support/booking.ts';
import { operator } from '../support/operator.ts';
import type { World } from '../support/world.ts';
import {
  Account,
  decimal,
  DECIMALS,
  localDate,
  localHour,
  major,
  monthOf,
  nextMonth,
  previousMonth,
  timestamp,
  type Booking,
  type Currency,
  type Host,
  type Mode,
  type Outcome,
  type Payout,
  type Space,
} from './model.ts';

/** From the first zone in which a month begins to the last in which it ends are 25 hours. */
const ZONES = ['Pacific/Kiritimati', 'Asia/Tokyo', 'America/New_York', 'Pacific/Pago_Pago'];
/** Where months are over first. */
const EAST = ZONES.slice(0, 2);
export const START = '2027-02-25T00:00:00Z';
/** Four months are closed before it: February to May. */
const END = '2027-06-03T00:00:00Z';
const HOUR_MS = 3_600_000;
const RATES = [100_000, 125_000, 33_333, 0, 150_001];
const CURRENCIES: Currency[] = ['USD', 'KRW', 'KWD'];
/** UTF-16 sorts 😀 before ﬀ, code points after it. */
const TITLES = ['Loft', 'loft', 'Äther', '😀 Studio', 'ﬀ Room', 'Zoo', 'Atelier', '=1+1'];
const MAX_HOSTS = 12;
/** The whole is compared after so many operations; the months that one concerns, after two of five. */
const COMPARED_EVERY = 100;
/** In New York two o'clock is skipped on it. */
const SKIPPED = { date: '2027-03-14', hour: 2 };

/** The model's account, with what it takes to drive the real one. */
interface Driven {
  account: Account;
  key: string;
  /** Has no bookings ahead but late ones, so that it can go where a closed month is not over yet. */
  roaming: Space | undefined;
  /** That were given before. */
  references: string[];
}

/** Operations that a seed decides, done to the service and to the model; their reports are compared. */
export class BooksRun {
  world: World;
  readonly driven: Driven[] = [];
  readonly done: Record<string, number> = {};
  compared = 0;
  readonly #random: () => number;
  /** The first text of each closed report. */
  readonly #closedTexts = new Map<string, string>();
  readonly #held = new Set<string>();
  #serial = 0;

  constructor(world: World, seed: number) {
    this.world = world;
    this.#random = randomFrom(seed);
  }

  async open(): Promise<void> {
    for (const [i, zone] of ZONES.entries()) await this.#addHost(zone, CURRENCIES[i % 3]!);
    for (const driven of this.driven) {
      const isAtHome = driven.account.environment === 'production';
      await this.#addSpace(driven, isAtHome ? driven.account.host.timezone : this.#one(EAST));
      driven.roaming = await this.#addSpace(driven, this.#one(EAST));
    }
  }

  /** The clock goes from its time to the end of the run, and most happens where months turn. */
  async run(operations: number, until = END): Promise<void> {
    const ticks: number[] = [];
    for (let at = this.#now; at < Date.parse(until);) {
      at += monthTurns(at) ? 2 * HOUR_MS : 24 * HOUR_MS;
      ticks.push(at);
    }
    let next = 0;
    for (const [i, tick] of ticks.entries()) {
      this.world.clock.set(timestamp(tick));
      await this.#letClockWork();
      for (; next < (operations * (i + 1)) / ticks.length; next++) {
        await this.operate();
        if (next % COMPARED_EVERY === 0) await this.compareAll();
      }
    }
    await this.compareAll();
  }

  /** Changes the books of an account without telling the model. */
  async driftUnnoticed(): Promise<void> {
    const { ctx } = this.world;
    const [driven] = this.driven as [Driven];
    const { host, environment } = driven.account;
    const owner = { hostId: host.id, environment };
    await payouts.record(ctx, operator, owner, { amount: '1', reference: null, paidOn: undefined });
    await assert.rejects(this.compareReport(driven, driven.account.firstOpenMonth()));
  }

  /** A run that saw nothing of what it is for would agree too. */
  assertReached(): void {
    const accounts = this.driven.map(({ account }) => account);
    const kinds = new Set(accounts.flatMap((account) => account.adjustmentKinds));
    const all = ['late_booking', 'payment_confirmed', 'payment_voided', 'refunded'];
    assert.deepEqual([...kinds].toSorted(), all);
    assert.ok(accounts.some(({ payouts: some }) => some.some(({ counters }) => counters)));
    for (const { closedMonths } of accounts.slice(0, 2 * ZONES.length))
      assert.deepEqual(closedMonths, ['2027-02', '2027-03', '2027-04', '2027-05']);
    assert.deepEqual(Object.keys(this.done).toSorted(), Object.keys(WEIGHTS).toSorted());
  }

  async operate(): Promise<void> {
    this.world.clock.advance({ milliseconds: 1 });
    for (;;) {
      const late = this.driven.filter((driven) => this.#lateZone(driven) !== undefined);
      const isLate = late.length > 0 && this.#chance(0.5);
      const driven = this.#one(isLate ? late : this.driven);
      const named = this.#one(isLate ? LATE : WEIGHTED);
      let touched: Touched;
      try {
        touched = await OPERATIONS[named].call(this, driven);
      } catch (error) {
        throw new Error(`${named} at ${timestamp(this.#now)}`, { cause: error });
      }
      if (touched === undefined) continue;
      this.done[named] = (this.done[named] ?? 0) + 1;
      if (this.#chance(0.6)) return;
      const months = new Set([driven.account.firstOpenMonth(), ...touched]);
      for (const month of months) await this.compareReport(driven, month);
      return;
    }
  }

  async compareReport({ account, key }: Driven, month: string): Promise<void> {
    const path = `/api-settlement-report/api/v1/settlement/report?month=${month}`;
    const answer = await this.world.call('GET', path, { key });
    assert.equal(answer.status, 200, answer.text);
    const expected = account.report(month);
    const shown = answer.body.data;
    assert.deepEqual(
      { ...shown, adjustments: inOrder(shown.adjustments) },
      { ...expected, adjustments: inOrder(expected.adjustments) },
    );
    this.compared++;
    if (!account.isClosed(month)) return;
    const name = `${account.host.id} ${account.environment} ${month}`;
    const first = this.#closedTexts.get(name);
    if (first === undefined) this.#closedTexts.set(name, answer.text);
    else assert.equal(answer.text, first);
  }

  /** Every report of every month, what operators see of them, and the history of every payment and payout. */
  async compareAll(): Promise<void> {
    for (const driven of this.driven) await this.#compareAround(driven);
    await this.#compareSettlement(this.#month);
    await this.#compareSettlement(previousMonth(this.#month));
    const listed = await payouts.list(this.world.ctx.db, {});
    const all = this.driven.flatMap(({ account }) =>
      account.listPayouts().map((payout) => ({ ...payout, host_name: account.host.name })),
    );
    assert.deepEqual(
      listed.map((payout) => ({ ...payout })),
      all.toSorted((a, b) => (a.recorded_at < b.recorded_at ? 1 : -1)),
    );
    const pending = await forOperator.list(this.world.ctx, { payment: 'refund_pending', limit: 10_000 });
    assert.deepEqual(
      pending.map(({ id }) => id).toSorted(),
      this.driven
        .flatMap(({ account }) => account.bookings)
        .filter(({ status, payment }) => status === 'cancelled' && payment === 'confirmed')
        .map(({ id }) => id)
        .toSorted(),
    );
  }

  /** From before its first month to where its bookings end. */
  async #compareAround(driven: Driven): Promise<void> {
    let month = previousMonth(driven.account.firstMonth());
    for (const last = nextMonth(nextMonth(this.#month)); month <= last; month = nextMonth(month))
      await this.compareReport(driven, month);
  }

  async #compareSettlement(month: string): Promise<void> {
    const rows = await ofHosts(this.world.ctx, month, { withLines: true });
    const expected = this.driven
      .filter(({ account }) => account.environment === 'production')
      .map(({ account }) => ({
        host_id: account.host.id,
        host_name: account.host.name,
        ...account.report(month),
      }));
    assert.deepEqual(
      rows.map((row) => ({ ...row, adjustments: inOrder(row.adjustments) })),
      expected
        .toSorted((a, b) => (a.host_name < b.host_name ? -1 : 1))
        .map((row) => ({ ...row, adjustments: inOrder(row.adjustments) })),
    );
  }

  async #compareHistory(account: Account, booking: Booking): Promise<void> {
    const entries = await payments.list(this.world.ctx.db, booking.id);
    assert.deepEqual(
      entries.map((entry) => ({ ...entry, actor: entry.actor?.type })),
      account.historyOf(booking),
    );
  }

  /** Mostly the clock is prompt; now and then the service stands still, or one of its tasks comes later than another. */
  async #letClockWork(): Promise<void> {
    const ctx = this.world.ctx;
    const luck = this.#random();
    if (!monthTurns(this.#now))
      for (const { account, roaming } of this.driven)
        if (roaming !== undefined && !EAST.includes(roaming.timezone))
          await this.#moveSpace(account, roaming, this.#one(EAST));
    if (luck < 0.9) {
      for (const { account } of this.driven) account.completeDue(this.#now);
      while ((await bookings.completeDue(ctx)).more);
    }
    if (luck > 0.1) {
      const changed = this.driven.filter(({ account }) => account.closeDue(this.#now) > 0);
      await closeDue(ctx, new AbortController().signal, async () => undefined);
      for (const driven of changed)
        for (const month of [...driven.account.closedMonths, driven.account.firstOpenMonth()])
          await this.compareReport(driven, month);
    }
  }

  get #now(): number {
    return this.world.clock.now();
  }

  get #month(): string {
    return timestamp(this.#now).slice(0, 7);
  }

  #below(limit: number): number {
    return Math.floor(this.#random() * limit);
  }

  #one<Value>(values: readonly Value[]): Value {
    return values[this.#below(values.length)]!;
  }

  #chance(probability: number): boolean {
    return this.#random() < probability;
  }

  #amount(currency: Currency): number {
    return 1 + this.#below(currency === 'KRW' ? 90_000 : 9_000 * 10 ** (DECIMALS[currency] - 2));
  }

  async #addHost(timezone: string, currency: Currency): Promise<void> {
    const rateMillionths = this.#one(RATES);
    const name = `Host ${String(this.driven.length / 2).padStart(3, '0')}`;
    const id = await this.world.addHost({
      name,
      timezone,
      currency,
      commission_rate: rateMillionths / 1_000_000,
    });
    const host: Host = { id, name, timezone, currency, rateMillionths, createdAt: this.#now };
    for (const environment of ['production', 'sandbox'] as const) {
      const { key } = await this.world.addKey(id, { environment });
      this.driven.push({ account: new Account(host, environment), key, roaming: undefined, references: [] });
    }
  }

  async #addSpace({ account }: Driven, timezone: string): Promise<Space> {
    const { host, environment } = account;
    const [title, price] = [this.#one(TITLES), this.#amount(host.currency)];
    const given = { title, timezone, price_per_hour: major(price, host.currency), environment };
    const space = { id: await this.world.addSpace(host.id, given), title, timezone, price };
    account.spaces.push(space);
    return space;
  }

  /** Hours that nobody has: none where those that were chosen are taken. */
  #free(space: Space, date: string, from: number): { startHour: number; endHour: number } | undefined {
    if (from > 23) return undefined;
    const startHour = from + this.#below(24 - from);
    const endHour = Math.min(24, startHour + 1 + this.#below(3));
    for (let hour = startHour; hour < endHour; hour++) {
      if (this.#held.has(`${space.id} ${date} ${hour}`)) return undefined;
      if (date === SKIPPED.date && hour === SKIPPED.hour) return undefined;
    }
    return { startHour, endHour };
  }

  /** Mostly soon, so that most bookings come to be completed. */
  #place(account: Account): Place | undefined {
    const standing = account.spaces.filter((space) => !this.#roams(space));
    if (standing.length === 0) return undefined;
    const space = this.#one(standing);
    const days = this.#chance(0.8) ? this.#below(12) : this.#below(50);
    const date = localDate(this.#now + days * 24 * HOUR_MS, space.timezone);
    const isToday = date === localDate(this.#now, space.timezone);
    const hours = this.#free(space, date, isToday ? localHour(this.#now, space.timezone) + 1 : 0);
    return hours && { space, date, ...hours };
  }

  /** Hours of a day that still runs somewhere though its month is closed. */
  async #latePlace(driven: Driven): Promise<Place | undefined> {
    const { account, roaming } = driven;
    const zone = this.#lateZone(driven);
    if (zone === undefined || roaming === undefined) return undefined;
    if (roaming.timezone !== zone && !(await this.#moveSpace(account, roaming, zone))) return undefined;
    const date = localDate(this.#now, zone);
    const hours = this.#free(roaming, date, localHour(this.#now, zone) + 1);
    return hours && { space: roaming, date, ...hours };
  }

  /** Where the month that was closed last is not over. */
  #lateZone({ account, roaming }: Driven): string | undefined {
    const month = account.closedMonths.at(-1);
    if (month === undefined || roaming === undefined) return undefined;
    return ZONES.find((zone) => monthOf(localDate(this.#now, zone)) === month);
  }

  #roams(space: Space): boolean {
    return this.driven.some(({ roaming }) => roaming === space);
  }

  /** The time zone changes only while nothing lies ahead, by the clock on the space's wall. */
  async #moveSpace(account: Account, space: Space, timezone: string): Promise<boolean> {
    const [today, hour] = [localDate(this.#now, space.timezone), localHour(this.#now, space.timezone)];
    const isFree = !account.bookings.some(
      (booking) =>
        booking.space === space &&
        booking.status !== 'cancelled' &&
        (booking.date > today || (booking.date === today && booking.endHour > hour)),
    );
    if (!isFree) return false;
    await spaces.update(this.world.ctx, operator, space.id, { timezone });
    space.timezone = timezone;
    return true;
  }

  #hold({ space, date, startHour, endHour }: Place, isHeld: boolean): void {
    for (let hour = startHour; hour < endHour; hour++) {
      const name = `${space.id} ${date} ${hour}`;
      if (isHeld) this.#held.add(name);
      else this.#held.delete(name);
    }
  }

  async #bookAt(driven: Driven, place: Place, more: Record<string, unknown> = {}): Promise<Booking> {
    const { account, key } = driven;
    const mode: Mode = this.#chance(0.7) ? 'platform_settled' : 'host_settled';
    const body = {
      space_id: place.space.id,
      date: place.date,
      start_hour: place.startHour,
      end_hour: place.endHour,
      guest_email: `guest-${++this.#serial}@example.com`,
      guest_name: 'Ada Miller',
      settlement_mode: mode,
      ...more,
    };
    const answer = await this.world.call('POST', CREATE, { key, body });
    assert.equal(answer.status, 200, `${answer.text} ${JSON.stringify(body)}`);
    return this.#remember(account, place, mode, 'api', answer.body.data.booking);
  }

  #remember(
    account: Account,
    place: Place,
    mode: Mode,
    source: Booking['source'],
    made: { id: string; starts_at: string; ends_at: string; total_price: number },
  ): Booking {
    const price = place.space.price * (place.endHour - place.startHour);
    assert.equal(made.total_price, major(price, account.host.currency));
    this.#hold(place, true);
    const { rateMillionths } = account.host;
    const [startsAt, endsAt] = [Date.parse(made.starts_at), Date.parse(made.ends_at)];
    return account.book({ id: made.id, ...place, source, startsAt, endsAt, mode, rateMillionths, price });
  }

  #cancelled(booking: Booking): void {
    booking.status = 'cancelled';
    this.#hold(booking, false);
  }

  #some(account: Account, wanted: (booking: Booking) => boolean): Booking | undefined {
    const found = account.bookings.filter(wanted);
    // What was made last is what most happens to.
    return this.#one(this.#chance(0.5) ? found.slice(-8) : found);
  }

  /** New ones, none, and those that stand elsewhere already. */
  #reference({ references }: Driven): string | null {
    const luck = this.#random();
    if (luck < 0.2) return null;
    if (luck < 0.5 && references.length > 0) return this.#one(references.slice(-8));
    const reference = `ref-${++this.#serial}`;
    references.push(reference);
    return reference;
  }

  async book(this: BooksRun, driven: Driven): Promise<Touched> {
    const place = this.#place(driven.account);
    if (place === undefined) {
      await this.#addSpace(driven, this.#one(ZONES));
      return [];
    }
    const booking = await this.#bookAt(driven, place);
    return [monthOf(booking.date)];
  }

  /** Completed, or paid, by the clock as soon as it was made. */
  async bookAsSandboxGuest(driven: Driven): Promise<Touched> {
    const { account } = driven;
    if (account.environment !== 'sandbox') return undefined;
    const place = (this.#chance(0.7) ? await this.#latePlace(driven) : undefined) ?? this.#place(account);
    if (place === undefined) return undefined;
    const guest = this.#one(['complete', 'pay'] as const);
    const booking = await this.#bookAt(driven, place, { guest_email: `${guest}@sandbox.test` });
    this.world.clock.advance({ milliseconds: 1 });
    await bookings.serveSandboxGuests(this.world.ctx);
    if (guest === 'complete') account.complete(booking, this.#now);
    else if (booking.mode === 'platform_settled') account.confirm(booking, this.#now, null, false, 'clock');
    await this.#compareHistory(account, booking);
    return [monthOf(booking.date)];
  }

  async bookLate(driven: Driven): Promise<Touched> {
    const place = await this.#latePlace(driven);
    if (place === undefined) return undefined;
    if (this.#chance(0.2)) {
      const hour = localHour(this.#now, place.space.timezone);
      if (!this.#held.has(`${place.space.id} ${place.date} ${hour}`)) {
        const now = { ...place, startHour: hour, endHour: hour + 1 };
        const booking = await this.#bookAt(driven, now, { walk_in: true });
        assert.ok(booking.late);
        return [monthOf(booking.date)];
      }
    }
    const booking = await this.#bookAt(driven, place);
    assert.ok(booking.late);
    return [monthOf(booking.date)];
  }

  async enter({ account }: Driven): Promise<Touched> {
    const place = this.#place(account);
    if (place === undefined) return undefined;
    const mode = this.#one(['host_settled', 'platform_settled'] as const);
    const request = bookings.toRequest({
      space_id: place.space.id,
      date: place.date,
      start_hour: place.startHour,
      end_hour: place.endHour,
      guest_email: 'walk-in@example.com',
      guest_name: 'Ada Miller',
      settlement_mode: mode,
    });
    const { host, environment } = account;
    const caller = { hostId: host.id, environment, actor: operator };
    const { booking } = await bookings.create(this.world.ctx, caller, request, 'platform');
    this.#remember(account, place, mode, 'platform', booking);
    return [monthOf(booking.date)];
  }

  async cancel({ account, key }: Driven): Promise<Touched> {
    const booking = this.#some(
      account,
      ({ status, startsAt }) => status === 'confirmed' && startsAt > this.#now,
    );
    if (booking === undefined) return undefined;
    const path = `/api-cancel-booking/api/v1/bookings/${booking.id}/cancel`;
    const answer = await this.world.call('POST', path, { key, body: { reason: 'changed plans' } });
    assert.equal(answer.status, 200, answer.text);
    this.#cancelled(booking);
    return [monthOf(booking.date)];
  }

  /** Also one that has begun. */
  async cancelAsOperator({ account }: Driven): Promise<Touched> {
    const booking = this.#some(account, ({ status, endsAt }) => status === 'confirmed' && endsAt > this.#now);
    if (booking === undefined) return undefined;
    await forOperator.cancel(this.world.ctx, operator, booking.id, 'heating');
    this.#cancelled(booking);
    return [monthOf(booking.date)];
  }

  async move(driven: Driven): Promise<Touched> {
    const { account, key } = driven;
    const old = this.#some(
      account,
      ({ status, startsAt, source }) => status === 'confirmed' && startsAt > this.#now && source === 'api',
    );
    const place = (this.#chance(0.7) ? await this.#latePlace(driven) : undefined) ?? this.#place(account);
    if (old === undefined || place === undefined) return undefined;
    if (old.payment === 'confirmed') {
      const body = { ...bodyOf(place), guest_email: 'ada@example.com', guest_name: 'Ada', replaces: old.id };
      assert.equal((await this.world.call('POST', CREATE, { key, body })).status, 422);
      return [monthOf(old.date)];
    }
    const booking = await this.#bookAt(driven, place, { replaces: old.id });
    this.#cancelled(old);
    this.#hold(place, true);
    return [monthOf(old.date), monthOf(booking.date)];
  }

  async pay(driven: Driven): Promise<Touched> {
    const { account } = driven;
    const wantsAny = this.#chance(0.15);
    const booking = this.#some(account, ({ payment }) => payment === 'pending' || wantsAny);
    if (booking === undefined) return undefined;
    const [reference, shared] = [this.#reference(driven), this.#chance(0.2)];
    const outcome = account.confirm(booking, this.#now, reference, shared);
    const seen = await outcomeOf(payments.confirm(this.world.ctx, operator, booking.id, reference, shared));
    assert.equal(seen, outcome, `payment of ${JSON.stringify(booking)} by ${reference}`);
    await this.#compareHistory(account, booking);
    return [monthOf(booking.date)];
  }

  async makeVoid({ account }: Driven): Promise<Touched> {
    const wantsAny = this.#chance(0.15);
    const booking = this.#some(account, ({ payment }) => payment === 'confirmed' || wantsAny);
    // The clock would confirm the payment of such a guest once more.
    if (booking === undefined || booking.history.some(({ actor }) => actor === 'clock')) return undefined;
    const outcome = account.makeVoid(booking, this.#now);
    const voided = payments.makeVoid(this.world.ctx, operator, booking.id, 'bounced');
    assert.equal(await outcomeOf(voided.then(() => ({ repeated: false }))), outcome);
    await this.#compareHistory(account, booking);
    return [monthOf(booking.date)];
  }

  async refund(driven: Driven): Promise<Touched> {
    const { account } = driven;
    const wantsAny = this.#chance(0.15);
    const booking = this.#some(
      account,
      ({ payment, status }) => (payment === 'confirmed' && status === 'cancelled') || wantsAny,
    );
    if (booking === undefined) return undefined;
    const [reference, shared] = [this.#reference(driven), this.#chance(0.2)];
    const outcome = account.refund(booking, this.#now, reference, shared);
    const seen = await outcomeOf(payments.refund(this.world.ctx, operator, booking.id, reference, shared));
    assert.equal(seen, outcome, `refund of ${JSON.stringify(booking)} by ${reference}`);
    await this.#compareHistory(account, booking);
    return [monthOf(booking.date)];
  }

  async payOut(driven: Driven): Promise<Touched> {
    const { account } = driven;
    const { host, environment } = account;
    const before = this.#one(account.payouts);
    const isRepeated = before !== undefined && this.#chance(0.2);
    const amount = isRepeated ? before.amount : this.#amount(host.currency) * (this.#chance(0.25) ? -1 : 1);
    const reference = isRepeated ? before.reference : this.#reference(driven);
    const today = localDate(this.#now, host.timezone);
    const paidOn = this.#chance(0.3)
      ? localDate(this.#now - this.#below(40) * 24 * HOUR_MS, host.timezone)
      : undefined;
    const { outcome, standing } = account.payoutOutcome(amount, reference);
    const given = { amount: decimal(amount, host.currency), reference, paidOn };
    const recorded = payouts.record(this.world.ctx, operator, { hostId: host.id, environment }, given);
    assert.equal(await outcomeOf(recorded), outcome, `payout ${JSON.stringify(given)}`);
    if (outcome === 'refused') return [];
    const { payout } = await recorded;
    const expected =
      outcome === 'repeated'
        ? standing!
        : account.payOut(payout.id, this.#now, { amount, reference, paidOn: paidOn ?? today });
    assert.equal(payout.id, expected.id);
    return [expected.month];
  }

  async voidPayout({ account }: Driven): Promise<Touched> {
    const payout = this.#one(account.payouts.filter(({ counters }) => !counters));
    if (payout === undefined) return undefined;
    const wasVoided = payout.voidedAt !== null;
    const { repeated } = await payouts.makeVoid(this.world.ctx, operator, payout.id, 'came back');
    assert.equal(repeated, wasVoided);
    if (wasVoided) return [payout.month];
    const listed = await payouts.list(this.world.ctx.db, { host: account.host.id });
    account.voidPayout(payout, this.#now, () => this.#newIn(listed, account, payout));
    return [payout.month];
  }

  #newIn(listed: readonly { id: string }[], account: Account, voided: Payout): string {
    const known = new Set(
      this.driven
        .filter(({ account: { host } }) => host === account.host)
        .flatMap(({ account: a }) => a.payouts.map(({ id }) => id)),
    );
    const fresh = listed.filter(({ id }) => !known.has(id));
    assert.equal(fresh.length, 1, `one payout stands against ${voided.id}`);
    return fresh[0]!.id;
  }

  async rename({ account, key }: Driven): Promise<Touched> {
    const space = this.#one(account.spaces);
    if (space === undefined) return undefined;
    const [title, price] = [this.#one(TITLES), this.#amount(account.host.currency)];
    const body = { title, price: major(price, account.host.currency) };
    const path = `/api-listing-update/api/v1/spaces/${space.id}`;
    const answer = await this.world.call('PATCH', path, { key, body });
    assert.equal(answer.status, 200, answer.text);
    Object.assign(space, { title, price });
    return [this.#month, previousMonth(this.#month)];
  }

  /** Bookings keep the rate they were made with. */
  async changeRate({ account: { host } }: Driven): Promise<Touched> {
    host.rateMillionths = this.#one(RATES);
    const commission_rate = host.rateMillionths / 1_000_000;
    await hosts.update(this.world.ctx, operator, host.id, { commission_rate });
    return [this.#month];
  }

  async addSpace(driven: Driven): Promise<Touched> {
    if (driven.account.spaces.length > 5) return undefined;
    await this.#addSpace(driven, this.#one(ZONES));
    return [this.#month, previousMonth(this.#month)];
  }

  async changeZone({ account, roaming }: Driven): Promise<Touched> {
    if (roaming === undefined) return undefined;
    if (!(await this.#moveSpace(account, roaming, this.#one(this.#chance(0.3) ? ZONES : EAST))))
      return undefined;
    return [this.#month, previousMonth(this.#month)];
  }

  /** Without a space its own time zone counts; with one in another zone its first booking may be of the month before its first. */
  async addHost(): Promise<Touched> {
    if (this.driven.length / 2 >= MAX_HOSTS || (!monthTurns(this.#now) && this.#chance(0.8)))
      return undefined;
    await this.#addHost(this.#one(this.#chance(0.5) ? ZONES : EAST), this.#one(CURRENCIES));
    const [driven, other] = this.driven.slice(-2) as [Driven, Driven];
    const space = await this.#addSpace(driven, ZONES.at(-1)!);
    await this.payOut(driven);
    for (const one of [driven, other]) await this.#compareAround(one);
    const date = localDate(this.#now, space.timezone);
    const hours = this.#free(space, date, localHour(this.#now, space.timezone) + 1);
    if (hours !== undefined) await this.#bookAt(driven, { space, date, ...hours });
    await this.#compareAround(driven);
    if (this.#chance(0.5)) await this.voidPayout(driven);
    await this.#compareAround(driven);
    return [];
  }

  /** Nothing that is refused leaves anything behind. */
  async refused({ account, key }: Driven): Promise<Touched> {
    const { ctx } = this.world;
    const { host, environment } = account;
    const record = (amount: string, paidOn?: string, hostId = host.id) =>
      payouts.record(ctx, operator, { hostId, environment }, { amount, reference: null, paidOn });
    const unknown = '00000000-0000-7000-8000-000000000000';
    const tomorrow = localDate(this.#now + 24 * HOUR_MS, host.timezone);
    const ofHost = account.bookings.find(({ mode }) => mode === 'host_settled');
    const attempts: (() => Promise<unknown>)[] = [
      () => record('0'),
      () => record(`1.${'0'.repeat(DECIMALS[host.currency])}1`),
      () => record('9007199254740993'),
      () => record('5', tomorrow),
      () => record('5', undefined, unknown),
      () => payouts.makeVoid(ctx, operator, unknown, 'no such'),
      () => payments.confirm(ctx, operator, unknown, null, undefined),
      () => payments.confirm(ctx, operator, ofHost?.id ?? unknown, null, undefined),
      () => payments.makeVoid(ctx, operator, ofHost?.id ?? unknown, 'no payment'),
      () => payments.refund(ctx, operator, ofHost?.id ?? unknown, null, undefined),
    ];
    if (account.bookings.length + account.payouts.length > 0)
      attempts.push(() => hosts.update(ctx, operator, host.id, { currency: 'EUR' }));
    for (const attempt of attempts)
      assert.equal(await outcomeOf(attempt().then(() => ({ repeated: false }))), 'refused', String(attempt));
    const space = account.spaces[0];
    if (space === undefined) return [];
    const past = localDate(this.#now - 48 * HOUR_MS, space.timezone);
    const body = {
      ...bodyOf({ space, date: past, startHour: 1, endHour: 2 }),
      guest_email: 'a@b.example',
      guest_name: 'A',
    };
    assert.equal((await this.world.call('POST', CREATE, { key, body })).status, 422);
    return [monthOf(past)];
  }
}

interface Place {
  space: Space;
  date: string;
  startHour: number;
  endHour: number;
}

/** The months whose reports it concerns; undefined where there was nothing to do. */
type Touched = readonly string[] | undefined;

const WEIGHTS = {
  book: 30,
  bookAsSandboxGuest: 4,
  bookLate: 12,
  enter: 3,
  cancel: 6,
  cancelAsOperator: 3,
  move: 8,
  pay: 22,
  makeVoid: 8,
  refund: 7,
  payOut: 9,
  voidPayout: 5,
  rename: 4,
  changeRate: 1,
  addSpace: 1,
  changeZone: 3,
  addHost: 2,
  refused: 1,
};
/** What is done where a closed month is not over everywhere. */
const LATE = ['bookLate', 'bookLate', 'bookAsSandboxGuest', 'move', 'pay', 'makeVoid', 'cancel'] as const;
type Named = keyof typeof WEIGHTS;
const WEIGHTED = Object.entries(WEIGHTS).flatMap(([name, weight]) =>
  Array<Named>(weight).fill(name as Named),
);
const OPERATIONS: Record<Named, (this: BooksRun, driven: Driven) => Promise<Touched>> = BooksRun.prototype;

/** From the month's last day in the first zone to the first day of the next in the last one. */
function monthTurns(at: number): boolean {
  return monthOf(timestamp(at - 14 * HOUR_MS)) < monthOf(timestamp(at + 16 * HOUR_MS));
}

function bodyOf({ space, date, startHour, endHour }: Place): Record<string, unknown> {
  return { space_id: space.id, date, start_hour: startHour, end_hour: endHour };
}

async function outcomeOf(work: Promise<{ repeated: boolean }>): Promise<Outcome> {
  try {
    return (await work).repeated ? 'repeated' : 'done';
  } catch (error) {
    if (error instanceof OperatorError || error instanceof ApiError) return 'refused';
    throw error;
  }
}

/** Oldest first; of the same moment in any order. */
function inOrder<Row extends { recorded_at: string; booking_id: string }>(rows: readonly Row[]): Row[] {
  for (const [i, row] of rows.entries()) assert.ok(i === 0 || rows[i - 1]!.recorded_at <= row.recorded_at);
  return rows.toSorted(
    (a, b) => a.recorded_at.localeCompare(b.recorded_at) || a.booking_id.localeCompare(b.booking_id),
  );
}

/** mulberry32: the same seed gives the same operations. */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}
