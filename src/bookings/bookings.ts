import type { Caller } from '../api-keys/caller.ts';
import type { Context } from '../context.ts';
import { noSuchBooking } from './cancel.ts';
import { toBooking } from './record.ts';
import type { Booking } from './schemas.ts';
import * as sql from './sql.ts';

export { create, enterAsItStands } from './create.ts';
export { cancel, noSuchBooking } from './cancel.ts';
export { completeDue } from './complete.ts';
export { list } from './list.ts';
export { serveSandboxGuests } from './sandbox-guests.ts';
export { guestKey } from './guest-key.ts';
export { operatorPart, toBooking, type OperatorPart } from './record.ts';
export {
  columnsWith,
  guestPart,
  COLUMNS,
  OPERATOR_COLUMNS,
  updatedAt,
  type BookingRequest,
  type OperatorRow,
} from './fields.ts';
export { confirmPayment, findPayment, findRefund, refundPayment, voidPayment } from './payment.ts';

export async function get(ctx: Context, caller: Caller, bookingId: string): Promise<Booking> {
  const row = await ctx.db.get(sql.selectBooking, [caller.hostId, caller.environment, bookingId]);
  if (row === undefined) throw noSuchBooking();
  return toBooking(row);
}
