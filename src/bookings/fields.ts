import {
  chosen,
  exampleOf,
  initialValues,
  isSettable,
  isShownToHost,
  stored,
  toRecord,
  type Fields,
  type GivenOf,
  type HostRecordOf,
  type RecordOf,
  type Row,
  type RowOf,
} from '../fields/fields.ts';
import {
  anyText,
  email,
  id,
  instant,
  integer,
  lines,
  money,
  nullable,
  oneOf,
  plain,
  text,
  timezone,
  yesOrNo,
} from '../fields/kinds.ts';
import { SETTLEMENT_MODES } from '../hosts/fields.ts';
import { Currency, EndHour, LocalDate, notBlank, ONE_LINE, StartHour } from '../http/input/schemas.ts';
import { Type } from '../http/input/type.ts';
import { PRINTABLE_ASCII } from '../http/input/validation.ts';
import { millionthsToRate } from '../money/commission.ts';
import { sumsOf, toMajorSums, type PricedHours } from '../money/sums.ts';
import { ENVIRONMENTS } from '../ids/api-key.ts';

export const BOOKING_STATUSES = ['confirmed', 'cancelled', 'completed'] as const;
export type BookingStatus = (typeof BOOKING_STATUSES)[number];

/** Made through the API, or on the platform's own site. */
const SOURCES = ['api', 'platform'] as const;

/** The values stand here and in the database's own check. */
const PAYMENT_STATUSES = ['host_collected', 'pending', 'confirmed', 'refunded'] as const;

export const CANCEL_REASON_LENGTH = 500;
const REFERENCE_LENGTH = 1000;

/** What the record of a walk-in says whose guest gave no address. It is nobody's address. */
export const WALK_IN_EMAIL = 'walk-in@walk-in.invalid';

const phone = Type.String({
  minLength: 1,
  maxLength: 40,
  description: 'Phone number of the guest, in any form',
});
export const Reference = Type.String({
  minLength: 1,
  maxLength: 200,
  pattern: ONE_LINE,
  description: 'The id of the booking in your own system; need not be unique, must not be blank',
});
const idempotencyKey = Type.String({
  minLength: 1,
  maxLength: 255,
  pattern: PRINTABLE_ASCII,
  description:
    'Makes the request safe to retry: the same key with the same request returns the first booking. Printable ASCII.',
});

/** An amount that follows from price and rate. */
function derivedAmount(description: string, of: 'commission' | 'net') {
  return {
    schema: Type.Number({ description }),
    columns: [],
    load: (row: Row) => toMajorSums(sumsOf(row as unknown as PricedHours), String(row['currency']))[of],
  };
}

/**
 * Every field of a booking; each has the column of its own name. What may be set is what a request to create a booking gives.
 *
 * `holds` is what the field holds of the guest, and so what an erasure does with it:
 * - `name`, `email`, `phone`: the guest's own data. It is replaced by the words for an erased guest, or by null.
 * - `own words`: what the caller wrote about the guest's booking. It is replaced by null.
 * - `words`: what somebody wrote. The guest's name and address are cut out.
 * - `chosen key`: a key that the caller chose, perhaps from the guest's address. If so, it is replaced by another key.
 * - `request hash`: could be guessed from an address and a name. It is replaced by a mark.
 * - `guest key`: the guest's bookings are found by it, so it is replaced last.
 */
