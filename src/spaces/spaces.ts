import { timingSafeEqual } from 'node:crypto';
import type { Caller } from '../api-keys/caller.ts';
import * as audit from '../audit/audit.ts';
import * as connections from '../calendars/connections.ts';
import type { Context } from '../context.ts';
import type { Sql, Tx } from '../db/database.ts';
import { notFound, OperatorError, validationError } from '../errors.ts';
import type { Environment } from '../ids/api-key.ts';
import { newId, parseId } from '../ids/uuid.ts';
import { toMajor } from '../money/currency.ts';
import { hashIcalToken, newIcalToken } from './ical-token.ts';
import type { ExternalCalendar, Space } from './schemas.ts';
import * as sql from './sql.ts';

export async function list(ctx: Context, caller: Caller): Promise<Space[]> {
  const [rows, calendars] = await Promise.all([
    ctx.db.all(sql.selectSpacesOfHost, [caller.hostId, caller.environment]),
    connections.ofHost(ctx.db, caller),
  ]);
  return rows.map((row) => toSpace(row, calendars.get(row.id) ?? []));
}

export async function get(ctx: Context, caller: Caller, spaceId: string): Promise<Space> {
  const { hostId, environment } = caller;
  const [row, calendars] = await Promise.all([
    ctx.db.get(sql.selectSpace, [hostId, environment, spaceId]),
    connections.ofSpace(ctx.db, hostId, spaceId),
  ]);
  if (row === undefined) throw noSuchSpace();
  return toSpace(row, calendars);
}

/** The same words whether it never existed or belongs to another host. */
export function noSuchSpace(): Error {
  return notFound('no such space');
}

/** The space that a path names. A body may repeat the id but not contradict it. */
export function spaceParam(inPath: string, inBody: string = inPath): string {
  const id = parseId(inPath);
  if (id === undefined) throw noSuchSpace();
  if (inBody.toLowerCase() !== id) {
    throw validationError([{ field: 'space_id', message: 'must be the one in the path' }]);
  }
  return id;
}

/** A space without its calendars: the operator has `calendar list` for these. */
export type Listing = Omit<Space, 'external_calendars'>;

export interface OperatorSpace extends Listing {
  host_id: string;
  host_name: string;
  environment: string;
  cancellation_notice_hours: number;
}

export async function listForOperator(ctx: Context, hostId: string | null = null): Promise<OperatorSpace[]> {
  return (await ctx.db.all(sql.selectSpacesForOperator, [hostId])).map(toOperatorSpace);
}

/** With the operator's own name, where a space has one; the oldest first. */
export async function named(db: Sql): Promise<(OperatorSpace & { ref: string | null })[]> {
  const rows = await db.all(sql.selectSpacesForOperator, [null]);
  return rows.map((row) => ({ ...toOperatorSpace(row), ref: row.ref })).toReversed();
}

export async function showForOperator(db: Sql, spaceId: string): Promise<OperatorSpace> {
  const { hostId, environment } = await ownerOf(db, spaceId);
  const row = await db.get(sql.selectSpaceForOperator, [hostId, environment, spaceId]);
  if (row === undefined) throw new Error(`space ${spaceId} has a feed and is gone`);
  return toOperatorSpace(row);
}

function toOperatorSpace(row: sql.OperatorRow): OperatorSpace {
  return {
    host_id: row.host_id,
    host_name: row.host_name,
    environment: row.environment,
    ...toListing(row),
    cancellation_notice_hours: row.cancellation_notice_hours,
  };
}

export interface NewSpace {
  hostId: string;
  environment: Environment;
  title: string;
  categorySlug: string;
  description: string | null;
  address: string;
  area: string;
  /** Minor units. */
  pricePerHour: number;
  capacity: number | null;
  timezone: string;
  openHour: number;
  closeHour: number;
  cancellationNoticeHours: number;
  ratingHundredths: number;
  reviewCount: number;
  isActive: boolean;
  amenities: string[];
  photoUrls: string[];
  /** The operator's own name for it, in files that apply reads. */
  ref?: string;
}

