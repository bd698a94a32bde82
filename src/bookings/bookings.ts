import type { Caller } from '../caller.ts';
import type { Context } from '../context.ts';
import { noSuchBooking } from './cancel.ts';
import { toBooking, type Booking } from './fields.ts';
import * as sql from './sql.ts';
import { withPaymentDue } from './payment-due.ts';

export { create, enterAsItStands } from './create.ts';
export { cancel } from './cancel.ts';
export { list } from './list.ts';
export { withPaymentDue } from './payment-due.ts';
export { cancelUnpaid, completeDue, logOverdue } from './by-clock.ts';
export { guestKey } from './guest.ts';
export {
  COLUMNS,
  columnsWith,
  guestPart,
  toOperatorBooking,
  toRequest,
  updatedAt,
  WALK_IN_EMAIL,
  type Booking,
  type BookingRequest,
  type BookingRow,
  type OperatorBooking,
} from './fields.ts';

export async function get(ctx: Context, caller: Caller, bookingId: string): Promise<Booking> {
  const row = await ctx.db.get(sql.selectBooking, [caller.hostId, caller.environment, bookingId]);
  if (row === undefined) throw noSuchBooking();
  return withPaymentDue(ctx, caller.environment, row, toBooking(row));
}
