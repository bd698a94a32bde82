import type { Actor } from '../caller.ts';
import { COLUMNS, updatedAt, type BookingRow } from '../bookings/fields.ts';
import { read, write } from '../db/database.ts';

/** Sets all that a booking says about its payment. */
export const savePayment = write<BookingRow>(`
  update bookings set payment_status = $3, payment_reference = $4, paid_at = $5, refund_reference = $6, refunded_at = $7,
    payment_voided_at = $8, as_closed = coalesce(as_closed, $9::text), ${updatedAt('$10')}
  where host_id = $1 and id = $2 returning ${COLUMNS.join(', ')}`);

/** A payment that was recorded without a reference may get one later, and so may a refund. No host reads it: the record is unchanged. */
export const keepReference = {
  payment_reference: write('update bookings set payment_reference = $3 where host_id = $1 and id = $2'),
  refund_reference: write('update bookings set refund_reference = $3 where host_id = $1 and id = $2'),
};

const OTHER = 'select id from bookings where host_id = $1 and environment = $2 and id <> $4';

/** Another booking of the host and environment on which reference $3 stands. */
export const selectOtherWith = read<{ id: string }>(`
  ${OTHER} and payment_reference = $3 union all ${OTHER} and refund_reference = $3 and status = 'cancelled' limit 1`);

export interface EntryRow {
  kind: 'confirmed' | 'voided' | 'refunded';
  at: number | null;
  reference: string | null;
  amount: number;
  actor_type: Actor['type'] | null;
  actor_id: string | null;
}

export const selectEntries = read<EntryRow>(`
  select kind, at, reference, amount, actor_type, actor_id from payments
  where host_id = $1 and booking_id = $2 order by number`);

export const insertEntry = write(`
  insert into payments (host_id, booking_id, number, kind, at, reference, amount, actor_type, actor_id)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9)`);

/** The last entry of this kind gets the reference that it lacked. */
export const keepEntryReference = write(`
  update payments set reference = $4
  where host_id = $1 and booking_id = $2 and reference is null and number = (
    select max(number) from payments where host_id = $1 and booking_id = $2 and kind = $3)`);

/**
 * The first condition must be that of the index bookings_sandbox_guests, word for word, or the index is not used. A payment that
 * the operator made void stays pending.
 */
export const selectWaitingSandboxGuests = read<
  Pick<BookingRow, 'host_id' | 'id' | 'environment' | 'guest_key'>
>(`
  select host_id, id, environment, guest_key from bookings
  where ((environment = 'sandbox' and guest_key = 'complete@sandbox.test' and status = 'confirmed')
    or (environment = 'sandbox' and guest_key = 'pay@sandbox.test' and payment_status = 'pending'))
    and (guest_key = 'complete@sandbox.test' or payment_voided_at is null)
  limit $1`);