/** Returns the iCal token, which cannot be read again: the database keeps only its hash. */
export async function add(tx: Tx, now: number, space: NewSpace): Promise<{ id: string; icalToken: string }> {
  const id = newId();
  const icalToken = newIcalToken();
  await tx.run(sql.insertSpace, [
    space.hostId,
    space.environment,
    id,
    space.title,
    space.categorySlug,
    space.description,
    space.address,
    space.area,
    space.pricePerHour,
    space.capacity,
    space.timezone,
    space.openHour,
    space.closeHour,
    space.cancellationNoticeHours,
    space.ratingHundredths,
    space.reviewCount,
    space.isActive ? 1 : 0,
    JSON.stringify(space.amenities),
    JSON.stringify(space.photoUrls),
    now,
    space.ref ?? null,
  ]);
  await tx.run(sql.insertFeed, [space.hostId, space.environment, id, hashIcalToken(icalToken)]);
  return { id, icalToken };
}

/** The host and environment of a space, for the operator, who knows only its id. */
export async function ownerOf(
  db: Sql,
  spaceId: string,
): Promise<{ hostId: string; environment: Environment }> {
  const row = await db.get(sql.selectFeed, [spaceId]);
  if (row === undefined) throw new OperatorError(`there is no space ${spaceId}`);
  return { hostId: row.host_id, environment: row.environment };
}

/** A new token of the feed, with its entry in the audit trail. */
export async function renewFeed(
  tx: Tx,
  now: number,
  { hostId, environment, actor }: Caller,
  spaceId: string,
): Promise<string> {
  const changes = { ical_token: audit.CHANGED };
  const change = { action: 'ical_token.rotated', hostId, environment, subject: spaceId, changes } as const;
  await audit.record(tx, now, actor, change);
  return rotateIcalToken(tx, spaceId);
}

/** From the commit on, the old address is refused. */
export async function rotateIcalToken(tx: Tx, spaceId: string): Promise<string> {
  const token = newIcalToken();
  const changed = await tx.run(sql.updateFeedToken, [spaceId, hashIcalToken(token)]);
  if (changed === 0) throw new OperatorError(`there is no space ${spaceId}`);
  return token;
}

export function toSpace(row: sql.SpaceRow, external_calendars: ExternalCalendar[]): Space {
  return { ...toListing(row), external_calendars };
}

export function toListing(row: sql.SpaceRow): Listing {
  return {
    id: row.id,
    title: row.title,
    category_slug: row.category_slug,
    description: row.description,
    address: row.address,
    area: row.area,
    price_per_hour: toMajor(row.price_per_hour, row.currency),
    capacity: row.capacity,
    operating_hours: { start_hour: row.open_hour, end_hour: row.close_hour },
    rating: row.rating_hundredths / 100,
    review_count: row.review_count,
    is_active: row.is_active === 1,
    amenities: JSON.parse(row.amenities) as string[],
    photo_urls: JSON.parse(row.photo_urls) as string[],
    timezone: row.timezone,
    currency: row.currency,
  };
}

export interface FeedSpace {
  readonly hostId: string;
  readonly id: string;
  readonly title: string;
  readonly timezone: string;
}

/**
 * The space that a token opens, unless its host is deactivated. A wrong token and an unknown space take the same steps, and the hashes are compared in
 * constant time, so that the time of the answer does not tell them apart.
 */
export async function findByIcalToken(
  db: Sql,
  spaceId: string,
  token: string,
): Promise<FeedSpace | undefined> {
  const feed = await db.get(sql.selectFeed, [spaceId]);
  const stored = Buffer.from(feed?.token_hash ?? hashIcalToken(''), 'hex');
  const opens = timingSafeEqual(stored, Buffer.from(hashIcalToken(token), 'hex'));
  if (feed === undefined || !opens) return undefined;
  const space = await db.get(sql.selectFeedSpace, [feed.host_id, feed.environment, spaceId]);
  return space === undefined ? undefined : { ...space, hostId: feed.host_id };
}

export function icalUrl(base: string, spaceId: string, token: string): string {
  return `${base}/api-ical-feed?space_id=${spaceId}&token=${token}`;
}
