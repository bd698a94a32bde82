import * as audit from '../audit/audit.ts';
import type { Context } from '../context.ts';
import { guestBookingVelocity } from '../errors.ts';
import type { Environment } from '../ids/api-key.ts';
import { confirmPending } from '../payments/payments.ts';
import { finishCompleting } from './complete.ts';
import * as sql from './sql.ts';

/** Guests that behave as their address says, in the sandbox only, so that integrators can try every outcome. */
const SANDBOX_GUESTS = {
  'complete@sandbox.test': 'complete',
  'pay@sandbox.test': 'pay',
  'conflict@sandbox.test': 'conflict',
  'velocity@sandbox.test': 'velocity',
  'keep@sandbox.test': 'keep',
} as const;

type SandboxGuest = (typeof SANDBOX_GUESTS)[keyof typeof SANDBOX_GUESTS];

/** Undefined for other guests, and in production for all. */
export function sandboxGuest(booking: {
  environment: Environment;
  guest_key: string;
}): SandboxGuest | undefined {
  if (booking.environment !== 'sandbox') return undefined;
  return (SANDBOX_GUESTS as Record<string, SandboxGuest>)[booking.guest_key];
}

const VELOCITY_RETRY_AFTER_SECONDS = 60;

export function sandboxVelocity({ guestVelocity: { max, windowMinutes } }: Context['config']): Error {
  return guestBookingVelocity(max, windowMinutes, VELOCITY_RETRY_AFTER_SECONDS);
}

const MAX_PER_RUN = 50;
const BY_CLOCK = audit.byClock('serve-sandbox-guests');

/** Completes the bookings of complete@ and confirms the payments of pay@. The worker runs it every two seconds. */
export async function serveSandboxGuests(ctx: Context): Promise<boolean> {
  const served = await ctx.db.transaction(async (tx) => {
    const now = ctx.clock.now();
    const waiting = await tx.all(sql.selectWaitingSandboxGuests, [MAX_PER_RUN]);
    for (const booking of waiting) {
      if (sandboxGuest(booking) === 'pay') {
        await confirmPending(tx, now, BY_CLOCK, booking.id);
      } else {
        const completed = await tx.all(sql.complete, [booking.host_id, booking.id, now]);
        await finishCompleting(tx, now, BY_CLOCK, completed);
      }
    }
    return waiting.length;
  });
  return served === MAX_PER_RUN;
}
