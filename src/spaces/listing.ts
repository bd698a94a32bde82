import { isDeepStrictEqual } from 'node:util';
import type { Caller } from '../api-keys/caller.ts';
import * as audit from '../audit/audit.ts';
import * as connections from '../calendars/connections.ts';
import type { Context } from '../context.ts';
import type { Tx } from '../db/database.ts';
import { validationError } from '../errors.ts';
import * as events from '../events/events.ts';
import { currencyDecimals, MAX_AMOUNT_MINOR, toMajor, toMinor } from '../money/currency.ts';
import { LISTING_FIELDS, type ExternalCalendar, type Space, type UpdateListing } from './schemas.ts';
import { noSuchSpace, renewFeed, toListing, toSpace, type NewSpace } from './spaces.ts';
import * as sql from './sql.ts';

/** Not whose it is, and not what guests say about it. Undefined: stays as it is. */
export type SpaceChanges = {
  readonly [
    Field in Exclude<keyof NewSpace, 'hostId' | 'environment' | 'ratingHundredths' | 'reviewCount' | 'ref'>
  ]?: NewSpace[Field] | undefined;
};

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
  const { operating_hours: hours, connect_calendar, disconnect_calendar, rotate_ical_token } = wanted;
  if (hours !== undefined && hours.end_hour <= hours.start_hour)
    throw refusal('operating_hours', 'must end after they begin');
  const address = connect_calendar === undefined ? undefined : await usable(ctx, connect_calendar);
  return ctx.db.transaction(async (tx) => {
    const row = await lock(tx, caller, spaceId);
    if (row === undefined) throw noSuchSpace();
    const next = changed(row, hostsChanges(wanted, row.currency));
    const now = ctx.clock.now();
    if (disconnect_calendar !== undefined) {
      const key = { host_id: caller.hostId, space_id: spaceId, id: disconnect_calendar.toLowerCase() };
      if ((await connections.disconnect(tx, now, caller.actor, key)) === undefined)
        throw refusal('disconnect_calendar', 'must be the id of one of the space’s external_calendars');
    }
    if (address !== undefined && !(await connections.connect(tx, now, caller, spaceId, address)))
      throw refusal('connect_calendar', `is one too many: a space has at most ${connections.MOST_PER_SPACE}`);
    const icalToken = rotate_ical_token && (await renewFeed(tx, now, caller, spaceId));
    const calendars = await connections.ofSpace(tx, caller.hostId, spaceId);
    await save(tx, now, caller, row, next, calendars);
    return { space: toSpace(next, calendars), icalToken };
  });
}

function refusal(field: string, message: string): Error {
  return validationError([{ field, message }]);
}

/** The address as it is kept. */
async function usable(ctx: Context, address: string): Promise<string> {
  const { url, problem } = await connections.checkAddress(ctx, address);
  if (problem !== null) throw refusal('connect_calendar', problem);
  return url;
}

function hostsChanges(wanted: Omit<UpdateListing, 'space_id'>, currency: string): SpaceChanges {
  return {
    title: wanted.title,
    pricePerHour: wanted.price === undefined ? undefined : minorPrice(wanted.price, currency),
    isActive: wanted.is_active,
    description: wanted.description,
    openHour: wanted.operating_hours?.start_hour,
    closeHour: wanted.operating_hours?.end_hour,
    capacity: wanted.capacity,
    amenities: wanted.amenities,
    photoUrls: wanted.photo_urls,
  };
}

/** A space with the given fields changed. */
export function changed(row: sql.SpaceRow, wanted: SpaceChanges): sql.SpaceRow {
  const { description, capacity, isActive, amenities, photoUrls } = wanted;
  return {
    ...row,
    title: wanted.title ?? row.title,
    category_slug: wanted.categorySlug ?? row.category_slug,
    description: description === undefined ? row.description : description,
    address: wanted.address ?? row.address,
    area: wanted.area ?? row.area,
    price_per_hour: wanted.pricePerHour ?? row.price_per_hour,
    capacity: capacity === undefined ? row.capacity : capacity,
    timezone: wanted.timezone ?? row.timezone,
    open_hour: wanted.openHour ?? row.open_hour,
    close_hour: wanted.closeHour ?? row.close_hour,
    cancellation_notice_hours: wanted.cancellationNoticeHours ?? row.cancellation_notice_hours,
    is_active: isActive === undefined ? row.is_active : Number(isActive),
    amenities: amenities === undefined ? row.amenities : JSON.stringify(amenities),
    photo_urls: photoUrls === undefined ? row.photo_urls : JSON.stringify(photoUrls),
  };
}

function minorPrice(price: number, currency: string): number {
  const greatest = toMajor(MAX_AMOUNT_MINOR, currency);
  if (price > greatest) throw refusal('price', `must be ${greatest} ${currency} or less`);
  const minor = toMinor(price, currency);
  if (minor !== undefined) return minor;
  throw refusal(
    'price',
    `must be an amount in ${currency} with at most ${currencyDecimals(currency)} decimals`,
  );
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
  /** The space's, where the caller has read them. */
  calendars?: ExternalCalendar[],
): Promise<audit.Changes> {
  const { hostId, environment, actor } = caller;
  const [before, after] = [toListing(row), toListing(next)];
  const changed = LISTING_FIELDS.filter((field) => !isDeepStrictEqual(before[field], after[field]));
  const changes = audit.differences(withNotice(row), withNotice(next));
  if (Object.keys(changes).length === 0) return changes;
  const announce = async (): Promise<void> => {
    const space = toSpace(next, calendars ?? (await connections.ofSpace(tx, hostId, next.id)));
    await events.append(tx, now, caller, { type: 'listing.updated', data: { space, changed } });
  };
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
    changed.length > 0 && announce(),
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
  return { ...toListing(row), cancellation_notice_hours: row.cancellation_notice_hours };
}
