import { BOOKING_COLUMNS, type BookingRow } from '../bookings/bookings.ts';
import { read, write } from '../db/database.ts';

/** The guard stands in the statement: of two confirmations one finds its row. */
export const confirmPayment = write<BookingRow>(`
  update bookings set payment_status = 'confirmed', payment_reference = $2, updated_at = $3
  where id = $1 and payment_status = 'pending' returning ${BOOKING_COLUMNS}`);

export const selectPayment = read<BookingRow & { payment_reference: string | null }>(`
  select ${BOOKING_COLUMNS}, payment_reference from bookings where id = $1`);

/** A confirmation that came without a reference may be given one later. */
export const keepReference = write(`
  update bookings set payment_reference = $2 where id = $1 and payment_reference is null`);
