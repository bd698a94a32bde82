import { COLUMNS, updatedAt, type BookingRow } from '../bookings/fields.ts';
import { read, write } from '../db/database.ts';

const EVERY_COLUMN = COLUMNS.join(', ');
/** The operator knows only the booking's id, but the key begins with the host: this tries every host. */
const OF_ID = 'host_id in (select id from hosts) and id = $1';

export const selectBooking = read<BookingRow>(`select ${EVERY_COLUMN} from bookings where ${OF_ID}`);

// The condition is part of each update: of two that do the same, only one matches.

export const confirmPayment = write<BookingRow>(`
  update bookings set payment_status = 'confirmed', payment_reference = $2, paid_at = $3, ${updatedAt('$3')}
  where ${OF_ID} and payment_status = 'pending' returning ${EVERY_COLUMN}`);

export const refundPayment = write<BookingRow>(`
  update bookings set payment_status = 'refunded', refund_reference = $2, refunded_at = $3, ${updatedAt('$3')}
  where ${OF_ID} and status = 'cancelled' and payment_status = 'confirmed' returning ${EVERY_COLUMN}`);

export const voidPayment = write<BookingRow>(`
  update bookings set payment_status = 'pending', payment_reference = null, paid_at = null, payment_voided_at = $2,
    ${updatedAt('$2')}
  where ${OF_ID} and status <> 'completed' and payment_status = 'confirmed' returning ${EVERY_COLUMN}`);

/** A payment that was confirmed without a reference may get one later, and so may a refund. No host reads it: the record is unchanged. */
export const keepPaymentReference = write(`
  update bookings set payment_reference = $2 where ${OF_ID} and payment_reference is null`);
export const keepRefundReference = write(`
  update bookings set refund_reference = $2
  where ${OF_ID} and payment_status = 'refunded' and refund_reference is null`);
