import {
  chosen,
  inputSchema,
  isShownToHost,
  newProperties,
  recordProperties,
  type NewOf,
} from '../fields/fields.ts';
import {
  calendarDate,
  component,
  count,
  idOf,
  notBlank,
  timestamp,
  wordList,
} from '../http/input/schemas.ts';
import { MAX_QUERY_NUMBER } from '../http/input/query.ts';
import { REQUIRED_UNLESS } from '../http/input/validation.ts';
import { Type, type Schema, type Static } from '../http/input/type.ts';
import {
  BOOKING,
  BOOKING_STATUSES,
  CANCEL_REASON_LENGTH,
  Reference,
  type Booking as BookingRecord,
} from './fields.ts';

export { BOOKING_STATUSES, type BookingStatus } from './fields.ts';
export type Booking = BookingRecord;
export type BookingSource = Static<typeof BookingSource>;
export type PaymentStatus = Static<typeof PaymentStatus>;

export const BookingSource = BOOKING.source.schema;
export const PaymentStatus = BOOKING.payment_status.schema;
export const SettlementMode = BOOKING.settlement_mode.schema;

export const Booking = component(
  'Booking',
  Type.Object(recordProperties(chosen(BOOKING, isShownToHost)), {
    description: 'A booking',
  }) as Schema<BookingRecord>,
);

/** What the three operations on one booking answer. */
export const OneBooking = Type.Object({ booking: Booking });

/** Nothing has a `default` here: generated clients take a field that has one for a required field. */
export const CreateBooking = component(
  'CreateBooking',
  Type.Object(newProperties(BOOKING), {
    additionalProperties: false,
    description: 'The hours wanted, and for whom',
    [REQUIRED_UNLESS]: ['guest_email', 'walk_in'],
  }) as Schema<CreateBooking>,
);

export type CreateBooking = NewOf<typeof BOOKING>;

export const IdempotencyHeaders = Type.Object({
  'idempotency-key': Type.Optional({
    ...inputSchema(BOOKING.idempotency_key),
    description: 'The same as `idempotency_key` in the body; if you send both, they must be equal',
  }),
});

export type IdempotencyHeaders = Static<typeof IdempotencyHeaders>;

export const CancelBooking = component(
  'CancelBooking',
  Type.Object(
    {
      reason: notBlank(
        Type.String({
          minLength: 1,
          maxLength: CANCEL_REASON_LENGTH,
          description: 'Why the booking is cancelled; kept with it',
        }),
      ),
    },
    { additionalProperties: false, description: 'A cancellation' },
  ),
);

const Limit = Type.Integer({ minimum: 1, maximum: 200, description: 'Maximum bookings per page' });
const Offset = Type.Integer({
  minimum: 0,
  maximum: MAX_QUERY_NUMBER,
  description: 'Number of bookings to skip. Deep into a long list `cursor` is faster.',
});

export const GuestSearch = notBlank(
  Type.String({
    minLength: 2,
    maxLength: 100,
    description:
      'Only bookings whose guest’s name or email contains this text; case and accents are ignored. Without `from` and `to`: bookings of the last year and later',
  }),
);

const Cursor = Type.String({ minLength: 1, maxLength: 200 });

export const Statuses = wordList(
  BOOKING_STATUSES,
  'Only bookings of this status, or of several: `confirmed,completed`',
);

export const ReferenceFilter = {
  ...Reference,
  description:
    'Only bookings with exactly this `reference`, of any date. Can be combined with `space_id`, `status`, `limit` and `cursor` only',
};

export const BookingFilter = Type.Object({
  space_id: Type.Optional({ ...idOf('a space'), description: 'Only bookings of this space' }),
  status: Type.Optional(Statuses),
  from: Type.Optional(calendarDate('First local date, inclusive')),
  to: Type.Optional(calendarDate('Last local date, inclusive')),
  limit: { ...Limit, default: 50 },
  offset: { ...Offset, default: 0 },
  guest: Type.Optional(GuestSearch),
  reference: Type.Optional(ReferenceFilter),
  updated_since: Type.Optional(
    Type.String({
      format: 'date-time',
      maxLength: 64,
      description:
        'Only bookings that have changed since this time, inclusive (RFC 3339 with a zone), ordered by `updated_at` and id. Not with `from`, `to`, `guest` or `offset`. Use `synced_to` of the response in the next request and you miss no change; start with 1970-01-01T00:00:00Z',
    }),
  ),
  cursor: Type.Optional({
    ...Cursor,
    description:
      'The `next_cursor` of the previous page, with the same filters and without `offset`: the list continues after the last booking shown, even if others were created or cancelled meanwhile',
  }),
});

export type BookingFilter = Static<typeof BookingFilter>;

const Pagination = component(
  'Pagination',
  Type.Object(
    {
      limit: Limit,
      offset: Offset,
      total: count('Number of bookings that match the filter, counted up to 10,000'),
      total_is_exact: Type.Boolean({ description: 'False when there are more than `total`' }),
      has_more: Type.Boolean({ description: 'Whether there is a page after this one' }),
      next_cursor: Type.Nullable({
        ...Cursor,
        description: '`cursor` of the next page; null on the last page',
      }),
      synced_to: Type.Optional(
        timestamp(
          'Only with `updated_since`; the same on all pages of one walk. Use it as `updated_since` of the next walk: if you read all pages each time, you see every change at least once',
        ),
      ),
    },
    { description: 'Which part of the list this is' },
  ),
);

export const BookingPage = Type.Object({
  bookings: Type.Array(Booking, {
    maxItems: 200,
    description: 'Ordered by date, start hour and id; with `updated_since` by `updated_at` and id',
  }),
  pagination: Pagination,
});

export type BookingPage = Static<typeof BookingPage>;
