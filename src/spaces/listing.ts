import type { Caller } from '../api-keys/caller.ts';
import * as audit from '../audit/audit.ts';
import type { Context } from '../context.ts';
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
    const { hostId, environment, actor } = caller;
    const key = [hostId, environment, spaceId];
    const [, row] = await tx.inOrder([tx.run(sql.lockSpace, key), tx.get(sql.selectSpace, key)]);
    if (row === undefined) throw noSuchSpace();
    const next: sql.SpaceRow = {
      ...row,
      title: wanted.title ?? row.title,
      price_per_hour:
        wanted.price === undefined ? row.price_per_hour : minorPrice(wanted.price, row.currency),
      is_active: wanted.is_active === undefined ? row.is_active : Number(wanted.is_active),
    };
    const space = toSpace(next);
    const changed = LISTING_FIELDS.filter((field) => next[field] !== row[field]);
    if (changed.length === 0) return space;

    const now = ctx.clock.now();
    await Promise.all([
      tx.run(sql.updateListing, [...key, next.title, next.price_per_hour, next.is_active, now]),
      events.append(tx, now, caller, { type: 'listing.updated', data: { space, changed } }),
      audit.record(tx, now, actor, { action: 'space.updated', hostId, environment, subject: spaceId }),
    ]);
    return space;
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
