import type { PaymentState } from '../books/books.ts';
import { SETTLEMENT_MODES, type SettlementMode } from '../hosts/hosts.ts';
import { millionthsToRate } from '../money/commission.ts';
import { toMajor } from '../money/currency.ts';
import { addSums, noSums, sumsOf, toMajorSums, type Sums } from '../money/sums.ts';
import type { SettlementLine, SettlementReport, SettlementTotals } from './schemas.ts';
import { timestampOrNull } from '../time/clock.ts';
import type { SettledRow } from './sql.ts';

/** Everything a report adds up, in minor units. */
export interface Tally {
  cancelled: number;
  byMode: Record<SettlementMode, Sums>;
  /** The platform_settled bookings whose payment is confirmed. */
  paid: Sums;
  /** To be given back to guests, and given back already. */
  refunds: { bookings: number; amount: number };
  refunded: number;
  /** Of each space with lines, by its id. */
  bySpace: Record<string, Sums & { title: string }>;
}

export function newTally(): Tally {
  return {
    cancelled: 0,
    byMode: { host_settled: noSums(), platform_settled: noSums() },
    paid: noSums(),
    refunds: { bookings: 0, amount: 0 },
    refunded: 0,
    bySpace: {},
  };
}

/** What a line shows of a booking. */
interface Counted {
  payment: PaymentState;
  sums: Sums;
}

/** Adds a booking to the tally, and returns what its line shows, if it has one. So the lines always add up to the totals. */
export function tallyBooking(tally: Tally, row: SettledRow): Counted | undefined {
  const payment: PaymentState = row.as_closed === null ? row : (JSON.parse(row.as_closed) as PaymentState);
  const paid = payment.payment_status === 'confirmed';
  const refunded = payment.payment_status === 'refunded';
  const isCancelled = row.status === 'cancelled';
  const sums = isCancelled ? noSums() : sumsOf(row);
  if (isCancelled) {
    tally.cancelled++;
    if (!paid && !refunded) return undefined;
    if (paid) {
      tally.refunds.bookings++;
      tally.refunds.amount += row.total_price;
    } else tally.refunded += row.total_price;
  } else {
    addSums(tally.byMode[row.settlement_mode], sums);
    if (paid) addSums(tally.paid, sums);
  }
  addSums((tally.bySpace[row.space_id] ??= { title: row.space_title, ...noSums() }), sums);
  return { payment, sums };
}

export function toLine(
  row: SettledRow,
  { payment, sums }: Counted,
  title: string,
  currency: string,
): SettlementLine {
  return {
    booking_id: row.id,
    space_id: row.space_id,
    space_title: title,
    date: row.date,
    start_hour: row.start_hour,
    end_hour: row.end_hour,
    hours: sums.hours,
    status: row.status,
    settlement_mode: row.settlement_mode,
    payment_status: payment.payment_status,
    paid_at: timestampOrNull(payment.paid_at),
    refunded_at: timestampOrNull(payment.refunded_at),
    gross: toMajor(sums.gross, currency),
    commission_rate: millionthsToRate(row.commission_millionths),
    commission: toMajor(sums.commission, currency),
    net: toMajor(sums.gross - sums.commission, currency),
  };
}

/** What the platform owes the host, and the host the platform, in minor units. */
function dueOf({ byMode, paid }: Tally): { payout_due: number; commission_due: number } {
  return { payout_due: paid.gross - paid.commission, commission_due: byMode.host_settled.commission };
}

export function balanceOf(tally: Tally): number {
  const { payout_due, commission_due } = dueOf(tally);
  return payout_due - commission_due;
}

/** `adjustments` is their sum in minor units. */
export function toTotals(tally: Tally, adjustments: number, currency: string): SettlementTotals {
  const { cancelled, byMode, paid, refunded } = tally;
  const all = noSums();
  for (const mode of SETTLEMENT_MODES) addSums(all, byMode[mode]);
  const due = dueOf(tally);
  const major = (minor: number) => toMajor(minor, currency);
  return {
    ...toMajorSums(all, currency),
    cancelled,
    host_collected: major(byMode.host_settled.gross),
    platform_collected: major(paid.gross),
    refunded: major(refunded),
    commission_due: major(due.commission_due),
    payout_due: major(due.payout_due),
    adjustments: major(adjustments),
    balance: major(balanceOf(tally) + adjustments),
  };
}

/** By title, then by id. */
export function toSpaces({ bySpace }: Tally, currency: string): SettlementReport['by_space'] {
  return Object.entries(bySpace)
    .toSorted(([a, { title }], [b, { title: other }]) => inCodePoints(title, other) || inCodePoints(a, b))
    .map(([space_id, { title, ...sums }]) => ({ space_id, title, ...toMajorSums(sums, currency) }));
}

/** As `<` compares, but for characters beyond U+FFFF, which that sorts before some others. */
function inCodePoints(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}