export const BOOKING = {
  id: { ...id('the booking'), example: '0199a3c4-9a70-7b1e-8c39-0d5f6f3a2c77' },
  host_id: { ...id('the host'), shownTo: 'operator' },
  environment: { ...oneOf('Where its space is', ENVIRONMENTS), shownTo: 'operator' },
  space_id: {
    ...id('the space'),
    setBy: 'host',
    flag: '--space <id>',
    help: 'which space',
    example: '0199a3c4-7d10-7c3e-9f6b-2f7d1c5a9b01',
  },
  status: {
    ...oneOf('A confirmed booking is completed by the clock, once `ends_at` has passed', BOOKING_STATUSES),
    example: 'confirmed',
  },
  source: { ...oneOf('Made through this API, or on the platform’s own site', SOURCES), example: 'api' },
  date: {
    ...plain(LocalDate),
    setBy: 'host',
    flag: '--date <date>',
    help: 'YYYY-MM-DD, in the time zone of the space',
    example: '2027-03-18',
  },
  start_hour: { ...plain(StartHour), setBy: 'host', example: 10 },
  end_hour: { ...plain(EndHour), setBy: 'host', example: 12 },
  hours: {
    schema: Type.Integer({ minimum: 1, maximum: 24, description: 'Number of hours booked and paid for' }),
    columns: [],
    load: (row) => (row['end_hour'] as number) - (row['start_hour'] as number),
    example: 2,
  },
  timezone: {
    ...timezone('IANA timezone, such as Europe/Vienna: dates and hours are local times in it'),
    example: 'America/New_York',
  },
  starts_at: { ...instant('When it starts'), example: '2027-03-18T14:00:00.000Z' },
  ends_at: { ...instant('When it ends'), example: '2027-03-18T16:00:00.000Z' },
  guest_name: {
    ...anyText('Name of the guest', 200),
    setBy: 'host',
    holds: 'name',
    flag: '--guest-name <name>',
    help: 'who comes',
    example: 'Ada Miller',
  },
  guest_email: {
    ...email('Email address of the guest; required but for a `walk_in`'),
    setBy: 'host',
    initial: WALK_IN_EMAIL,
    holds: 'email',
    flag: '--guest-email <email>',
    help: 'how to reach them; only a walk-in may lack it',
    example: 'ada@example.com',
  },
  guest_key: { ...plain(Type.String()), shownTo: 'nobody', holds: 'guest key' },
  guest_phone: {
    ...nullable(plain(phone)),
    input: notBlank(phone),
    setBy: 'host',
    initial: null,
    holds: 'phone',
    flag: '--guest-phone <phone>',
    help: 'how to reach them quickly',
    example: '+1 212 555 0142',
  },
  price_per_hour: { ...money('The space’s price when the booking was made'), example: 45 },
  total_price: { ...money('`price_per_hour` times `hours`'), example: 90 },
  currency: { ...plain(Currency), example: 'USD' },
  commission_millionths: { ...plain(Type.Integer()), shownTo: 'nobody' },
  commission_rate: {
    schema: Type.Number({ description: 'Share of the platform, as it was when the booking was made' }),
    columns: [],
    load: (row) => millionthsToRate(row['commission_millionths'] as number),
    shownTo: 'operator',
  },
  commission: { ...derivedAmount('What the platform gets of it', 'commission'), shownTo: 'operator' },
  net: { ...derivedAmount('What the host gets of it', 'net'), shownTo: 'operator' },
  settlement_mode: {
    ...oneOf(
      'Whom the guest pays: the host (`host_settled`) or the platform (`platform_settled`)',
      SETTLEMENT_MODES,
    ),
    // No `enum`: an unknown mode has a code of its own, after the checks of the input.
    input: Type.String({
      maxLength: 64,
      examples: SETTLEMENT_MODES,
      description:
        '`host_settled` (the guest pays the host) or `platform_settled` (the guest pays the platform). Without it: `host_settled`.',
    }),
    setBy: 'host',
    initial: 'host_settled',
    flag: '--settlement-mode <mode>',
    help: 'host_settled or platform_settled',
    example: 'host_settled',
  },
  payment_status: {
    ...oneOf(
      '`host_collected`: the guest pays the host. `pending`, then `confirmed`: the guest pays the platform. `refunded`: the booking was cancelled and the guest was refunded.',
      PAYMENT_STATUSES,
    ),
    example: 'host_collected',
  },
  payment_due_at: {
    ...nullable(
      instant(
        'The booking is cancelled at this time unless it is paid or has begun. Null where that does not happen: the guest pays the host, the payment was confirmed once, the booking has begun or is cancelled or completed, or the platform cancels no unpaid bookings.',
      ),
    ),
    columns: [],
    // It depends on a setting and on the time: `shown.ts` has them.
    load: () => null,
    example: null,
  },
  /** Null for what was recorded before there was this field, as `refunded_at`. */
  paid_at: { ...nullable(instant('When the platform recorded the payment')), example: null },
  refunded_at: {
    ...nullable(instant('When the platform recorded the refund')),
    example: null,
  },
  payment_reference: {
    ...nullable(text('How the payment system names the payment', REFERENCE_LENGTH)),
    shownTo: 'operator',
    holds: 'words',
  },
  refund_reference: {
    ...nullable(text('How the payment system names the refund', REFERENCE_LENGTH)),
    shownTo: 'operator',
    holds: 'words',
  },
  payment_voided_at: { ...nullable(instant('When a payment was last voided')), shownTo: 'nobody' },
  /** 1: made when the month of its date was closed. */
  is_late: { ...plain(Type.Integer()), shownTo: 'nobody' },
  /** JSON: how its payment stood when its month was closed, where that has changed since (`PaymentState` in books.ts). */
  as_closed: { ...nullable(plain(Type.String())), shownTo: 'nobody' },
  reference: {
    ...nullable(text('The id of the booking in your own system', 200)),
    input: Type.Nullable(Reference),
    setBy: 'host',
    initial: null,
    holds: 'own words',
    flag: '--reference <reference>',
    help: 'its id in another system',
    example: 'PMS-20391',
  },
  notes: {
    ...nullable(lines('What to know about the booking', 2000)),
    setBy: 'host',
    initial: null,
    holds: 'own words',
    flag: '--notes <text>',
    help: 'what to know about it',
    example: null,
  },
  guest_count: {
    ...nullable(integer('How many people come; at most the `capacity` of the space', 1, 10_000)),
    setBy: 'host',
    initial: null,
    flag: '--guest-count <people>',
    help: 'how many come',
    example: 6,
  },
  walk_in: {
    ...yesOrNo('Whether the guest came without a booking and took the running hour'),
    setBy: 'host',
    initial: false,
    flag: '--walk-in',
    help: 'takes the running hour; needs no guest email',
    example: false,
  },
  idempotency_key: {
    ...nullable(plain({ ...idempotencyKey, description: 'The key that the booking was made with' })),
    input: idempotencyKey,
    setBy: 'host',
    initial: null,
    holds: 'chosen key',
    example: 'order-1042',
  },
  request_hash: { ...nullable(plain(Type.String())), shownTo: 'nobody', holds: 'request hash' },
  cancellation_reason: {
    ...nullable(text('The reason given when it was cancelled', CANCEL_REASON_LENGTH)),
    holds: 'words',
    example: null,
  },
  cancelled_at: { ...nullable(instant('When it was cancelled')), example: null },
  replaces: {
    ...nullable(id('the booking that was moved here; null if none was')),
    input: Type.Nullable(
      Type.String({
        format: 'uuid',
        maxLength: 36,
        description:
          'Moves this confirmed booking: it is cancelled and the new one created, both or neither, and nobody else can take their hours meanwhile',
      }),
    ),
    setBy: 'host',
    initial: null,
    example: null,
  },
  replaced_by: {
    ...nullable(id('the booking that this one was moved to; null if it was not moved')),
    example: null,
  },
  created_at: { ...instant('When it was made'), example: '2027-03-01T09:30:00.000Z' },
  updated_at: { ...instant('When it last changed'), example: '2027-03-01T09:30:00.000Z' },
} as const satisfies Fields;

