import type { Booking } from '@hourkeep/client';
import { money } from '../format.ts';

/** Struck out once it is cancelled, wherever it is shown. */
export function BookingPrice({ status, total_price, currency }: Booking) {
  const price = money(total_price, currency);
  return status === 'cancelled' ? <s>{price}</s> : <>{price}</>;
}
