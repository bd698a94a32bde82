import type { Actor } from '../audit/audit.ts';
import type { Context } from '../context.ts';
import type { Sql } from '../db/database.ts';
import { OperatorError } from '../errors.ts';
import { FIRST_DATE, LAST_DATE } from '../time/dates.ts';
import type { OperatorRow } from './fields.ts';
import { announceCancelled } from './cancel.ts';
import { operatorPart, toBooking, type OperatorPart } from './record.ts';
import type { Booking, BookingStatus } from './schemas.ts';
import * as sql from './sql.ts';

/** A booking as the operator sees it, whose ever it is. */
export interface OperatorBooking extends Booking, OperatorPart {
  host_id: string;
  environment: string;
}

export interface OperatorFilter {
  host?: string;
  space?: string;
  status?: BookingStatus;
  /** Local dates, both inclusive. */
  from?: string;
  to?: string;
  limit: number;
}

/** Newest first. */
export async function list(db: Sql, filter: OperatorFilter): Promise<OperatorBooking[]> {
  const { host = null, space = null, status = null, from = FIRST_DATE, to = LAST_DATE, limit } = filter;
  const rows = await db.all(sql.selectForOperator, [host, space, status, from, to, limit]);
  return rows.map(toOperatorBooking);
}

export async function show(db: Sql, bookingId: string): Promise<OperatorBooking> {
  const row = await db.get(sql.selectPayment, [bookingId]);
  if (row === undefined) throw new OperatorError(`there is no booking ${bookingId}`);
  return toOperatorBooking(row);
}

/** Whatever the space's notice window says, and also when it has begun: only an end that has passed is final. */
export async function cancel(
  ctx: Context,
  actor: Actor,
  bookingId: string,
  reason: string,
): Promise<OperatorBooking> {
  return ctx.db.transaction(async (tx) => {
    const now = ctx.clock.now();
    const row = await tx.get(sql.cancelAnyBooking, [bookingId, reason, now]);
    if (row === undefined) throw whyNotCancelled(await show(tx, bookingId));
    await announceCancelled(tx, now, actor, row);
    return toOperatorBooking(row);
  });
}

function whyNotCancelled({ id, status, cancelled_at, ends_at }: Booking): OperatorError {
  if (status === 'cancelled')
    return new OperatorError(`booking ${id} was cancelled before, at ${cancelled_at}`);
  return new OperatorError(`booking ${id} cannot be cancelled: it ended at ${ends_at}`);
}

export async function anyOfHost(db: Sql, hostId: string): Promise<boolean> {
  return (await db.get(sql.selectAnyOfHost, [hostId])) !== undefined;
}

function toOperatorBooking(row: OperatorRow): OperatorBooking {
  return {
    ...toBooking(row),
    host_id: row.host_id,
    environment: row.environment,
    ...operatorPart(row),
  };
}
