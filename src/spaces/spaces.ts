import { randomUUID, timingSafeEqual } from 'node:crypto';
import { ownerOf as toOwner, type Actor, type Caller, type Owner } from '../caller.ts';
import * as audit from '../audit/audit.ts';
import * as connections from '../calendars/connections.ts';
import type { ExternalCalendar } from '../calendars/schemas.ts';
import type { Context } from '../context.ts';
import type { Sql, Tx } from '../db/database.ts';
import { invalid, notFound, OperatorError, validationError, type FieldError } from '../errors.ts';
import {
  initialValues,
  normalized,
  problemsIn,
  toRecord,
  withChanges,
  type Field,
} from '../fields/fields.ts';
import type { Environment } from '../ids/api-key.ts';
import * as hosts from '../hosts/hosts.ts';
import { idParam } from '../http/input/schemas.ts';
import { hashToken } from '../ids/token.ts';
import { newId, parseId } from '../ids/uuid.ts';
import { nearest } from '../nearest.ts';
import {
  LISTING,
  SPACE,
  type Listing,
  type NewSpace,
  type OperatorSpace,
  type SeededSpace,
  type SpaceChanges,
} from './fields.ts';
import { completeChanges } from './opening.ts';
import type { Space } from './schemas.ts';
import * as sql from './sql.ts';

export async function list(ctx: Context, caller: Caller): Promise<Space[]> {
  const [rows, calendars] = await Promise.all([
    ctx.db.all(sql.selectSpacesOfHost, [caller.hostId, caller.environment]),
    connections.ofHost(ctx.db, caller),
  ]);
  return rows.map((row) => toSpace(toRecord(SPACE, row), calendars.get(row.id) ?? []));
}

export async function get(ctx: Context, caller: Caller, spaceId: string): Promise<Space> {
  const { hostId, environment } = caller;
  const [row, calendars] = await Promise.all([
    ctx.db.get(sql.selectSpace, [hostId, environment, spaceId]),
    connections.ofSpace(ctx.db, hostId, spaceId),
  ]);
  if (row === undefined) throw noSuchSpace();
  return toSpace(toRecord(SPACE, row), calendars);
}

/** The same words whether it never existed or belongs to another host. */
export function noSuchSpace(): Error {
  return notFound('no such space');
}

/** The space that a path names. A body may repeat the id but not contradict it. */
export function spaceParam(inPath: string, inBody: string = inPath): string {
  if (inBody.toLowerCase() !== inPath.toLowerCase()) throw invalid('space_id', 'must be the one in the path');
  return idParam(inPath);
}

export async function listForOperator(db: Sql, hostId: string | null = null): Promise<OperatorSpace[]> {
  return (await db.all(sql.selectSpacesForOperator, [hostId])).map((row) => toRecord(SPACE, row));
}

export async function showForOperator(db: Sql, spaceId: string): Promise<OperatorSpace> {
  const { hostId, environment } = await ownerOf(db, spaceId);
  return toRecord(SPACE, (await db.get(sql.selectSpace, [hostId, environment, spaceId]))!);
}

/** Whose a new space is. */
export interface Place {
  readonly host: { readonly id: string; readonly currency: string; readonly timezone: string };
  readonly environment: Environment;
  /** The operator's own name for it, in files that apply reads. */
  readonly ref?: string;
}

/** Returns the iCal token, which cannot be read again: the database keeps only its hash. */
export async function add(
  tx: Tx,
  now: number,
  { host, environment, ref }: Place,
  given: SeededSpace,
): Promise<{ id: string; icalToken: string }> {
  const { currency, timezone } = host;
  const id = newId();
  const icalToken = randomUUID();
  const initial = { ...initialValues(SPACE), currency, timezone } as unknown as OperatorSpace;
  const place = { id, host_id: host.id, environment, ref: ref ?? null };
  await tx.run(sql.insertSpace, [now, ...sql.spaceCells({ ...changed(initial, given), ...place })]);
  await tx.run(sql.insertFeed, [host.id, environment, id, hashToken(icalToken)]);
  return { id, icalToken };
}

/**
 * A space with the given values in place of its own, as they are kept. `nameOf` is how problems call a field that has another name in
 * requests.
 */
