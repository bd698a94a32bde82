import type { SettlementMode } from '../hosts/hosts.ts';
import type { HourRange } from '../hours/hours.ts';
import type { Environment } from '../ids/api-key.ts';
import type { BookingSource, BookingStatus, PaymentStatus } from './schemas.ts';

/** A booking as every caller reads it. */
export interface BookingRow {
  host_id: string;
  id: string;
  environment: Environment;
  space_id: string;
  status: BookingStatus;
  source: BookingSource;
  date: string;
  start_hour: number;
  end_hour: number;
  timezone: string;
  starts_at: number;
  ends_at: number;
  guest_name: string;
  guest_email: string;
  guest_key: string;
  guest_phone: string | null;
  price_per_hour: number;
  total_price: number;
  currency: string;
  commission_millionths: number;
  settlement_mode: SettlementMode;
  payment_status: PaymentStatus;
  idempotency_key: string | null;
  request_hash: string | null;
  cancellation_reason: string | null;
  cancelled_at: number | null;
  created_at: number;
  updated_at: number;
  /** Null for what was recorded before there was this field, as `refunded_at`. */
  paid_at: number | null;
  refunded_at: number | null;
  /** Of a move: the booking whose place this one took. */
  replaces: string | null;
  /** Of a move: the booking that took the place of this one. */
  replaced_by: string | null;
}

/** With the references of the payment and of its refund in the operator's payment system. No host reads these. */
export interface OperatorRow extends BookingRow {
  payment_reference: string | null;
  refund_reference: string | null;
}

/** A request for a booking. A field that is not given is null. */
export interface BookingRequest extends Omit<HourRange, 'hostId'> {
  guestEmail: string;
  guestName: string;
  guestPhone: string | null;
  settlementMode: string;
  /** The booking that this one takes the place of. */
  replaces: string | null;
  idempotencyKey: string | null;
}

/**
 * What a column holds of the guest, and so what an erasure does with it:
 * - `name`, `email`, `phone`: the guest's own data. It is replaced by the words for an erased guest, or by null.
 * - `words`: what somebody wrote. The guest's name and address are cut out.
 * - `chosen key`: a key that the caller chose, perhaps from the guest's address. If so, it is replaced by another key.
 * - `request hash`: could be guessed from an address and a name. It is replaced by a mark.
 * - `guest key`: the guest's bookings are found by it, so it is replaced last.
 */
export type GuestPart =
  | 'name'
  | 'email'
  | 'phone'
  | 'words'
  | 'chosen key'
  | 'request hash'
  | 'guest key'
  | 'nothing';

/**
 * Every column of a booking, in the order in which statements name them, with what it holds of the guest. Statements and
 * erasures go by this list. A field of `BookingRow` that is missing here does not compile; a column of the database that is
 * missing here fails fields.test.ts.
 */
const GUEST_PART = {
  host_id: 'nothing',
  id: 'nothing',
  environment: 'nothing',
  space_id: 'nothing',
  status: 'nothing',
  source: 'nothing',
  date: 'nothing',
  start_hour: 'nothing',
  end_hour: 'nothing',
  timezone: 'nothing',
  starts_at: 'nothing',
  ends_at: 'nothing',
  guest_name: 'name',
  guest_email: 'email',
  guest_key: 'guest key',
  guest_phone: 'phone',
  price_per_hour: 'nothing',
  total_price: 'nothing',
  currency: 'nothing',
  commission_millionths: 'nothing',
  settlement_mode: 'nothing',
  payment_status: 'nothing',
  idempotency_key: 'chosen key',
  request_hash: 'request hash',
  cancellation_reason: 'words',
  cancelled_at: 'nothing',
  created_at: 'nothing',
  updated_at: 'nothing',
  paid_at: 'nothing',
  refunded_at: 'nothing',
  replaces: 'nothing',
  replaced_by: 'nothing',
} as const satisfies Record<keyof BookingRow, GuestPart>;

const OPERATOR_GUEST_PART = {
  payment_reference: 'words',
  refund_reference: 'words',
} as const satisfies Record<Exclude<keyof OperatorRow, keyof BookingRow>, GuestPart>;

export const COLUMNS = Object.keys(GUEST_PART) as (keyof BookingRow)[];
/** Not part of a record as callers see it, so lists do not read them: without these five a page takes a seventh less. */
const UNSEEN = ['host_id', 'environment', 'guest_key', 'commission_millionths', 'request_hash'] as const;
export type SeenRow = Omit<BookingRow, (typeof UNSEEN)[number]>;
export const SEEN_COLUMNS = COLUMNS.filter((column) => !(UNSEEN as readonly string[]).includes(column));
/** Those that no host reads. */
export const OPERATOR_COLUMNS = Object.keys(OPERATOR_GUEST_PART) as (keyof typeof OPERATOR_GUEST_PART)[];

/**
 * How a statement notes that it changes a record: `now` is the number of the value. Never earlier than the change before, though clocks of
 * two machines differ: mirrors go by it (decision 0016).
 */
export function updatedAt(now: string): string {
  return `updated_at = case when updated_at > ${now} then updated_at else ${now} end`;
}

const PARTS = { ...GUEST_PART, ...OPERATOR_GUEST_PART };
type ColumnWith<Part> = {
  [C in keyof typeof PARTS]: (typeof PARTS)[C] extends Part ? C : never;
}[keyof typeof PARTS];

/** What this column holds of the guest. Also asked of a record's fields, which have the names of their columns. */
export function guestPart(name: string): GuestPart {
  return Object.hasOwn(PARTS, name) ? PARTS[name as keyof typeof PARTS] : 'nothing';
}

/** The columns that hold one of these parts of a guest. */
export function columnsWith<Part extends GuestPart>(...parts: readonly Part[]): ColumnWith<Part>[] {
  const columns = [...COLUMNS, ...OPERATOR_COLUMNS];
  return columns.filter((column) => parts.some((part) => part === PARTS[column])) as ColumnWith<Part>[];
}

/**
 * Two requests with one idempotency key are the same request if their texts are. The text's hash is stored with the booking, so
 * the first eight fields and their order never change, and a field that came later never changes its name. Such a field counts
 * only where it was given, so keys that were used before still replay.
 */
export function requestText(request: BookingRequest): string {
  const { spaceId, date, startHour, endHour, guestEmail, guestName, guestPhone, settlementMode, ...others } =
    request;
  const { idempotencyKey: _, ...later } = others;
  const given = Object.entries(later)
    .filter(([, value]) => value !== null)
    .toSorted(([a], [b]) => (a < b ? -1 : 1));
  const first = [spaceId, date, startHour, endHour, guestEmail, guestName, guestPhone, settlementMode];
  return JSON.stringify([...first, ...given]);
}
