import type { Actor } from '../caller.ts';
import * as audit from '../audit/audit.ts';
import * as bookings from '../bookings/for-operators.ts';
import * as payouts from '../books/payouts.ts';
import type { Context } from '../context.ts';
import type { Tx } from '../db/database.ts';
import { OperatorError, validationError } from '../errors.ts';
import { normalized, problemsIn, withChanges } from '../fields/fields.ts';
import { changeCurrency } from '../spaces/update.ts';
import { toTimestamp } from '../time/clock.ts';
import { startAnew } from '../webhooks/health.ts';
import { HOST, type HostChanges, type HostRecord } from '../hosts/fields.ts';
import { lock, refuseTakenEmail, save } from '../hosts/hosts.ts';

// What operators do to a host reaches into what it has, in one transaction: bookings, spaces, webhooks.

/** Changes only the given fields. Bookings keep the commission they were made with. */
export async function update(
  ctx: Context,
  actor: Actor,
  hostId: string,
  wanted: HostChanges,
): Promise<HostRecord> {
  return ctx.db.transaction(async (tx) => {
    const now = ctx.clock.now();
    if (wanted.email !== undefined) await refuseTakenEmail(tx, wanted.email, hostId);
    return (await change(tx, now, actor, hostId, wanted)).host;
  });
}

/** The same in a transaction of the caller's, who has seen to it that nobody else has the email. */
export async function change(
  tx: Tx,
  now: number,
  actor: Actor,
  hostId: string,
  wanted: HostChanges,
): Promise<{ host: HostRecord; changes: audit.Changes }> {
  const before = await lock(tx, hostId);
  const given = normalized(HOST, wanted);
  const currency = given.currency ?? before.currency;
  const problems = problemsIn(HOST, given, currency);
  if (problems.length > 0) throw validationError(problems);
  const after = withChanges(before, given);
  const { max_booking_value } = after;
  if (problemsIn(HOST, { max_booking_value }, currency).length > 0)
    throw new OperatorError(
      `the host’s maximum of ${max_booking_value} is no amount in ${currency}: name a new one too`,
    );
  const changes = audit.differences(before, after);
  if (Object.keys(changes).length === 0) return { host: before, changes };
  if (currency !== before.currency) {
    await refuseAfterMoney(tx, hostId);
    await changeCurrency(tx, now, actor, hostId, currency);
  }
  await save(tx, now, actor, after, { action: 'host.updated', changes });
  return { host: after, changes };
}

/**
 * Money of two currencies in one report could not be added up. On PostgreSQL a booking that is being made in this very
 * moment is not seen.
 */
async function refuseAfterMoney(tx: Tx, hostId: string): Promise<void> {
  const obstacle = (await bookings.anyOfHost(tx, hostId))
    ? 'bookings'
    : (await payouts.anyOfHost(tx, hostId)) && 'payouts';
  if (obstacle) throw new OperatorError(`host ${hostId} has ${obstacle}: its currency can no longer change`);
}

/** Changes nothing where it is so already: the time of the first deactivation is kept. */
export async function setActive(
  tx: Tx,
  now: number,
  actor: Actor,
  hostId: string,
  active: boolean,
  reason?: string,
): Promise<HostRecord> {
  const host = await lock(tx, hostId);
  if ((host.deactivated_at === null) === active) return host;
  const next = { ...host, deactivated_at: active ? null : toTimestamp(now) };
  const action = active ? 'host.activated' : 'host.deactivated';
  await save(tx, now, actor, next, { action, reason });
  if (active) await startAnew(tx, hostId);
  return next;
}
