// What hosts and the platform owe each other: closing, adjustments, payouts, and the settlement report (contract §7).
import { commissionOfBooking } from './bookings.ts';
import { checkQuery } from './input.ts';
import { major } from './money.ts';
import type { Answer, Call } from './requests.ts';
import { addMonths, iso, monthOf, today } from './time.ts';
import { actualOf, sortBy, type Account, type Adjustment, type Booking, type Report } from './world.ts';
import type { World } from './world.ts';

const netOf = (booking: Booking): number => booking.price - commissionOfBooking(booking);

/** The earlier of the month of the host's creation and that of its earliest booking. */
function firstMonth({ host, bookings }: Account): string {
  let first = host.createdIn;
  for (const { date } of bookings) if (monthOf(date) < first) first = monthOf(date);
  return first;
}

export function firstOpenMonth(account: Account): string {
  let month = firstMonth(account);
  while (account.closed.has(month)) month = addMonths(month, 1);
  return month;
}

/** Months close in order, once they are over in the zone of every space and none of their API bookings is still confirmed. */
export function closeDue(world: World, account: Account): void {
  const { now } = world;
  const zones =
    account.spaces.length > 0 ? account.spaces.map(({ timezone }) => timezone) : [account.host.timezone];
  const present = zones.map((zone) => monthOf(today(now, zone))).toSorted()[0]!;
  for (;;) {
    const month = firstOpenMonth(account);
    const isPending = account.bookings.some(
      ({ source, status, date }) => source === 'api' && status === 'confirmed' && monthOf(date) === month,
    );
    if (month >= present || isPending) return;
    account.closed.set(month, {
      ...monthOfAccount(world, account, month),
      status: 'closed',
      closed_at: iso(now),
    });
  }
}

/** What is recorded about an API booking of a closed month stands in the first open one. */
export function adjust(
  kind: Adjustment['kind'],
  booking: Booking,
  now: number,
  { payoutDue = 0, commissionDue = 0 }: { payoutDue?: number; commissionDue?: number } = {},
): void {
  const { account } = booking.space;
  if (booking.source !== 'api' || !account.closed.has(monthOf(booking.date))) return;
  // Before it is completed, a late booking stands nowhere.
  if (booking.isLate && booking.status !== 'completed') return;
  const inMonth = firstOpenMonth(account);
  account.adjustments.push({ inMonth, kind, booking, recordedAt: now, payoutDue, commissionDue });
}

/** The payment's effect on what is owed. */
export function adjustPayment(kind: Adjustment['kind'], booking: Booking, now: number): void {
  const sign = { payment_confirmed: 1, payment_voided: -1, refunded: 0, late_booking: 0 }[kind];
  adjust(kind, booking, now, { payoutDue: booking.status === 'completed' ? sign * netOf(booking) + 0 : 0 });
}

export function adjustLate(booking: Booking, now: number): void {
  if (!booking.isLate) return;
  adjust('late_booking', booking, now, {
    payoutDue: booking.payment === 'confirmed' ? netOf(booking) : 0,
    commissionDue: booking.mode === 'host_settled' ? commissionOfBooking(booking) : 0,
  });
}

export function reportOf({ world, account, query }: Call): Answer {
  const isMonth = (value: unknown) => /^\d{4}-(0[1-9]|1[0-2])$/.test(value as string);
  const { month } = checkQuery(query, { month: isMonth }, ['month']);
  return { data: monthlyReport(world, account, month!) };
}

export const monthlyReport = (world: World, account: Account, month: string): Report =>
  inMajor(monthOfAccount(world, account, month), account.host.currency);

const monthOfAccount = (world: World, account: Account, month: string): Report =>
  account.closed.get(month) ?? asOpen(world, account, month);

