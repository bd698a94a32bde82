import { commissionOf } from './commission.ts';
import { toMajor } from './currency.ts';

/** What a set of bookings adds up to; money in minor units, so that every sum is exact. */
export interface Sums {
  bookings: number;
  hours: number;
  gross: number;
  commission: number;
}

export function noSums(): Sums {
  return { bookings: 0, hours: 0, gross: 0, commission: 0 };
}

export function addSums(sums: Sums, more: Sums): void {
  sums.bookings += more.bookings;
  sums.hours += more.hours;
  sums.gross += more.gross;
  sums.commission += more.commission;
}

/** A booking's hours and the price and commission rate that were frozen into it. */
export interface PricedHours {
  start_hour: number;
  end_hour: number;
  total_price: number;
  commission_millionths: number;
}

/** Commission is rounded booking by booking, before anything is added up. */
export function sumsOf(booking: PricedHours): Sums {
  return {
    bookings: 1,
    hours: booking.end_hour - booking.start_hour,
    gross: booking.total_price,
    commission: commissionOf(booking.total_price, booking.commission_millionths),
  };
}

export function toMajorSums({ bookings, hours, gross, commission }: Sums, currency: string) {
  return {
    bookings,
    hours,
    gross: toMajor(gross, currency),
    commission: toMajor(commission, currency),
    net: toMajor(gross - commission, currency),
  };
}
