import * as audit from '../audit/audit.ts';
import { completeNow } from '../bookings/by-clock.ts';
import { sandboxGuest } from '../bookings/guest.ts';
import type { Context } from '../context.ts';
import { confirmPending } from './payments.ts';
import * as sql from './sql.ts';

const BY_CLOCK = audit.byClock('serve-sandbox-guests');
const MAX_PER_RUN = 50;

/** Completes the bookings of complete@ and confirms the payments of pay@. The worker runs it every two seconds. */
export async function serveSandboxGuests(ctx: Context): Promise<boolean> {
  const served = await ctx.db.transaction(async (tx) => {
    const now = ctx.clock.now();
    const waiting = await tx.all(sql.selectWaitingSandboxGuests, [MAX_PER_RUN]);
    for (const booking of waiting) {
      if (sandboxGuest(booking) === 'pay') await confirmPending(tx, now, BY_CLOCK, booking.id);
      else await completeNow(tx, now, BY_CLOCK, booking);
    }
    return waiting.length;
  });
  return served === MAX_PER_RUN;
}