type BookingFields = typeof BOOKING;

/** A booking as its host and events see it. */
export type Booking = HostRecordOf<BookingFields>;
/** A booking as the operator sees it. */
export type OperatorBooking = RecordOf<BookingFields>;
export type BookingRow = RowOf<BookingFields>;
/** Everything that a request says about a new booking. */
export type CompleteRequest = Omit<GivenOf<BookingFields>, 'settlement_mode'> & { settlement_mode: string };
/** A request for a booking, with the initial values of what was not given. Undefined: a move keeps what the old booking has. */
export type BookingRequest = Omit<CompleteRequest, KeptByMoves> & {
  readonly [N in KeptByMoves]: CompleteRequest[N] | undefined;
};

export const exampleBooking = exampleOf(BOOKING);

export const COLUMNS = stored(BOOKING).columns as (keyof BookingRow)[];
/** The columns that a host's record is made of, for lists: without the others a page takes a seventh less. */
export const SEEN_COLUMNS = COLUMNS.filter(
  (column) => !('shownTo' in BOOKING[column]) || column === 'payment_voided_at',
);
export type SeenRow = Pick<BookingRow, (keyof BookingRow & keyof Booking) | 'payment_voided_at'>;

const SEEN = chosen(BOOKING, isShownToHost);

/** A booking as callers and events see it. */
export function toBooking(row: SeenRow): Booking {
  return toRecord(SEEN, row as unknown as Row) as Booking;
}

