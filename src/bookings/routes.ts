import type { Context } from '../context.ts';
import { invalid, validationError } from '../errors.ts';
import { longReadFor } from '../http/awaited.ts';
import { ok } from '../http/envelope.ts';
import { hourRange, idParam, pathId, success } from '../http/input/schemas.ts';
import { Type } from '../http/input/type.ts';
import type { App } from '../http/server.ts';
import { cancel } from './cancel.ts';
import { create } from './create.ts';
import { toRequest, type BookingRequest } from './fields.ts';
import { get, list } from './list.ts';
import * as operations from './operations.ts';
import {
  BookingFilter,
  BookingPage,
  CancelBooking,
  CreateBooking,
  IdempotencyHeaders,
  OneBooking,
} from './schemas.ts';

export function bookingsRoutes(app: App, ctx: Context): void {
  app.route({
    method: 'GET',
    url: '/api-bookings/api/v1/bookings',
    schema: { querystring: BookingFilter, response: { 200: success(BookingPage) } },
    config: { operation: operations.listBookings },
    handler: async (request, reply) => {
      const { query, caller } = request;
      refuseTogether(query, /[?&]offset=/.test(request.url));
      return ok(await list(ctx, caller, query, longReadFor(request, reply)));
    },
  });

  app.route({
    method: 'POST',
    url: '/api-create-booking/api/v1/bookings',
    schema: { headers: IdempotencyHeaders, body: CreateBooking, response: { 200: success(OneBooking) } },
    config: { operation: operations.createBooking },
    handler: async (request, reply) => {
      const wanted = requestOf(request.body, request.headers);
      const { booking, replayed } = await create(ctx, request.caller, wanted);
      request.recordId = booking.id;
      if (replayed) reply.header('idempotent-replayed', 'true');
      return ok({ booking });
    },
  });

  app.route({
    method: 'GET',
    url: '/api-booking-detail/api/v1/bookings/:booking_id',
    schema: { params: BookingPath, response: { 200: success(OneBooking) } },
    config: { operation: operations.getBooking },
    handler: async (request) => {
      const id = idParam(request.params.booking_id);
      return ok({ booking: await get(ctx, request.caller, id) });
    },
  });

  app.route({
    method: 'POST',
    url: '/api-cancel-booking/api/v1/bookings/:booking_id/cancel',
    schema: { params: BookingPath, body: CancelBooking, response: { 200: success(OneBooking) } },
    config: { operation: operations.cancelBooking },
    handler: async (request) => {
      const id = idParam(request.params.booking_id);
      return ok({ booking: await cancel(ctx, request.caller, id, request.body.reason) });
    },
  });
}

const EXCLUDED = {
  reference: ['from', 'to', 'guest', 'updated_since'],
  updated_since: ['from', 'to', 'guest'],
};

/** Filters that exclude each other. `hasOffset`: also one of 0, which is the default. */
function refuseTogether(query: BookingFilter, hasOffset: boolean): void {
  const offset = hasOffset ? ['offset'] : [];
  for (const [name, others] of Object.entries(EXCLUDED) as [keyof typeof EXCLUDED, (keyof BookingFilter)[]][])
    if (query[name] !== undefined)
      refuseBeside(name, [...others.filter((other) => query[other] !== undefined), ...offset]);
  if (query.cursor !== undefined) refuseBeside('cursor', offset);
}

function refuseBeside(name: string, fields: readonly string[]): void {
  const message = `must not be given together with ${name}`;
  if (fields.length > 0) throw validationError(fields.map((field) => ({ field, message })));
}

const BookingPath = Type.Object({ booking_id: pathId('the booking') });

function requestOf(body: CreateBooking, headers: IdempotencyHeaders): BookingRequest {
  const headerKey = headers['idempotency-key'];
  if (headerKey !== undefined && body.idempotency_key !== undefined && headerKey !== body.idempotency_key) {
    throw invalid('idempotency_key', 'differs from the Idempotency-Key header');
  }
  hourRange(body);
  const ids = { space_id: body.space_id.toLowerCase(), replaces: body.replaces?.toLowerCase() };
  return toRequest({ ...body, ...ids, idempotency_key: body.idempotency_key ?? headerKey });
}
