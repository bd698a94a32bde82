import { toMajor } from '../money/currency.ts';
import { toTimestamp } from '../time/clock.ts';
import type { HourRange } from '../hours/hours.ts';
import type { Booking } from './schemas.ts';
import { OPERATOR_COLUMNS, type BookingRow, type OperatorRow, type SeenRow } from './fields.ts';

/** A booking as callers and events see it. */
export function toBooking(row: SeenRow): Booking {
  return {
    id: row.id,
    space_id: row.space_id,
    status: row.status,
    source: row.source,
    date: row.date,
    start_hour: row.start_hour,
    end_hour: row.end_hour,
    hours: row.end_hour - row.start_hour,
    timezone: row.timezone,
    starts_at: toTimestamp(row.starts_at),
    ends_at: toTimestamp(row.ends_at),
    guest_name: row.guest_name,
    guest_email: row.guest_email,
    guest_phone: row.guest_phone,
    price_per_hour: toMajor(row.price_per_hour, row.currency),
    total_price: toMajor(row.total_price, row.currency),
    currency: row.currency,
    settlement_mode: row.settlement_mode,
    payment_status: row.payment_status,
    paid_at: timestampOrNull(row.paid_at),
    refunded_at: timestampOrNull(row.refunded_at),
    idempotency_key: row.idempotency_key,
    cancellation_reason: row.cancellation_reason,
    cancelled_at: timestampOrNull(row.cancelled_at),
    replaces: row.replaces,
    replaced_by: row.replaced_by,
    created_at: toTimestamp(row.created_at),
    updated_at: toTimestamp(row.updated_at),
  };
}

function timestampOrNull(epochMs: number | null): string | null {
  return epochMs === null ? null : toTimestamp(epochMs);
}

export type OperatorPart = Pick<OperatorRow, (typeof OPERATOR_COLUMNS)[number]>;

/** The fields that only the operator sees. */
export function operatorPart(row: OperatorRow): OperatorPart {
  return Object.fromEntries(OPERATOR_COLUMNS.map((column) => [column, row[column]])) as OperatorPart;
}

/** Its hours. A cancelled booking no longer holds them. */
export function rangeOf(row: BookingRow): HourRange {
  return {
    hostId: row.host_id,
    spaceId: row.space_id,
    date: row.date,
    startHour: row.start_hour,
    endHour: row.end_hour,
  };
}
