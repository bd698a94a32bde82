// What hosts and the platform owe each other, and what hosts have earned: closing, adjustments, payouts, reports (contract §7).
import { checkQuery, type Body } from './input.ts';
import { commissionOf, shown } from './money.ts';
import type { Answer, Call } from './requests.ts';
import { addMonths, HOUR, iso, MINUTE, monthOf, today } from './time.ts';
import { actualOf, pick, sortBy, without, type Account, type Adjustment } from './world.ts';
import type { Booking, Report, Space, World } from './world.ts';

const commission = ({ total_price, rate }: Booking): number => commissionOf(total_price, rate);
const net = (booking: Booking): number => booking.total_price - commission(booking);
const price = ({ total_price }: Booking): number => total_price;
const sum = <Item>(items: Item[], of: (item: Item) => number): number =>
  items.reduce((total, item) => total + of(item), 0);

const sums = (bookings: Booking[]) => ({
  bookings: bookings.length,
  hours: sum(bookings, ({ start_hour, end_hour }) => end_hour - start_hour),
  gross: sum(bookings, price),
  commission: sum(bookings, commission),
  net: sum(bookings, net),
});

const sumsOf = (space: Space, bookings: Booking[]) => ({
  space_id: space.id,
  title: space.title,
  ...sums(bookings.filter((booking) => booking.space === space)),
});

/** The earlier of the month of the host's creation and that of its earliest booking, until nobody can book a date before it. */
const firstMonth = ({ first, host, bookings }: Account): string =>
  first ?? bookings.map(({ date }) => monthOf(date)).reduce((a, b) => (a < b ? a : b), host.createdIn);

/** A clock that is set back opens none of them again. */
export const isClosed = ({ first = '', closed }: Account, month: string): boolean =>
  month < first || closed.has(month);

export function firstOpenMonth(account: Account): string {
  let month = firstMonth(account);
  while (account.closed.has(month)) month = addMonths(month, 1);
  return month;
}

/** Months close in order, once they are over in the zone of every space and none of their API bookings is still confirmed. */
export function closeDue(world: World, account: Account): void {
  const { now } = world;
  const zones = account.spaces.length > 0 ? account.spaces : [account.host];
  const present = zones.map(({ timezone }) => monthOf(today(now, timezone))).toSorted()[0]!;
  const isPending = (month: string): boolean =>
    account.bookings.some(
      ({ source, status, date }) => source === 'api' && status === 'confirmed' && monthOf(date) === month,
    );
  let month = firstOpenMonth(account);
  for (; month < present && !isPending(month); month = firstOpenMonth(account))
    account.closed.set(month, { ...reportIn(world, account, month), status: 'closed', closed_at: now });
  const first = firstMonth(account);
  // The last time zone is 12 hours behind UTC, and clocks of two machines may differ by a minute.
  const isOverEverywhere = addMonths(first, -1) < monthOf(iso(now - 12 * HOUR - MINUTE));
  if (isOverEverywhere || account.closed.size > 0) account.first = first;
}

/** What is recorded about an API booking of a closed month stands in the first open one. */
export function adjust(kind: Adjustment['kind'], booking: Booking, now: number): void {
  const { id, source, status, date, isLate, payment_status, settlement_mode } = booking;
  const { account } = booking.space;
  if (source !== 'api' || !isClosed(account, monthOf(date))) return;
  // Before it is completed, a late booking stands nowhere.
  if (isLate && status !== 'completed') return;
  const isNew = kind === 'late_booking';
  const sign = { payment_confirmed: 1, payment_voided: -1, refunded: 0 };
  const factor = isNew ? Number(payment_status === 'confirmed') : status === 'completed' ? sign[kind] : 0;
  account.adjustments.push({
    inMonth: firstOpenMonth(account),
    kind,
    booking_id: id,
    month: monthOf(date),
    recorded_at: now,
    payout_due: factor * net(booking) + 0,
    commission_due: isNew && settlement_mode === 'host_settled' ? commission(booking) : 0,
  });
}

export function reportOf({ world, account, query }: Call): Answer {
  const isMonth = (value: unknown) => /^\d{4}-(0[1-9]|1[0-2])$/.test(value as string);
  const { month } = checkQuery(query, { month: isMonth }, ['month']);
  return { data: monthlyReport(world, account, month!) };
}

export const monthlyReport = (world: World, account: Account, month: string): Body =>
  shown(reportIn(world, account, month), account.host.currency);

const reportIn = (world: World, account: Account, month: string): Report =>
  account.closed.get(month) ?? asOpen(world, account, month);

