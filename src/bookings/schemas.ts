import type { Static } from 'typebox';
import {
  CalendarDate,
  component,
  Count,
  Currency,
  EndHour,
  Id,
  nullable,
  StartHour,
  Timestamp,
  Timezone,
} from '../http/input/schemas.ts';
import { MAX_QUERY_NUMBER } from '../http/input/query-numbers.ts';
import { Type } from '../http/input/type.ts';
import { GUEST_TEXT_LENGTHS } from './text-lengths.ts';

export const BOOKING_STATUSES = ['confirmed', 'cancelled', 'completed'] as const;
export type BookingStatus = (typeof BOOKING_STATUSES)[number];

const GuestEmail = Type.String({ format: 'email', maxLength: GUEST_TEXT_LENGTHS.email });
const GuestName = Type.String({ minLength: 1, maxLength: GUEST_TEXT_LENGTHS.name });
const GuestPhone = Type.String({ minLength: 1, maxLength: GUEST_TEXT_LENGTHS.phone });
const Reason = Type.String({ minLength: 1, maxLength: 500, description: 'Kept with the booking' });

const IdempotencyKey = Type.String({
  minLength: 1,
  maxLength: 255,
  pattern: '^[ -~]+$',
  description:
    'Makes the request safe to repeat: the same key and request answer with the first booking. Printable ASCII.',
});

export const Booking = component(
  'Booking',
  Type.Object(
    {
      id: Id,
      space_id: Id,
      status: Type.Enum(BOOKING_STATUSES, {
        description: 'A clock completes a confirmed booking once `ends_at` has passed',
      }),
      source: Type.Enum(['api', 'platform'], {
        description: 'Made through this API, or on the platform’s own site',
      }),
      date: CalendarDate,
      start_hour: StartHour,
      end_hour: EndHour,
      hours: Type.Integer({ minimum: 1, maximum: 24, description: 'How many hours are booked and paid' }),
      timezone: Timezone,
      starts_at: Timestamp,
      ends_at: Timestamp,
      guest_name: GuestName,
      guest_email: Type.String({ maxLength: GUEST_TEXT_LENGTHS.email }),
      guest_phone: nullable(GuestPhone),
      price_per_hour: Type.Number({ description: 'Frozen when the booking was made' }),
      total_price: Type.Number(),
      currency: Currency,
      settlement_mode: Type.Enum(['host_settled', 'platform_settled']),
      payment_status: Type.Enum(['host_collected', 'pending', 'confirmed']),
      idempotency_key: nullable(IdempotencyKey),
      cancellation_reason: nullable(Reason),
      cancelled_at: nullable(Timestamp),
      created_at: Timestamp,
      updated_at: Timestamp,
    },
    { description: 'A booking' },
  ),
);

export type Booking = Static<typeof Booking>;

export const CreateBooking = component(
  'CreateBooking',
  Type.Object(
    {
      space_id: Id,
      date: CalendarDate,
      start_hour: StartHour,
      end_hour: EndHour,
      guest_email: GuestEmail,
      guest_name: GuestName,
      guest_phone: Type.Optional(GuestPhone),
      settlement_mode: Type.String({
        default: 'host_settled',
        maxLength: 64,
        description:
          '`host_settled`: the guest pays the host. `platform_settled`: the guest pays the platform.',
      }),
      idempotency_key: Type.Optional(IdempotencyKey),
    },
    {
      additionalProperties: false,
      required: ['space_id', 'date', 'start_hour', 'end_hour', 'guest_email', 'guest_name'],
    },
  ),
);

export type CreateBooking = Static<typeof CreateBooking>;

export const IdempotencyHeaders = Type.Object({ 'idempotency-key': Type.Optional(IdempotencyKey) });

export const CancelBooking = Type.Object({ reason: Reason }, { additionalProperties: false });

export const BookingFilter = Type.Object(
  {
    space_id: Type.Optional(Id),
    status: Type.Optional(Type.Enum(BOOKING_STATUSES)),
    from: Type.Optional(Type.String({ format: 'date', description: 'First local date, inclusive' })),
    to: Type.Optional(Type.String({ format: 'date', description: 'Last local date, inclusive' })),
    limit: Type.Integer({ minimum: 1, maximum: 200, default: 50 }),
    offset: Type.Integer({
      minimum: 0,
      maximum: MAX_QUERY_NUMBER,
      default: 0,
      description: 'How many bookings to pass over. Far into a long list `cursor` is faster',
    }),
    cursor: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 200,
        description:
          'The `next_cursor` of the page before, with the same filters and without `offset`: the list goes on behind the last booking shown, whatever was made or cancelled meanwhile',
      }),
    ),
  },
  { required: [] },
);

export type BookingFilter = Static<typeof BookingFilter>;

export const Pagination = component(
  'Pagination',
  Type.Object({
    limit: Type.Integer({ minimum: 1, maximum: 200 }),
    offset: Type.Integer({ minimum: 0, maximum: MAX_QUERY_NUMBER }),
    total: { ...Count, description: 'How many match the filter in all, counted up to 10,000' },
    total_is_exact: Type.Boolean({ description: 'False when there are more than `total`' }),
    has_more: Type.Boolean({ description: 'Whether there is a page after this one' }),
    next_cursor: nullable(
      Type.String({ description: 'Goes into `cursor` for the page after this one; null on the last page' }),
    ),
  }),
);

export const exampleBooking: Booking = {
  id: '0199a3c4-9a70-7b1e-8c39-0d5f6f3a2c77',
  space_id: '0199a3c4-7d10-7c3e-9f6b-2f7d1c5a9b01',
  status: 'confirmed',
  source: 'api',
  date: '2027-03-18',
  start_hour: 10,
  end_hour: 12,
  hours: 2,
  timezone: 'America/New_York',
  starts_at: '2027-03-18T14:00:00.000Z',
  ends_at: '2027-03-18T16:00:00.000Z',
  guest_name: 'Ada Miller',
  guest_email: 'ada@example.com',
  guest_phone: '+1 212 555 0142',
  price_per_hour: 45,
  total_price: 90,
  currency: 'USD',
  settlement_mode: 'host_settled',
  payment_status: 'host_collected',
  idempotency_key: 'order-1042',
  cancellation_reason: null,
  cancelled_at: null,
  created_at: '2027-03-01T09:30:00.000Z',
  updated_at: '2027-03-01T09:30:00.000Z',
};

export const exampleCancelled: Booking = {
  ...exampleBooking,
  status: 'cancelled',
  cancellation_reason: 'Guest fell ill',
  cancelled_at: '2027-03-10T08:00:00.000Z',
  updated_at: '2027-03-10T08:00:00.000Z',
};
