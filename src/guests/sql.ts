import type { BookingRow } from '../bookings/bookings.ts';
import { read, write } from '../db/database.ts';
import type { Environment } from '../ids/api-key.ts';

/** What stands in place of an erased guest. The address can never be anybody's: .invalid is reserved for that. */
export const ERASED = { name: 'Erased guest', email: 'erased@erased.invalid', requestHash: 'erased' };

export interface GuestBookingRow extends BookingRow {
  payment_reference: string | null;
  refund_reference: string | null;
  host_name: string;
  space_title: string;
}

export const selectHostIds = read<{ id: string }>('select id from hosts order by id');

/**
 * The bookings of guest $3 at the hosts from $1 to $2. The index begins with the host, so this is a look-up for each
 * host and environment. (An index by guest alone would be one more to write with every booking.)
 */
export const selectBookings = read<GuestBookingRow>(`
  select b.host_id, b.id, b.environment, b.space_id, b.status, b.source, b.date, b.start_hour, b.end_hour, b.timezone,
    b.starts_at, b.ends_at, b.guest_name, b.guest_email, b.guest_key, b.guest_phone, b.price_per_hour, b.total_price,
    b.currency, b.commission_millionths, b.settlement_mode, b.payment_status, b.payment_reference, b.refund_reference,
    b.idempotency_key, b.request_hash, b.cancellation_reason, b.cancelled_at, b.created_at, b.updated_at,
    h.name as host_name, s.title as space_title
  from hosts h
    join bookings b on b.host_id = h.id and b.environment in ('production', 'sandbox') and b.guest_key = $3
    join spaces s on s.host_id = b.host_id and s.environment = b.environment and s.id = b.space_id
  where h.id between $1 and $2
  order by b.id`);

/** `{"booking":{"id":"…`: where the id of the booking stands in an event that tells about one. */
const BOOKING_ID = 'substr(data, 19, 36)';

export const EVENTS_AT_ONCE = 5000;

/** A page of all events after $1, each with the booking it may be about. */
export const selectEventPage = read<{ host_id: string; id: string; booking_id: string }>(`
  select host_id, id, ${BOOKING_ID} as booking_id from events where id > $1 order by id limit ${EVENTS_AT_ONCE}`);

export interface EventRow {
  host_id: string;
  id: string;
  environment: Environment;
  type: string;
  data: string;
  created_at: number;
}

export const selectEvent = read<EventRow>(`
  select host_id, id, environment, type, data, created_at from events where host_id = $1 and id = $2`);

/** The texts that people wrote, and the key that the caller chose: they may hold the guest's name or address. */
export interface TextsRow {
  cancellation_reason: string | null;
  payment_reference: string | null;
  refund_reference: string | null;
  idempotency_key: string | null;
}

/**
 * Leaves guest_key, by which the guest's bookings are found: it goes last, when their events are erased too. The hash
 * of the request could be guessed from an address and a name, so it goes as well.
 */
export const eraseGuest = write<TextsRow>(`
  update bookings set guest_name = '${ERASED.name}', guest_email = '${ERASED.email}', guest_phone = null,
    request_hash = case when request_hash is null then null else '${ERASED.requestHash}' end, updated_at = $3
  where host_id = $1 and id = $2 and guest_email <> '${ERASED.email}'
  returning cancellation_reason, payment_reference, refund_reference, idempotency_key`);

export const updateTexts = write(`
  update bookings
  set cancellation_reason = $3, payment_reference = $4, refund_reference = $5, idempotency_key = $6
  where host_id = $1 and id = $2`);

/** Nothing changes an event but an erasure: then another run has done it meanwhile. */
export const updateEvent = write('update events set data = $3 where host_id = $1 and id = $2 and data = $4');

export const KEYS_AT_ONCE = 500;

const ALL_BUT_KEY = `
    select id from bookings
    where host_id = $1 and environment in ('production', 'sandbox') and guest_key = $2
      and guest_email = '${ERASED.email}'`;

export interface ErasedRow {
  status: BookingRow['status'];
  ends_at: number;
}

/** A booking that the guest has made meanwhile keeps its key, and is found by it. */
export const eraseKeys = write<ErasedRow>(`
  update bookings set guest_key = '${ERASED.email}' where host_id = $1 and id in (${ALL_BUT_KEY}
    limit ${KEYS_AT_ONCE})
  returning status, ends_at`);

export const selectKey = read<{ id: string }>(`${ALL_BUT_KEY} limit 1`);
