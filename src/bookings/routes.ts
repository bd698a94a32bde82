import type { Context } from '../context.ts';
import { validationError } from '../errors.ts';
import { ok } from '../http/envelope.ts';
import { idParam, PathId, success } from '../http/input/schemas.ts';
import type { App } from '../http/server.ts';
import { Type } from '../http/input/type.ts';
import * as bookings from './bookings.ts';
import {
  Booking,
  BookingFilter,
  CancelBooking,
  CreateBooking,
  exampleBooking,
  exampleCancelled,
  IdempotencyHeaders,
  Pagination,
} from './schemas.ts';

export function bookingsRoutes(app: App, ctx: Context): void {
  app.route({
    method: 'GET',
    url: '/api-bookings/api/v1/bookings',
    schema: {
      querystring: BookingFilter,
      response: {
        200: success(
          Type.Object({ bookings: Type.Array(Booking, { maxItems: 200 }), pagination: Pagination }),
        ),
      },
    },
    config: {
      operation: {
        id: 'listBookings',
        tag: 'Bookings',
        summary: 'List host bookings',
        description:
          'Ordered by date, start hour and id. `from` and `to` are local dates, both inclusive. A `space_id` that is not yours gives an empty list.',
        scope: 'bookings:read',
        example: {
          query: { status: 'confirmed', from: '2027-03-01', to: '2027-03-31' },
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
      },
    },
    handler: async (request) => {
      const { query } = request;
      if (query.cursor !== undefined && /[?&]offset=/.test(request.url)) {
        throw validationError([{ field: 'offset', message: 'must not be given together with cursor' }]);
      }
      return ok(await bookings.list(ctx, request.caller, query));
    },
  });

  app.route({
    method: 'POST',
    url: '/api-create-booking/api/v1/bookings',
    schema: {
      headers: IdempotencyHeaders,
      body: CreateBooking,
      response: { 200: success(Type.Object({ booking: Booking })) },
    },
    config: {
      operation: {
        id: 'createBooking',
        tag: 'Bookings',
        summary: 'Create booking',
        description:
          'Books every hour from `start_hour` up to `end_hour`, or none. Send an `idempotency_key` (or the header `Idempotency-Key`) and repeat without fear: the same request answers with the same booking and `Idempotent-Replayed: true`.',
        scope: 'bookings:write',
        errors: [
          'NOT_FOUND',
          'SELF_BOOKING_BLOCKED',
          'BOOKING_INVALID_SETTLEMENT_MODE',
          'BOOKING_VALUE_EXCEEDED',
          'GUEST_BOOKING_VELOCITY',
          'BOOKING_CONFLICT',
        ],
        headers: ['Idempotent-Replayed'],
        example: {
          body: {
            space_id: exampleBooking.space_id,
            date: '2027-03-18',
            start_hour: 10,
            end_hour: 12,
            guest_email: 'ada@example.com',
            guest_name: 'Ada Miller',
            guest_phone: '+1 212 555 0142',
            settlement_mode: 'host_settled',
            idempotency_key: 'order-1042',
          },
          data: { booking: exampleBooking },
        },
      },
    },
    handler: async (request, reply) => {
      const { booking, replayed } = await bookings.create(
        ctx,
        request.caller,
        toRequest(request.body, request.headers),
      );
      if (replayed) reply.header('idempotent-replayed', 'true');
      return ok({ booking });
    },
  });

  app.route({
    method: 'GET',
    url: '/api-booking-detail/api/v1/bookings/:booking_id',
    schema: {
      params: Type.Object({ booking_id: PathId }),
      response: { 200: success(Type.Object({ booking: Booking })) },
    },
    config: {
      operation: {
        id: 'getBooking',
        tag: 'Bookings',
        summary: 'Get booking detail',
        description: 'One booking, whatever its status and source.',
        scope: 'bookings:read',
        errors: ['NOT_FOUND'],
        example: { params: { booking_id: exampleBooking.id }, data: { booking: exampleBooking } },
      },
    },
    handler: async (request) => {
      const id = idParam(request.params.booking_id, bookings.noSuchBooking);
      return ok({ booking: await bookings.get(ctx, request.caller, id) });
    },
  });

  app.route({
    method: 'POST',
    url: '/api-cancel-booking/api/v1/bookings/:booking_id/cancel',
    schema: {
      params: Type.Object({ booking_id: PathId }),
      body: CancelBooking,
      response: { 200: success(Type.Object({ booking: Booking })) },
    },
    config: {
      operation: {
        id: 'cancelBooking',
        tag: 'Bookings',
        summary: 'Cancel booking',
        description:
          'Cancels a confirmed booking that has not begun and is not inside the space’s notice window. Its hours are free again at once.',
        scope: 'bookings:write',
        errors: ['NOT_FOUND', 'BOOKING_CANCELLATION_BLOCKED'],
        example: {
          params: { booking_id: exampleBooking.id },
          body: { reason: 'Guest fell ill' },
          data: { booking: exampleCancelled },
        },
      },
    },
    handler: async (request) => {
      const id = idParam(request.params.booking_id, bookings.noSuchBooking);
      return ok({ booking: await bookings.cancel(ctx, request.caller, id, request.body.reason) });
    },
  });
}

function toRequest(body: CreateBooking, headers: { 'idempotency-key'?: string }): bookings.BookingRequest {
  const headerKey = headers['idempotency-key'];
  if (headerKey !== undefined && body.idempotency_key !== undefined && headerKey !== body.idempotency_key) {
    throw validationError([{ field: 'idempotency_key', message: 'differs from the Idempotency-Key header' }]);
  }
  if (body.end_hour <= body.start_hour) {
    throw validationError([{ field: 'end_hour', message: 'must be after start_hour' }]);
  }
  return {
    spaceId: body.space_id.toLowerCase(),
    date: body.date,
    startHour: body.start_hour,
    endHour: body.end_hour,
    guestEmail: body.guest_email,
    guestName: body.guest_name,
    guestPhone: body.guest_phone ?? null,
    settlementMode: body.settlement_mode,
    idempotencyKey: body.idempotency_key ?? headerKey ?? null,
  };
}
