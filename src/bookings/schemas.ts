import { SETTLEMENT_MODES } from '../hosts/hosts.ts';
import {
  amount,
  calendarDate,
  component,
  count,
  Currency,
  EndHour,
  idOf,
  LocalDate,
  notBlank,
  StartHour,
  timestamp,
  Timezone,
} from '../http/input/schemas.ts';
import { MAX_QUERY_NUMBER } from '../http/input/query.ts';
import { Type, type Static } from '../http/input/type.ts';
import { PRINTABLE_ASCII } from '../http/input/validation.ts';
import { CANCEL_REASON_LENGTH, GUEST_TEXT_LENGTHS } from './text-lengths.ts';

export const BOOKING_STATUSES = ['confirmed', 'cancelled', 'completed'] as const;
export type BookingStatus = (typeof BOOKING_STATUSES)[number];

export const BookingSource = Type.Enum(['api', 'platform'], {
  description: 'Made through this API, or on the platform’s own site',
});
export type BookingSource = Static<typeof BookingSource>;

/** The values stand here and in the database's own check; records, rows, events and reports use this one. */
export const PaymentStatus = Type.Enum(['host_collected', 'pending', 'confirmed', 'refunded'], {
  description:
    '`host_collected`: the guest pays the host. `pending`, then `confirmed`: the guest pays the platform. `refunded`: the booking was cancelled, and the guest has the money back.',
});
export type PaymentStatus = Static<typeof PaymentStatus>;

export const SettlementMode = Type.Enum(SETTLEMENT_MODES, {
  description: 'Whom the guest pays: the host (`host_settled`) or the platform (`platform_settled`)',
});

const GuestName = Type.String({
  minLength: 1,
  maxLength: GUEST_TEXT_LENGTHS.name,
  description: 'Name of the guest',
});
const GuestPhone = Type.String({
  minLength: 1,
  maxLength: GUEST_TEXT_LENGTHS.phone,
  description: 'Phone number of the guest, in any form',
});
const CancelReason = Type.String({
  minLength: 1,
  maxLength: CANCEL_REASON_LENGTH,
  description: 'Why the booking is cancelled; kept with it',
});

const IdempotencyKey = Type.String({
  minLength: 1,
  maxLength: 255,
  pattern: PRINTABLE_ASCII,
  description:
    'Makes the request safe to repeat: the same key with the same request answers with the first booking. Printable ASCII.',
});

export const Booking = component(
  'Booking',
  Type.Object(
    {
      id: idOf('the booking'),
      space_id: idOf('the space'),
      status: Type.Enum(BOOKING_STATUSES, {
        description: 'A confirmed booking is completed by the clock, once `ends_at` has passed',
      }),
      source: BookingSource,
      date: LocalDate,
      start_hour: StartHour,
      end_hour: EndHour,
      hours: Type.Integer({ minimum: 1, maximum: 24, description: 'Number of hours booked and paid for' }),
      timezone: Timezone,
      starts_at: timestamp('When it starts'),
      ends_at: timestamp('When it ends'),
      guest_name: GuestName,
      guest_email: Type.String({
        maxLength: GUEST_TEXT_LENGTHS.email,
        description: 'Email address of the guest',
      }),
      guest_phone: Type.Nullable(GuestPhone),
      price_per_hour: amount('The space’s price when the booking was made'),
      total_price: amount('`price_per_hour` times `hours`'),
      currency: Currency,
      settlement_mode: SettlementMode,
      payment_status: PaymentStatus,
      paid_at: Type.Nullable(timestamp('When the platform recorded the payment')),
      refunded_at: Type.Nullable(timestamp('When the platform recorded that the guest has the money back')),
      idempotency_key: Type.Nullable({
        ...IdempotencyKey,
        description: 'The key that the booking was made with',
      }),
      cancellation_reason: Type.Nullable({
        ...CancelReason,
        description: 'The reason given when it was cancelled',
      }),
      cancelled_at: Type.Nullable(timestamp('When it was cancelled')),
      replaces: Type.Nullable({
        ...idOf('the booking'),
        description: 'Id of the booking that was moved here; null if none was',
      }),
      replaced_by: Type.Nullable({
        ...idOf('the booking'),
        description: 'Id of the booking that this one was moved to; null if it was not moved',
      }),
      created_at: timestamp('When it was made'),
      updated_at: timestamp('When it last changed'),
    },
    { description: 'A booking' },
  ),
);

