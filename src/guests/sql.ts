import { COLUMNS, columnsWith, updatedAt, type BookingRow } from '../bookings/fields.ts';
import { read, write } from '../db/database.ts';
import { BOOKING_EVENTS } from '../events/events.ts';
import { assignments } from '../fields/fields.ts';
import type { Environment } from '../ids/api-key.ts';

/** What stands in place of an erased guest. The address can never be anybody's: .invalid is reserved for that. */
export const ERASED = { name: 'Erased guest', email: 'erased@erased.invalid', requestHash: 'erased' };

export interface GuestBookingRow extends BookingRow {
  host_name: string;
  space_title: string;
}

export const selectHostIds = read<{ id: string }>('select id from hosts order by id');

/**
 * The bookings of guest $3 at the hosts from $1 to $2, or of these the one with the id $4: walk-ins without an address all have the same
 * key. The index begins with the host, so this is a look-up for each
 * host and environment. (An index by guest alone would be one more to write with every booking.) "cross join" makes SQLite go
 * through the hosts first.
 */
export const selectBookings = read<GuestBookingRow>(`
  select ${COLUMNS.map((column) => `b.${column}`).join(', ')},
    h.name as host_name, s.title as space_title
  from hosts h cross join bookings b
    join spaces s on s.host_id = b.host_id and s.environment = b.environment and s.id = b.space_id
  where h.id between $1 and $2
    and b.host_id = h.id and b.environment in ('production', 'sandbox') and b.guest_key = $3
    and ($4::uuid is null or b.id = $4::uuid)
  order by b.id`);

export const EVENTS_PER_PRUNE = 5000;

/** A page of the events after $1 that tell about a booking. */
export const selectEventPage = read<{ host_id: string; id: string; booking_id: string }>(`
  select host_id, id, data::json -> 'booking' ->> 'id' as booking_id from events
  where id > $1 and type in (${BOOKING_EVENTS.map((type) => `'${type}'`).join(', ')})
  order by id limit ${EVENTS_PER_PRUNE}`);

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

/** Where something of a guest may have stood. */
export const TEXT_COLUMNS = [
  ...columnsWith('name', 'email', 'guest key', 'phone', 'own words', 'words', 'chosen key').map((column) => ({
    table: 'bookings',
    column,
  })),
  { table: 'events', column: 'data' },
  { table: 'payments', column: 'reference' },
  { table: 'audit', column: 'changes' },
];

/** The texts that people wrote, and the key that the caller chose: they may hold the guest's name or address. */
export const TEXTS = columnsWith('own words', 'words', 'chosen key');
export type TextsRow = Pick<BookingRow, (typeof TEXTS)[number]>;

const OWN_DATA = [
  ...columnsWith('name').map((column) => `${column} = '${ERASED.name}'`),
  ...columnsWith('email').map((column) => `${column} = '${ERASED.email}'`),
  ...columnsWith('phone').map((column) => `${column} = null`),
  ...columnsWith('request hash').map(
    (column) => `${column} = case when ${column} is null then null else '${ERASED.requestHash}' end`,
  ),
];

/** Leaves guest_key, by which the guest's bookings are found: it goes last, when their events are erased too. */
export const eraseGuest = write<TextsRow>(`
  update bookings set ${OWN_DATA.join(', ')}, ${updatedAt('$3')}
  where host_id = $1 and id = $2 and guest_email <> '${ERASED.email}'
  returning ${TEXTS.join(', ')}`);

export const updateTexts = write(`
  update bookings set ${assignments(TEXTS, 3)}
  where host_id = $1 and id = $2`);

/** What the payment system calls the payments of booking $2, as the operator wrote it. */
export const selectReferences = read<{ number: number; reference: string | null }>(
  'select number, reference from payments where host_id = $1 and booking_id = $2 and reference is not null',
);

export const updateReference = write(
  'update payments set reference = $4 where host_id = $1 and booking_id = $2 and number = $3',
);

export interface PaymentEntry {
  host_id: string;
  id: number;
  subject: string;
  changes: string | null;
}

/** Entries of the audit trail about payments of bookings of host $1, a JSON list of `{id}`. All entries of the host are looked through. */
export const selectPaymentEntries = read<PaymentEntry>(`
  select host_id, id, subject, changes from audit
  where host_id = $1 and action in ('payment.confirmed', 'payment.updated', 'payment.refunded', 'payment.voided') and changes is not null
    and subject in (select value ->> 'id' from rows_of($2))`);

export const updateChanges = write('update audit set changes = $3 where host_id = $1 and id = $2');

/** Nothing changes an event but an erasure: then another run has done it meanwhile. */
export const updateEvent = write('update events set data = $3 where host_id = $1 and id = $2 and data = $4');

export interface ErasedRow {
  status: BookingRow['status'];
  ends_at: number;
}

export const KEYS_AT_ONCE = 500;

const ALL_BUT_KEY = `
    select id from bookings
    where host_id = $1 and environment in ('production', 'sandbox') and guest_key = $2
      and guest_email = '${ERASED.email}' and ($3::uuid is null or id = $3::uuid)`;

/** A booking that the guest has made meanwhile keeps its key, and is found by it. */
export const eraseKeys = write<ErasedRow>(`
  update bookings set guest_key = '${ERASED.email}' where host_id = $1 and id in (${ALL_BUT_KEY}
    limit ${KEYS_AT_ONCE})
  returning status, ends_at`);

export const selectKey = read<{ id: string }>(`${ALL_BUT_KEY} limit 1`);
