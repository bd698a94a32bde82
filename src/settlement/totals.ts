import { SETTLEMENT_MODES, type SettlementMode } from '../hosts/hosts.ts';
import { millionthsToRate } from '../money/commission.ts';
import { toMajor } from '../money/currency.ts';
import { addSums, noSums, sumsOf, toMajorSums, type Sums } from '../money/sums.ts';
import type { SettlementLine, SettlementTotals } from './schemas.ts';
import type { SettledRow } from './sql.ts';

/** Everything a report adds up, in minor units. */
export interface Tally {
  cancelled: number;
  byMode: Record<SettlementMode, Sums>;
  /** The platform_settled bookings whose payment is confirmed. */
  paid: Sums;
  refunds: { bookings: number; amount: number };
}

export function newTally(): Tally {
  return {
    cancelled: 0,
    byMode: { host_settled: noSums(), platform_settled: noSums() },
    paid: noSums(),
    refunds: { bookings: 0, amount: 0 },
  };
}

/**
 * Adds a booking to the tally and returns its line, if it has one. Line and tally use the same sums, so the lines
 * always add up to the totals.
 */
export function settle(tally: Tally, row: SettledRow, currency: string): SettlementLine | undefined {
  const paid = row.payment_status === 'confirmed';
  if (row.status !== 'cancelled') {
    const sums = sumsOf(row);
    addSums(tally.byMode[row.settlement_mode], sums);
    if (paid) addSums(tally.paid, sums);
    return toLine(row, sums, currency);
  }
  tally.cancelled++;
  if (paid) {
    tally.refunds.bookings++;
    tally.refunds.amount += row.total_price;
  }
  const hasPaid = paid || row.payment_status === 'refunded';
  return hasPaid ? toLine(row, noSums(), currency) : undefined;
}

function toLine(row: SettledRow, sums: Sums, currency: string): SettlementLine {
  return {
    booking_id: row.id,
    space_id: row.space_id,
    space_title: row.space_title,
    date: row.date,
    start_hour: row.start_hour,
    end_hour: row.end_hour,
    hours: sums.hours,
    status: row.status,
    settlement_mode: row.settlement_mode,
    payment_status: row.payment_status,
    gross: toMajor(sums.gross, currency),
    commission_rate: millionthsToRate(row.commission_millionths),
    commission: toMajor(sums.commission, currency),
    net: toMajor(sums.gross - sums.commission, currency),
  };
}

export function toTotals({ cancelled, byMode, paid }: Tally, currency: string): SettlementTotals {
  const all = noSums();
  for (const mode of SETTLEMENT_MODES) addSums(all, byMode[mode]);
  const commissionDue = byMode.host_settled.commission;
  const payoutDue = paid.gross - paid.commission;
  return {
    ...toMajorSums(all, currency),
    cancelled,
    host_collected: toMajor(byMode.host_settled.gross, currency),
    platform_collected: toMajor(paid.gross, currency),
    commission_due: toMajor(commissionDue, currency),
    payout_due: toMajor(payoutDue, currency),
    balance: toMajor(payoutDue - commissionDue, currency),
  };
}