export type Booking = Static<typeof Booking>;

/** What the three operations on one booking answer. */
export const OneBooking = Type.Object({ booking: Booking });

/**
 * `settlement_mode` has no `default` here: generated clients take a field that has one for a required field. And no `enum`: an
 * unknown mode has a code of its own, after the checks of the input.
 */
export const CreateBooking = component(
  'CreateBooking',
  Type.Object(
    {
      space_id: idOf('the space'),
      date: LocalDate,
      start_hour: StartHour,
      end_hour: EndHour,
      guest_email: Type.String({
        format: 'email',
        maxLength: GUEST_TEXT_LENGTHS.email,
        description: 'Email address of the guest',
      }),
      guest_name: notBlank(GuestName),
      guest_phone: Type.Optional(notBlank(GuestPhone)),
      settlement_mode: Type.Optional(
        Type.String({
          maxLength: 64,
          examples: SETTLEMENT_MODES,
          description:
            '`host_settled` (the guest pays the host) or `platform_settled` (the guest pays the platform). Without it: `host_settled`.',
        }),
      ),
      replaces: Type.Optional(
        Type.Nullable({
          ...idOf('a booking'),
          description:
            'Moves this confirmed booking: it is cancelled and the new one made, both or neither, and nobody can take an hour of either meanwhile',
        }),
      ),
      idempotency_key: Type.Optional(IdempotencyKey),
    },
    { additionalProperties: false, description: 'The hours wanted, and for whom' },
  ),
);

export type CreateBooking = Static<typeof CreateBooking>;

export const IdempotencyHeaders = Type.Object({
  'idempotency-key': Type.Optional({
    ...IdempotencyKey,
    description: 'The same as `idempotency_key` in the body; where both are given they must be equal',
  }),
});

export type IdempotencyHeaders = Static<typeof IdempotencyHeaders>;

export const CancelBooking = component(
  'CancelBooking',
  Type.Object(
    { reason: notBlank(CancelReason) },
    { additionalProperties: false, description: 'A cancellation' },
  ),
);

const Limit = Type.Integer({ minimum: 1, maximum: 200, description: 'Most bookings in one answer' });
const Offset = Type.Integer({
  minimum: 0,
  maximum: MAX_QUERY_NUMBER,
  description: 'Number of bookings to leave out at the start. Far into a long list `cursor` is faster.',
});

const Cursor = Type.String({ minLength: 1, maxLength: 200 });

export const BookingFilter = Type.Object({
  space_id: Type.Optional({ ...idOf('a space'), description: 'Only bookings of this space' }),
  status: Type.Optional(Type.Enum(BOOKING_STATUSES, { description: 'Only bookings of this status' })),
  from: Type.Optional(calendarDate('First local date, inclusive')),
  to: Type.Optional(calendarDate('Last local date, inclusive')),
  limit: { ...Limit, default: 50 },
  offset: { ...Offset, default: 0 },
  guest: Type.Optional(
    notBlank(
      Type.String({
        minLength: 2,
        maxLength: 100,
        description:
          'Only bookings whose guest’s name or email contains this, whatever the case and accents. Without `from` and `to`: from a year back on',
      }),
    ),
  ),
  updated_since: Type.Optional(
    Type.String({
      format: 'date-time',
      maxLength: 64,
      description:
        'Only bookings that have changed since this time, inclusive (RFC 3339 with a zone), ordered by `updated_at` and id. Not with `from`, `to`, `guest` or `offset`. The answer’s `synced_to` is the time to ask with next, so that no change is missed; begin with 1970-01-01T00:00:00Z',
    }),
  ),
  cursor: Type.Optional({
    ...Cursor,
    description:
      'The `next_cursor` of the page before, with the same filters and without `offset`: the list goes on behind the last booking shown, whatever was made or cancelled meanwhile',
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
        description: 'Goes into `cursor` for the page after this one; null on the last page',
      }),
      synced_to: Type.Optional(
        timestamp(
          'Only with `updated_since`, and the same on all pages of one walk: the `updated_since` of the next walk. Whoever goes through all pages each time sees every change at least once',
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
