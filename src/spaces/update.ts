import type { Actor, Changes } from '../audit/audit.ts';
import { pollAnew } from '../calendars/connections.ts';
import type { Context } from '../context.ts';
import type { Tx } from '../db/database.ts';
import { OperatorError } from '../errors.ts';
import * as hours from '../hours/hours.ts';
import { problemsIn } from '../fields/fields.ts';
import { SPACE, type OperatorSpace, type SpaceChanges } from './fields.ts';
import { changed, lock, save } from './listing.ts';
import { listForOperator, ownerOf, showForOperator } from './spaces.ts';

// Knows the calendars of a space: in another timezone what they call busy lies on other hours.

/** Changes only the given fields. Bookings stay as they are, also where the new hours are closed. */
export async function update(
  ctx: Context,
  actor: Actor,
  spaceId: string,
  wanted: SpaceChanges,
): Promise<OperatorSpace> {
  return ctx.db.transaction(async (tx) => {
    await change(tx, ctx.clock.now(), actor, spaceId, wanted);
    return showForOperator(tx, spaceId);
  });
}

/** The same in a transaction of the caller's. */
export async function change(
  tx: Tx,
  now: number,
  actor: Actor,
  spaceId: string,
  wanted: SpaceChanges,
): Promise<Changes> {
  const owner = await ownerOf(tx, spaceId);
  const before = await lock(tx, owner, spaceId);
  if (before === undefined) throw new Error(`space ${spaceId} has a feed and is gone`);
  const after = changed(before, wanted);
  if (after.timezone !== before.timezone) {
    await refuseWhileHeld(tx, now, { ...owner, id: spaceId }, before.timezone);
    await pollAnew(tx, now, owner.hostId, spaceId);
  }
  return save(tx, now, { ...owner, actor }, before, after);
}

/**
 * Hours are kept by the wall clock: in another timezone they would be other hours than guests and host agreed on. On
 * PostgreSQL a booking that is being made in this very moment is not seen; it keeps the timezone it was promised.
 */
async function refuseWhileHeld(
  tx: Tx,
  now: number,
  space: { hostId: string; id: string },
  timezone: string,
): Promise<void> {
  const held = await hours.firstHeld(tx, space, timezone, now);
  if (held === undefined) return;
  const what = held.booking_id === null ? 'a block' : `booking ${held.booking_id}`;
  throw new OperatorError(
    `the timezone can change only while nothing lies ahead: there is ${what} on ${held.date} at ${held.hour}:00`,
  );
}

/** The spaces of a host whose currency changes keep their prices as they are read: 45 USD an hour become 45 KRW. */
export async function changeCurrency(
  tx: Tx,
  now: number,
  actor: Actor,
  hostId: string,
  currency: string,
): Promise<void> {
  for (const { id, environment } of (await listForOperator(tx, hostId)).toReversed()) {
    const before = (await lock(tx, { hostId, environment }, id))!;
    const after = { ...before, currency };
    const { price_per_hour } = after;
    if (problemsIn(SPACE, { price_per_hour }, currency).length > 0) throw noPriceIn(currency, before);
    await save(tx, now, { hostId, environment, actor }, before, after);
  }
}

function noPriceIn(currency: string, { id, price_per_hour: price }: OperatorSpace): OperatorError {
  return new OperatorError(
    `space ${id} costs ${price}, which is no price in ${currency}: change its price first`,
  );
}