export function toOperatorBooking(row: BookingRow): OperatorBooking {
  return toRecord(BOOKING, row as unknown as Row);
}

/** Names of what a request gives. */
export const REQUESTED = Object.keys(chosen(BOOKING, isSettable)) as (keyof BookingRequest)[];

/** The fields that requests had first, in the order of their hash (`requestText`). */
const FIRST = [
  'space_id',
  'date',
  'start_hour',
  'end_hour',
  'guest_email',
  'guest_name',
  'guest_phone',
  'settlement_mode',
] as const;
const SAID_AGAIN = [...FIRST, 'walk_in', 'idempotency_key', 'replaces'] as const;
type KeptByMoves = Exclude<keyof CompleteRequest, (typeof SAID_AGAIN)[number]>;

/** What a move keeps of the old booking where it does not name it: every field but these, which a move says again. */
export const KEPT_BY_MOVES = REQUESTED.filter(isKept);

function isKept(name: string): name is KeptByMoves {
  return SAID_AGAIN.every((said) => said !== name);
}

/** The request that would make such a booking, with its initial values where nothing is given. Only in a move is null something given. */
export function toRequest(given: {
  readonly [N in keyof BookingRequest]?: BookingRequest[N] | undefined;
}): BookingRequest {
  const request = { ...NOTHING_GIVEN };
  const isMove = typeof given.replaces === 'string';
  for (const name of REQUESTED) {
    const value = isMove ? given[name] : (given[name] ?? undefined);
    if (value !== undefined) request[name] = value as never;
  }
  return request;
}

/** What a request has that gives nothing: initial values, and null where a value is required. */
const NOTHING_GIVEN = Object.fromEntries(
  REQUESTED.map((name) => [name, isKept(name) ? undefined : (initialValues(BOOKING)[name] ?? null)]),
) as unknown as { -readonly [N in keyof BookingRequest]: BookingRequest[N] };

/** A request with what it keeps of the booking that it moves. */
export function withKept(request: BookingRequest, old: BookingRow | undefined): CompleteRequest {
  const kept = KEPT_BY_MOVES.map((name) => [
    name,
    request[name] === undefined ? (old?.[name] ?? null) : request[name],
  ]);
  return { ...request, ...(Object.fromEntries(kept) as Pick<CompleteRequest, KeptByMoves>) };
}

/**
 * How a statement notes that it changes a record: `now` is the number of the value. Never earlier than the change before, though clocks of
 * two machines differ: mirrors go by it (decision 0016).
 */
export function updatedAt(now: string): string {
  return `updated_at = case when updated_at > ${now} then updated_at else ${now} end`;
}

/** What this field holds of the guest. */
export function guestPart(name: string): string {
  return Object.hasOwn(BOOKING, name) ? ((BOOKING as Fields)[name]!.holds ?? 'nothing') : 'nothing';
}

/** The columns that hold one of these parts of a guest. */
export function columnsWith<const Part extends string>(...parts: readonly Part[]): ColumnWith<Part>[] {
  return COLUMNS.filter((column) => parts.some((part) => part === guestPart(column))) as ColumnWith<Part>[];
}

type ColumnWith<Part> = {
  [C in keyof BookingRow]: BookingFields[C] extends { readonly holds: Part } ? C : never;
}[keyof BookingRow];

/**
 * Two requests with one idempotency key are the same request if their texts are. The text's hash is stored with the booking, so
 * the first eight fields and their order never change, and a field that came later never changes its name. Such a field counts
 * only where it was given, so keys that were used before still replay.
 */
export function requestText(request: BookingRequest): string {
  const later = LATER.filter((name) => request[name] !== NOTHING_GIVEN[name]);
  return JSON.stringify([
    ...FIRST.map((name) => request[name]),
    ...later.map((name) => [name, request[name]]),
  ]);
}

const LATER = REQUESTED.filter(
  (name) => name !== 'idempotency_key' && FIRST.every((first) => first !== name),
).toSorted();
