import type { Actor, Caller, Owner } from '../caller.ts';
import * as audit from '../audit/audit.ts';
import * as connections from '../calendars/connections.ts';
import type { Context } from '../context.ts';
import type { Tx } from '../db/database.ts';
import { invalid, OperatorError } from '../errors.ts';
import * as events from '../events/events.ts';
import { fromRequest, problemsIn, toRecord } from '../fields/fields.ts';
import * as hours from '../hours/hours.ts';
import { withSetting } from '../outbound/guard.ts';
import { LISTING_FIELDS, SPACE, type OperatorSpace, type SpaceChanges } from './fields.ts';
import type { Space, UpdateListing } from './schemas.ts';
import {
  changed,
  listForOperator,
  noSuchSpace,
  ownerOf,
  refuse,
  renewFeed,
  showForOperator,
  toSpace,
} from './spaces.ts';
import * as sql from './sql.ts';

// Changing a space: as its host, as the operator, and with its host's currency. In another timezone what its calendars call busy lies on
// other hours.

/**
 * Changes only the given fields, all of them or none. Bookings keep the price they were made at, and stay where the new hours are
 * closed. Only this answer shows a new token of the feed.
 */
export async function updateListing(
  ctx: Context,
  caller: Caller,
  spaceId: string,
  wanted: Omit<UpdateListing, 'space_id'>,
): Promise<{ space: Space; icalToken: string | undefined }> {
  const { connect_calendar, disconnect_calendar, rotate_ical_token } = wanted;
  const address = connect_calendar === undefined ? undefined : await usable(ctx, connect_calendar);
  return ctx.db.transaction(async (tx) => {
    const given = fromRequest(SPACE, wanted);
    const before = await lock(tx, caller, spaceId);
    if (before === undefined) {
      // Input is judged before existence, as far as it can be without the space.
      refuse(problemsIn(SPACE, given), ({ as }) => as);
      throw noSuchSpace();
    }
    const after = changed(before, given, ({ as }) => as);
    const now = ctx.clock.now();
    if (disconnect_calendar !== undefined) {
      const key = { host_id: caller.hostId, space_id: spaceId, id: disconnect_calendar.toLowerCase() };
      if ((await connections.disconnect(tx, now, caller.actor, key)) === undefined)
        throw invalid('disconnect_calendar', 'must be the id of one of the space’s external_calendars');
    }
    const connected =
      address === undefined || (await connections.connect(tx, now, ctx.secrets, caller, spaceId, address));
    if (connected === undefined)
      throw invalid(
        'connect_calendar',
        `is one too many: a space has at most ${connections.MAX_CALENDARS_PER_SPACE}`,
      );
    const icalToken = rotate_ical_token && (await renewFeed(tx, now, caller, spaceId));
    await save(tx, now, caller, before, after);
    return { space: toSpace(after, await connections.ofSpace(tx, caller.hostId, spaceId)), icalToken };
  });
}

/** The address as it is kept. */
async function usable(ctx: Context, address: string): Promise<string> {
  const { url, problem } = await connections.checkAddress(ctx, address);
  if (problem !== null) throw invalid('connect_calendar', problem);
  return url;
}

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
): Promise<audit.Changes> {
  const owner = await ownerOf(tx, spaceId);
  const before = (await lock(tx, owner, spaceId))!;
  const after = changed(before, wanted);
  if (after.timezone !== before.timezone) {
    await refuseWhileHeld(tx, now, { ...owner, id: spaceId }, before.timezone);
    await connections.pollAnew(tx, now, owner.hostId, spaceId);
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
    const { price_per_hour } = before;
    if (problemsIn(SPACE, { price_per_hour }, currency).length > 0)
      throw new OperatorError(
        `space ${id} costs ${price_per_hour}, which is no price in ${currency}: change its price first`,
      );
    await save(tx, now, { hostId, environment, actor }, before, { ...before, currency });
  }
}

/** Reads a space and keeps others from changing it until the end of the transaction. */
async function lock(
  tx: Tx,
  { hostId, environment }: Owner,
  spaceId: string,
): Promise<OperatorSpace | undefined> {
  const key = [hostId, environment, spaceId];
  const [, row] = await Promise.all([tx.run(sql.lockSpace, key), tx.get(sql.selectSpace, key)]);
  return row && toRecord(SPACE, row);
}

/** Writes what is new and announces what of it the host sees. Does nothing where nothing is new. Returns what was changed. */
async function save(
  tx: Tx,
  now: number,
  caller: Caller,
  before: OperatorSpace,
  after: OperatorSpace,
): Promise<audit.Changes> {
  const { hostId, environment, actor } = caller;
  const { id } = after;
  const changes = audit.differences(before, after);
  if (Object.keys(changes).length === 0) return changes;
  const announced = LISTING_FIELDS.filter((field) => Object.hasOwn(changes, field));
  const announce = async (): Promise<void> => {
    const space = toSpace(after, await connections.ofSpace(tx, hostId, id));
    await events.append(tx, now, caller, { type: 'listing.updated', data: { space, changed: announced } });
  };
  await Promise.all([
    tx.run(sql.updateSpace, [hostId, environment, id, now, ...sql.changeableCells(after)]),
    announced.length > 0 && announce(),
    audit.record(tx, now, actor, { action: 'space.updated', hostId, environment, subject: id, changes }),
  ]);
  return changes;
}

/** Adds a calendar at the operator's request. Refuses an address that cannot be fetched. */
export async function subscribe(
  ctx: Context,
  actor: Actor,
  spaceId: string,
  address: string,
): Promise<{ id: string; url: string }> {
  const { url, problem } = await connections.checkAddress(ctx, address);
  if (problem !== null) throw new OperatorError(`the URL ${withSetting(problem)}`);
  return ctx.db.transaction(async (tx) => {
    const caller = { ...(await ownerOf(tx, spaceId)), actor };
    // Two who connect the same address at once must not both find that it is new.
    await lock(tx, caller, spaceId);
    const now = ctx.clock.now();
    const { id, isNew } = (await connections.connect(tx, now, ctx.secrets, caller, spaceId, url, Infinity))!;
    if (!isNew) throw new OperatorError(`the space has this calendar already: ${id}`);
    return { id, url };
  });
}
