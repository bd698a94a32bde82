import { hash } from 'node:crypto';
import type { Caller } from '../api-keys/caller.ts';
import type { Context } from '../context.ts';
import type { Tx } from '../db/database.ts';
import { ApiError, validationError } from '../errors.ts';
import { requestText, toBooking, type BookingRequest } from './fields.ts';
import type { Booking } from './schemas.ts';
import * as sql from './sql.ts';
import { withPaymentDue } from './payment-due.ts';

export interface Created {
  booking: Booking;
  /** True when an earlier request with this key made the booking; it is returned as it is now. */
  replayed: boolean;
}

/**
 * Makes a booking in a transaction, or answers with the one that the same idempotency key has made. The key goes before every
 * rule, so whoever is refused is answered only after a look for it: the space may be gone since, or a twin of this request may just have
 * moved the booking. Hours that are held need no such look: they are seen together with the key, or after it has become ours.
 */
export async function createOnce(
  ctx: Context,
  caller: Caller,
  request: BookingRequest,
  make: (tx: Tx, requestHash: string) => Promise<Booking>,
): Promise<Created> {
  // Hashed before the transaction: in between SQLite's statements it takes more than five times as long.
  const requestHash = hashOf(request);
  try {
    return { booking: await ctx.db.transaction((tx) => make(tx, requestHash)), replayed: false };
  } catch (refusal) {
    const { idempotency_key: idempotencyKey } = request;
    const isRefused = refusal instanceof ApiError && refusal.code !== 'BOOKING_CONFLICT';
    if (!isRefused || idempotencyKey === null) throw refusal;
    const key = [caller.hostId, caller.environment, idempotencyKey];
    const earlier = await ctx.db.get(sql.selectBookingByKey, key);
    if (earlier === undefined) throw refusal;
    if (earlier.request_hash !== requestHash) throw keyIsTaken();
    return { booking: withPaymentDue(ctx, caller.environment, earlier, toBooking(earlier)), replayed: true };
  }
}

export function hashOf(request: BookingRequest): string {
  return hash('sha256', requestText(request), 'hex');
}

/** For whoever meets a booking with the same key. `createOnce` finds out whether the same request has made it. */
export function keyIsTaken(): ApiError {
  return validationError([{ field: 'idempotency_key', message: 'was used before for a different request' }]);
}
