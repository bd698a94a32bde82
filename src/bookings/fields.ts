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
}

/** With what the operator's payment system calls the payment, and its way back. No host reads these. */
export interface OperatorRow extends BookingRow {
  payment_reference: string | null;
  refund_reference: string | null;
}

/** What a booking can be asked for with. */
export interface BookingRequest extends Omit<HourRange, 'hostId'> {
  guestEmail: string;
  guestName: string;
  guestPhone: string | null;
  settlementMode: string;
  idempotencyKey: string | null;
}

/**
 * What a column holds of the guest, and so what an erasure leaves of it:
 * - `name`, `email`, `phone`: the guest's own data. The words for an erased guest, or nothing.
 * - `words`: what somebody wrote. The guest's name and address are cut out.
 * - `chosen key`: a key that the caller chose, perhaps from the guest's address. Another key.
 * - `request hash`: could be guessed from an address and a name. A mark that it was erased.
 * - `guest key`: by this the guest's bookings are found, so it goes last.
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
 * Every column of a booking, in the order in which statements name them, with what it holds of the guest. Reading, writing,
 * exporting and erasing go by this list: a column that is missing here does not compile, and in the database fails a test.
 */
const HOLDS = {
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
} as const satisfies Record<keyof BookingRow, GuestPart>;

const OPERATOR_HOLDS = {
  payment_reference: 'words',
  refund_reference: 'words',
} as const satisfies Record<Exclude<keyof OperatorRow, keyof BookingRow>, GuestPart>;

export const COLUMNS = Object.keys(HOLDS) as (keyof BookingRow)[];
/** Those that no host reads. */
export const OPERATOR_COLUMNS = Object.keys(OPERATOR_HOLDS) as (keyof typeof OPERATOR_HOLDS)[];

const PARTS = { ...HOLDS, ...OPERATOR_HOLDS };
type Holding<Part> = {
  [C in keyof typeof PARTS]: (typeof PARTS)[C] extends Part ? C : never;
}[keyof typeof PARTS];

/** Of a column, or of the field with the same name in a record that callers see. */
export function guestPart(name: string): GuestPart {
  return Object.hasOwn(PARTS, name) ? PARTS[name as keyof typeof PARTS] : 'nothing';
}

/** The columns that hold one of these parts of a guest. */
export function columnsWith<Part extends GuestPart>(...parts: readonly Part[]): Holding<Part>[] {
  const columns = [...COLUMNS, ...OPERATOR_COLUMNS];
  return columns.filter((column) => parts.some((part) => part === PARTS[column])) as Holding<Part>[];
}

/**
 * What makes two requests with one idempotency key the same request. Its hash is stored with the booking, so these eight and
 * their order never change. A field that is new counts only where it was given (it is null otherwise): keys that were used
 * before still replay.
 */
export function sameRequest(request: BookingRequest): string {
  const { spaceId, date, startHour, endHour, guestEmail, guestName, guestPhone, settlementMode, ...others } =
    request;
  const { idempotencyKey: _, ...later } = others;
  const given = Object.entries(later)
    .filter(([, value]) => value !== null)
    .toSorted(([a], [b]) => (a < b ? -1 : 1));
  const first = [spaceId, date, startHour, endHour, guestEmail, guestName, guestPhone, settlementMode];
  return JSON.stringify([...first, ...given]);
}
