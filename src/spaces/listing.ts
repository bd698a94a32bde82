import { isDeepStrictEqual } from 'node:util';
import type { Caller } from '../api-keys/caller.ts';
import * as audit from '../audit/audit.ts';
import type { Context } from '../context.ts';
import type { Tx } from '../db/database.ts';
import { validationError } from '../errors.ts';
import * as events from '../events/events.ts';
import { currencyDecimals, MAX_AMOUNT_MINOR, toMajor, toMinor } from '../money/currency.ts';
import { LISTING_FIELDS, type Space, type UpdateListing } from './schemas.ts';
import { noSuchSpace, toSpace } from './spaces.ts';
import * as sql from './sql.ts';

/** Changes only the given fields. Bookings keep the price they were made at. */
export async function updateListing(
  ctx: Context,
  caller: Caller,
  spaceId: string,
  wanted: Pick<UpdateListing, 'title' | 'price' | 'is_active'>,
): Promise<Space> {
  return ctx.db.transaction(async (tx) => {
    const row = await lock(tx, caller, spaceId);
    if (row === undefined) throw noSuchSpace();
    const next: sql.SpaceRow = {
      ...row,
      title: wanted.title ?? row.title,
      price_per_hour:
        wanted.price === undefined ? row.price_per_hour : minorPrice(wanted.price, row.currency),
      is_active: wanted.is_active === undefined ? row.is_active : Number(wanted.is_active),
    };
    await save(tx, ctx.clock.now(), caller, row, next);
    return toSpace(next);
  });
}

function minorPrice(price: number, currency: string): number {
  const refuse = (message: string) => validationError([{ field: 'price', message }]);
  const greatest = toMajor(MAX_AMOUNT_MINOR, currency);
  if (price > greatest) throw refuse(`must be ${greatest} ${currency} or less`);
  const minor = toMinor(price, currency);
  if (minor !== undefined) return minor;
  throw refuse(`must be an amount in ${currency} with at most ${currencyDecimals(currency)} decimals`);
}

/** Reads a space and keeps others from changing it until the end of the transaction. */
export async function lock(
  tx: Tx,
  { hostId, environment }: Pick<Caller, 'hostId' | 'environment'>,
  spaceId: string,
): Promise<sql.SpaceRow | undefined> {
  const key = [hostId, environment, spaceId];
  const [, row] = await Promise.all([tx.run(sql.lockSpace, key), tx.get(sql.selectSpace, key)]);
  return row;
}

/** Writes what is new and announces what of it the host sees. Does nothing where nothing is new. Returns what was changed. */
export async function save(
  tx: Tx,
  now: number,
  caller: Caller,
  row: sql.SpaceRow,
  next: sql.SpaceRow,
): Promise<audit.Changes> {
  const { hostId, environment, actor } = caller;
  const [before, space] = [toSpace(row), toSpace(next)];
  const changed = LISTING_FIELDS.filter((field) => !isDeepStrictEqual(before[field], space[field]));
  const isSeen = changed.length > 0;
  const changes = audit.differences(withNotice(row), withNotice(next));
  if (Object.keys(changes).length === 0) return changes;
  await Promise.all([
    tx.run(sql.updateSpace, [
      hostId,
      environment,
      next.id,
      next.title,
      next.category_slug,
      next.description,
      next.address,
      next.area,
      next.price_per_hour,
      next.capacity,
      next.timezone,
      next.open_hour,
      next.close_hour,
      next.cancellation_notice_hours,
      next.is_active,
      next.amenities,
      next.photo_urls,
      now,
    ]),
    isSeen && events.append(tx, now, caller, { type: 'listing.updated', data: { space, changed } }),
    audit.record(tx, now, actor, {
      action: 'space.updated',
      hostId,
      environment,
      subject: next.id,
      changes,
    }),
  ]);
  return changes;
}

/** With what the operator alone reads of it. */
function withNotice(row: sql.SpaceRow): object {
  return { ...toSpace(row), cancellation_notice_hours: row.cancellation_notice_hours };
}