export function changed(space: OperatorSpace, given: SpaceChanges, nameOf?: NameOf): OperatorSpace {
  refuse(problemsIn(SPACE, given, space.currency), nameOf);
  const { changes, problems } = completeChanges(space, normalized(SPACE, given));
  refuse(problems, nameOf);
  return withChanges(space, changes);
}

type NameOf = (field: Field) => string | undefined;

export function refuse(problems: FieldError[], nameOf: NameOf = () => undefined): void {
  if (problems.length === 0) return;
  const named = problems.map(({ field, message }) => ({
    field: nameOf(SPACE[field as keyof Listing]) ?? field,
    message,
  }));
  throw validationError(named);
}

/** The same for an operator, with its entry in the audit trail. */
export async function addForOperator(
  tx: Tx,
  now: number,
  actor: Actor,
  place: Place,
  given: NewSpace,
): Promise<{ id: string; icalToken: string }> {
  const added = await add(tx, now, place, given);
  const change = { hostId: place.host.id, environment: place.environment, subject: added.id };
  await audit.record(tx, now, actor, { action: 'space.added', ...change });
  return added;
}

/** The host and environment of a space, for the operator, who knows only its id. */
export async function ownerOf(db: Sql, spaceId: string): Promise<Owner> {
  const row = await db.get(sql.selectFeed, [spaceId]);
  if (row === undefined) throw new OperatorError(`there is no space ${spaceId}`);
  return toOwner(row);
}

/** The id of the space that an operator names by its id, or with its host's name in front: `h003/s1`. */
export async function idOf(db: Sql, name: string): Promise<string> {
  const id = parseId(name);
  if (id !== undefined && (await db.get(sql.selectFeed, [id])) !== undefined) return id;
  // A ref can have a slash in it.
  for (let slash = name.indexOf('/'); slash >= 0; slash = name.indexOf('/', slash + 1)) {
    const hostId = await hosts.findId(db, name.slice(0, slash));
    const ref = name.slice(slash + 1);
    const found = hostId && (await db.get(sql.selectNamedSpace, [hostId, parseId(ref) ?? null, ref]));
    if (found) return found.id;
  }
  throw await noSpaceCalled(db, name);
}

async function noSpaceCalled(db: Sql, name: string): Promise<OperatorError> {
  const refs = new Map((await hosts.list(db)).map((host) => [host.id, host.ref ?? host.email]));
  const known = (await listForOperator(db)).map((space) => ({
    ref: space.ref ?? space.id,
    called: `${refs.get(space.host_id)}/${space.ref ?? space.id}`,
  }));
  const meant =
    known.find(({ ref }) => ref === name)?.called ??
    nearest(
      name,
      known.map(({ called }) => called),
    );
  return new OperatorError(
    `there is no space ${name}${meant === undefined ? '' : `; did you mean ${meant}?`}`,
  );
}

/** A new token of the feed, with its entry in the audit trail. From the commit on, the old address is refused. */
export async function renewFeed(
  tx: Tx,
  now: number,
  { hostId, environment, actor }: Caller,
  spaceId: string,
): Promise<string> {
  const changes = { ical_token: audit.CHANGED };
  const change = { action: 'ical_token.rotated', hostId, environment, subject: spaceId, changes } as const;
  await audit.record(tx, now, actor, change);
  const token = randomUUID();
  await tx.run(sql.updateFeedToken, [spaceId, hashToken(token)]);
  return token;
}

export function toSpace(space: OperatorSpace, external_calendars: ExternalCalendar[]): Space {
  const shown = LISTING.map((name) => [name, space[name]]);
  return { ...(Object.fromEntries(shown) as Listing), external_calendars };
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
  const stored = Buffer.from(feed?.token_hash ?? hashToken(''), 'hex');
  const opens = timingSafeEqual(stored, Buffer.from(hashToken(token), 'hex'));
  if (feed === undefined || !opens) return undefined;
  const space = await db.get(sql.selectFeedSpace, [feed.host_id, feed.environment, spaceId]);
  return space === undefined ? undefined : { ...space, hostId: feed.host_id };
}

export function icalUrl(base: string, spaceId: string, token: string): string {
  return `${base}/api-ical-feed?space_id=${spaceId}&token=${token}`;
}
