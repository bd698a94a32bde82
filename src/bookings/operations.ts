import type { Operation } from '../http/openapi/operation.ts';
import { exampleBooking, REQUESTED, type Booking } from './fields.ts';

export { exampleBooking } from './fields.ts';

export const exampleCancelled: Booking = {
  ...exampleBooking,
  status: 'cancelled',
  cancellation_reason: 'Guest fell ill',
  cancelled_at: '2027-03-10T08:00:00.000Z',
  updated_at: '2027-03-10T08:00:00.000Z',
};

const requested = REQUESTED.filter((name) => exampleBooking[name] !== null);
const exampleRequest = Object.fromEntries(requested.map((name) => [name, exampleBooking[name]]));

export const listBookings: Operation = {
  id: 'listBookings',
  tag: 'Bookings',
  summary: 'List host bookings',
  description:
    'Ordered by date, start hour and id. `from` and `to` are local dates, both inclusive. A `space_id` that is not yours gives an empty list. `guest` finds a guest by name or email, `reference` the bookings with this `reference`. `updated_since` lists what has changed, for a mirror of your bookings: one request if nothing has changed.',
  scope: 'bookings:read',
  example: {
    query: { space_id: exampleBooking.space_id, status: 'confirmed', from: '2027-03-01', to: '2027-03-31' },
    data: {
      bookings: [exampleBooking],
      pagination: {
        limit: 50,
        offset: 0,
        total: 1,
        total_is_exact: true,
        has_more: false,
        next_cursor: null,
      },
    },
  },
};

export const createBooking: Operation = {
  id: 'createBooking',
  tag: 'Bookings',
  summary: 'Create booking',
  description:
    'Books every hour from `start_hour` up to `end_hour`, or none. Send an `idempotency_key` (or the header `Idempotency-Key`) to make retries safe: the same request returns the same booking, with `Idempotent-Replayed: true`. With `replaces` it moves a booking: the old one is cancelled and the new one created atomically, and an hour of both is never free. A move keeps `reference`, `notes` and `guest_count` if you omit them; null clears them. With `walk_in` it takes the current hour, and `guest_email` is optional.',
  scope: 'bookings:write',
  errors: [
    'NOT_FOUND',
    'SELF_BOOKING_BLOCKED',
    'BOOKING_INVALID_SETTLEMENT_MODE',
    'BOOKING_VALUE_EXCEEDED',
    'BOOKING_CANCELLATION_BLOCKED',
    'GUEST_BOOKING_VELOCITY',
    'BOOKING_CONFLICT',
  ],
  headers: ['Idempotent-Replayed'],
  example: {
    headers: { 'idempotency-key': 'order-1042' },
    body: exampleRequest,
    data: { booking: exampleBooking },
  },
};

export const getBooking: Operation = {
  id: 'getBooking',
  tag: 'Bookings',
  summary: 'Get booking detail',
  description: 'One booking, of any status and source.',
  scope: 'bookings:read',
  errors: ['NOT_FOUND'],
  example: { params: { booking_id: exampleBooking.id }, data: { booking: exampleBooking } },
};

export const cancelBooking: Operation = {
  id: 'cancelBooking',
  tag: 'Bookings',
  summary: 'Cancel booking',
  description:
    'Cancels a confirmed booking that has not begun and is not within the space’s notice time. Its hours are free immediately.',
  scope: 'bookings:write',
  errors: ['NOT_FOUND', 'BOOKING_CANCELLATION_BLOCKED'],
  example: {
    params: { booking_id: exampleBooking.id },
    body: { reason: 'Guest fell ill' },
    data: { booking: exampleCancelled },
  },
};
