import type { Caller } from '../api-keys/caller.ts';
import * as audit from '../audit/audit.ts';
import * as connections from '../calendars/connections.ts';
import type { Context } from '../context.ts';
import type { Tx } from '../db/database.ts';
import { validationError, type FieldError } from '../errors.ts';
import * as events from '../events/events.ts';
import { fromRequest, problemsIn, toRecord, withChanges, type Field } from '../fields/fields.ts';
import { LISTING_FIELDS, SPACE, type Listing, type OperatorSpace, type SpaceChanges } from './fields.ts';
import { resolveChanges } from './changes.ts';
import type { ExternalCalendar, Space, UpdateListing } from './schemas.ts';
import { noSuchSpace, renewFeed, toSpace } from './spaces.ts';
import * as sql from './sql.ts';

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
    const before = await lock(tx, caller, spaceId);
    if (before === undefined) return refuseUnknown(wanted);
    const after = changed(before, fromRequest(SPACE, wanted), ({ as }) => as);
    const now = ctx.clock.now();
    if (disconnect_calendar !== undefined) {
      const key = { host_id: caller.hostId, space_id: spaceId, id: disconnect_calendar.toLowerCase() };
      if ((await connections.disconnect(tx, now, caller.actor, key)) === undefined)
        throw refusal('disconnect_calendar', 'must be the id of one of the space’s external_calendars');
    }
    if (address !== undefined && !(await connections.connect(tx, now, ctx.secrets, caller, spaceId, address)))
      throw refusal(
        'connect_calendar',
        `is one too many: a space has at most ${connections.MAX_CALENDARS_PER_SPACE}`,
      );
    const icalToken = rotate_ical_token && (await renewFeed(tx, now, caller, spaceId));
    const calendars = await connections.ofSpace(tx, caller.hostId, spaceId);
    await save(tx, now, caller, before, after, calendars);
    return { space: toSpace(after, calendars), icalToken };
  });
}

/** For a space that does not exist. Input is judged before existence, as far as it can be without the space. */
function refuseUnknown(wanted: Omit<UpdateListing, 'space_id'>): never {
  refuseProblems(problemsIn(SPACE, fromRequest(SPACE, wanted)), ({ as }) => as);
  throw noSuchSpace();
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

/** A space with the given fields changed. `nameOf` is how problems call a field that has another name in requests. */
export function changed(
  space: OperatorSpace,
  given: SpaceChanges,
  nameOf: (field: Field) => string | undefined = () => undefined,
): OperatorSpace {
  const { changes, problems } = resolveChanges(space, given, space.currency);
  refuseProblems(problems, nameOf);
  return withChanges(space, changes);
}

function refuseProblems(problems: FieldError[], nameOf: (field: Field) => string | undefined): void {
  if (problems.length === 0) return;
  throw validationError(
    problems.map(({ field, message }) => ({
      field: nameOf(SPACE[field as keyof Listing]) ?? field,
      message,
    })),
  );
}

/** Reads a space and keeps others from changing it until the end of the transaction. */
export async function lock(
  tx: Tx,
  { hostId, environment }: Pick<Caller, 'hostId' | 'environment'>,
  spaceId: string,
): Promise<OperatorSpace | undefined> {
  const key = [hostId, environment, spaceId];
  const [, row] = await Promise.all([tx.run(sql.lockSpace, key), tx.get(sql.selectSpace, key)]);
  return row && toRecord(SPACE, row);
}

/** Writes what is new and announces what of it the host sees. Does nothing where nothing is new. Returns what was changed. */
export async function save(
  tx: Tx,
  now: number,
  caller: Caller,
  before: OperatorSpace,
  after: OperatorSpace,
  /** The space's, where the caller has read them. */
  calendars?: ExternalCalendar[],
): Promise<audit.Changes> {
  const { hostId, environment, actor } = caller;
  const { id } = after;
  const changes = audit.differences(before, after);
  if (Object.keys(changes).length === 0) return changes;
  const changed = LISTING_FIELDS.filter((field) => Object.hasOwn(changes, field));
  const announce = async (): Promise<void> => {
    const space = toSpace(after, calendars ?? (await connections.ofSpace(tx, hostId, id)));
    await events.append(tx, now, caller, { type: 'listing.updated', data: { space, changed } });
  };
  await Promise.all([
    tx.run(sql.updateSpace, [hostId, environment, id, now, ...sql.changeableCells(after)]),
    changed.length > 0 && announce(),
    audit.record(tx, now, actor, { action: 'space.updated', hostId, environment, subject: id, changes }),
  ]);
  return changes;
}