/** In minor units, by what is known now. */
function asOpen(world: World, account: Account, month: string): Report {
  const own = account.bookings.filter(
    ({ source, date, isLate }) => source === 'api' && monthOf(date) === month && !isLate,
  );
  const isLine = ({ status, payment }: Booking) =>
    status !== 'cancelled' || payment === 'confirmed' || payment === 'refunded';
  const orderOf = ({ date, startHour, id }: Booking) => [date, startHour, actualOf(world, id)];
  const listed = sortBy(own.filter(isLine), orderOf);
  const counted = listed.filter(({ status }) => status !== 'cancelled');
  const ofHost = counted.filter(({ mode }) => mode === 'host_settled');
  const ofPlatform = counted.filter(({ mode }) => mode === 'platform_settled');
  const paid = ofPlatform.filter(({ payment }) => payment === 'confirmed');
  const cancelled = own.filter(({ status }) => status === 'cancelled');
  const toRefund = cancelled.filter(({ payment }) => payment === 'confirmed');
  const adjustments = account.adjustments.filter(({ inMonth }) => inMonth === month);
  const payouts = account.payouts.filter((one) => one.month === month && one.voidedAt === null);
  const adjusted = sum(adjustments, ({ payoutDue, commissionDue }) => payoutDue - commissionDue);
  const payout_due = sum(paid, netOf);
  const commission_due = sum(ofHost, commissionOfBooking);
  const balance = payout_due - commission_due + adjusted;
  const first = firstMonth(account);
  const opening_balance =
    month <= first ? 0 : monthOfAccount(world, account, addMonths(month, -1)).closing_balance;
  const spaces = new Set(listed.map(({ space }) => space));
  return {
    month,
    currency: account.host.currency,
    status: month < first ? 'closed' : 'open',
    closed_at: null,
    opening_balance,
    totals: {
      ...sums(counted),
      cancelled: cancelled.length,
      host_collected: sum(ofHost, ({ price }) => price),
      platform_collected: sum(paid, ({ price }) => price),
      refunded: sum(
        own.filter(({ payment }) => payment === 'refunded'),
        ({ price }) => price,
      ),
      commission_due,
      payout_due,
      adjustments: adjusted,
      balance,
    },
    by_settlement_mode: [
      { settlement_mode: 'host_settled', ...sums(ofHost) },
      { settlement_mode: 'platform_settled', ...sums(ofPlatform) },
    ],
    by_space: sortBy([...spaces], ({ id, shown }) => [codePoints(shown.title), actualOf(world, id)]).map(
      (space) => ({
        space_id: space.id,
        title: space.shown.title,
        ...sums(counted.filter((booking) => booking.space === space)),
      }),
    ),
    refunds_pending: { bookings: toRefund.length, amount: sum(toRefund, ({ price }) => price) },
    adjustments: adjustments.map(({ kind, booking, recordedAt, payoutDue, commissionDue }) => ({
      kind,
      booking_id: booking.id,
      month: monthOf(booking.date),
      recorded_at: iso(recordedAt),
      payout_due: payoutDue,
      commission_due: commissionDue,
    })),
    payouts: payouts.map(({ id, amount, reference, paidOn, recordedAt }) => ({
      id,
      amount,
      reference,
      paid_on: paidOn,
      recorded_at: iso(recordedAt),
    })),
    closing_balance: opening_balance + balance - sum(payouts, ({ amount }) => amount),
    lines: listed.map(lineOf),
  };
}

function lineOf(booking: Booking) {
  const isCancelled = booking.status === 'cancelled';
  return {
    booking_id: booking.id,
    space_id: booking.space.id,
    space_title: booking.space.shown.title,
    date: booking.date,
    start_hour: booking.startHour,
    end_hour: booking.endHour,
    hours: isCancelled ? 0 : booking.endHour - booking.startHour,
    status: booking.status,
    settlement_mode: booking.mode,
    payment_status: booking.payment,
    paid_at: booking.paidAt === null ? null : iso(booking.paidAt),
    refunded_at: booking.refundedAt === null ? null : iso(booking.refundedAt),
    gross: isCancelled ? 0 : booking.price,
    commission_rate: booking.rateMillionths / 1_000_000,
    commission: isCancelled ? 0 : commissionOfBooking(booking),
    net: isCancelled ? 0 : netOf(booking),
  };
}

const sum = <Item>(items: Item[], of: (item: Item) => number): number =>
  items.reduce((total, item) => total + of(item), 0);

export const sums = (bookings: Booking[]) => ({
  bookings: bookings.length,
  hours: sum(bookings, ({ startHour, endHour }) => endHour - startHour),
  gross: sum(bookings, ({ price }) => price),
  commission: sum(bookings, commissionOfBooking),
  net: sum(bookings, netOf),
});

/** UTF-8 sorts as code points do. */
export const codePoints = (text: string): string => Buffer.from(text).toString('latin1');

const AMOUNTS =
  /^(gross|commission|net|host_collected|platform_collected|refunded|(commission|payout)_due|adjustments|(opening_|closing_)?balance|amount)$/;

/** Every amount in major units. */
export function inMajor<Shown>(shown: Shown, currency: string): Shown {
  return JSON.parse(JSON.stringify(shown), (name, value: unknown) =>
    typeof value === 'number' && AMOUNTS.test(name) ? major(value, currency) : value,
  ) as Shown;
}