/** By when they were recorded: a clock that is set back records an earlier time later. */
const oldestFirst = <Item extends { recorded_at: number }>(items: Item[]): Item[] =>
  sortBy(items, ({ recorded_at }) => [recorded_at]);

/** By what is known now. */
function asOpen(world: World, account: Account, month: string): Report {
  const own = account.bookings.filter(
    ({ source, date, isLate }) => source === 'api' && monthOf(date) === month && !isLate,
  );
  const isLine = ({ status, payment_status }: Booking): boolean =>
    status !== 'cancelled' || payment_status === 'confirmed' || payment_status === 'refunded';
  const orderOf = ({ date, start_hour, id }: Booking) => [date, start_hour, actualOf(world, id)];
  const listed = sortBy(own.filter(isLine), orderOf);
  const counted = listed.filter(({ status }) => status !== 'cancelled');
  const cancelled = own.filter(({ status }) => status === 'cancelled');
  const inMode = (mode: string) => counted.filter(({ settlement_mode }) => settlement_mode === mode);
  const isPaid = ({ payment_status }: Booking): boolean => payment_status === 'confirmed';
  const [ofHost, paid] = [inMode('host_settled'), inMode('platform_settled').filter(isPaid)];
  const toRefund = cancelled.filter(isPaid);
  const refunded = own.filter(({ payment_status }) => payment_status === 'refunded');
  const adjustments = oldestFirst(account.adjustments.filter(({ inMonth }) => inMonth === month));
  const payouts = oldestFirst(account.payouts.filter((one) => one.month === month && one.voided_at === null));
  const adjusted = sum(adjustments, ({ payout_due, commission_due }) => payout_due - commission_due);
  const [payout_due, commission_due] = [sum(paid, net), sum(ofHost, commission)];
  const balance = payout_due - commission_due + adjusted;
  const first = firstMonth(account);
  const before = addMonths(month, -1);
  const opening_balance = month <= first ? 0 : reportIn(world, account, before).closing_balance;
  return {
    month,
    currency: account.host.currency,
    status: month < first ? 'closed' : 'open',
    closed_at: null,
    opening_balance,
    totals: {
      ...sums(counted),
      cancelled: cancelled.length,
      host_collected: sum(ofHost, price),
      platform_collected: sum(paid, price),
      refunded: sum(refunded, price),
      commission_due,
      payout_due,
      adjustments: adjusted,
      balance,
    },
    by_settlement_mode: ['host_settled', 'platform_settled'].map((settlement_mode) => ({
      settlement_mode,
      ...sums(inMode(settlement_mode)),
    })),
    by_space: sortBy([...new Set(listed.map(({ space }) => space))], ({ id, title }) => [
      codePoints(title),
      actualOf(world, id),
    ]).map((space) => sumsOf(space, counted)),
    refunds_pending: { bookings: toRefund.length, amount: sum(toRefund, price) },
    adjustments: adjustments.map((one) => without(one, 'inMonth')),
    payouts: payouts.map((one) => without(one, 'month', 'voided_at', 'isCounter')),
    closing_balance: opening_balance + balance - sum(payouts, ({ amount }) => amount),
    lines: listed.map(lineOf),
  };
}

const LINE = ['date', 'start_hour', 'end_hour', 'status', 'settlement_mode'] as const;

function lineOf(booking: Booking) {
  const { id, space, rate, status } = booking;
  const { bookings: _, ...amounts } = sums(status === 'cancelled' ? [] : [booking]);
  return {
    booking_id: id,
    space_id: space.id,
    space_title: space.title,
    ...pick(booking, ...LINE, 'payment_status', 'paid_at', 'refunded_at'),
    commission_rate: rate / 1_000_000,
    ...amounts,
  };
}

/** UTF-8 sorts as code points do. */
const codePoints = (text: string): string => Buffer.from(text).toString('latin1');

/** Bookings of all sources. */
export function earnings({ account, now }: Call): Answer {
  const { host, bookings, spaces } = account;
  const present = monthOf(today(now, host.timezone));
  const completed = bookings.filter(({ status }) => status === 'completed');
  const ofMonth = (month: string) => sums(completed.filter(({ date }) => monthOf(date) === month));
  const months = Array.from({ length: 12 }, (_, i) => addMonths(present, i - 11));
  const data = {
    currency: host.currency,
    lifetime: sums(completed),
    this_month: ofMonth(present),
    last_month: ofMonth(addMonths(present, -1)),
    upcoming: sums(bookings.filter(({ status }) => status === 'confirmed')),
    by_month: months.map((month) => ({ month, ...ofMonth(month) })),
    by_space: spaces.map((space) => sumsOf(space, completed)),
  };
  return { data: shown(data, host.currency) };
}
