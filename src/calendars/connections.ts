import * as audit from '../audit/audit.ts';
import type { Actor, Caller, Owner } from '../caller.ts';
import type { Context } from '../context.ts';
import type { Sql, Tx } from '../db/database.ts';
import { newId } from '../ids/uuid.ts';
import { checkUrl } from '../outbound/guard.ts';
import type { Secrets } from '../secrets/secrets.ts';
import { timestampOrNull } from '../time/clock.ts';
import { FIRST_DATE, LAST_DATE } from '../time/dates.ts';
import { asHttps } from './fetch.ts';
import { importHours, lockCalendars } from './import.ts';
import type { ExternalCalendar } from './schemas.ts';
import * as sql from './sql.ts';
import { openUrl, shownAddress, storeUrl } from './urls.ts';

// Which calendars a space is connected to: what spaces ask of calendars.

/** Connections of a space that its host can make. The operator may add more. */
export const MAX_CALENDARS_PER_SPACE = 5;
const MAX_URL_LENGTH = 2000;

/** As the host reads them, oldest first. */
export async function ofSpace(db: Sql, hostId: string, spaceId: string): Promise<ExternalCalendar[]> {
  return (await db.all(sql.selectOfSpace, [hostId, spaceId])).map(toExternal);
}

/** The same for all spaces of a host, by the space's id. */
export async function ofHost(
  db: Sql,
  { hostId, environment }: Owner,
): Promise<ReadonlyMap<string, ExternalCalendar[]>> {
  const rows = await db.all(sql.selectOfHost, [hostId, environment]);
  const bySpace = Map.groupBy(rows, ({ space_id }) => space_id);
  return new Map([...bySpace].map(([spaceId, some]) => [spaceId, some.map(toExternal)]));
}

function toExternal(row: sql.ConnectionRow): ExternalCalendar {
  return {
    id: row.id,
    address: shownAddress(row),
    status: statusOf(row),
    last_synced_at: timestampOrNull(row.last_success_at),
    error: row.last_error,
  };
}

type Health = Pick<sql.ConnectionRow, 'last_polled_at' | 'failures' | 'last_error'>;

export function statusOf(row: Health): ExternalCalendar['status'] {
  if (row.last_polled_at === null) return 'waiting';
  if (row.failures > 0) return 'failing';
  return row.last_error === null ? 'ok' : 'warning';
}

/** The address as it is kept, and what is wrong with it, if anything. */
export async function checkAddress(
  ctx: Context,
  address: string,
): Promise<{ url: string; problem: string | null }> {
  const url = asHttps(address);
  return { url, problem: url.length > MAX_URL_LENGTH ? 'is too long' : await checkUrl(ctx.guard, url) };
}

/** Adds a calendar that is polled at once. */
export async function add(
  tx: Tx,
  now: number,
  secrets: Secrets,
  space: Owner & { readonly id: string },
  address: string,
  ref: string | null = null,
): Promise<string> {
  const id = newId();
  const { url, sealed_url } = await storeUrl(tx, secrets, id, address);
  const key = [space.hostId, space.environment, space.id, id];
  await tx.run(sql.insertCalendar, [...key, url, sealed_url, now, ref]);
  return id;
}

/**
 * Connects a space, whose row the caller has locked, to a URL that was checked. What is connected already stays as it is.
 * Undefined: the space has too many.
 */
export async function connect(
  tx: Tx,
  now: number,
  secrets: Secrets,
  { hostId, environment, actor }: Caller,
  spaceId: string,
  url: string,
  max = MAX_CALENDARS_PER_SPACE,
): Promise<{ id: string; isNew: boolean } | undefined> {
  const connected = await tx.all(sql.selectOfSpace, [hostId, spaceId]);
  const twin = connected.find((calendar) => isAt(secrets, calendar, url));
  if (twin !== undefined) return { id: twin.id, isNew: false };
  if (connected.length >= max) return undefined;
  const id = await add(tx, now, secrets, { hostId, environment, id: spaceId }, url);
  await audit.record(tx, now, actor, { action: 'calendar.added', hostId, environment, subject: id });
  return { id, isNew: true };
}

/** Names of hosts have no case, and the path of a host alone is a slash. */
function isAt(secrets: Secrets, row: sql.ConnectionRow, url: string): boolean {
  const its = openUrl(secrets, row);
  return its !== undefined && new URL(its).href === new URL(url).href;
}

/**
 * Frees a calendar's hours, as far as nothing else holds them, sends the events for it, and forgets the calendar. Undefined:
 * the space has none with this id.
 */
export async function disconnect(
  tx: Tx,
  now: number,
  actor: Actor,
  key: sql.Key,
): Promise<{ freed: number } | undefined> {
  const [, , calendar] = await Promise.all([
    lockCalendars(tx, key.space_id),
    // An import under way ends first.
    tx.run(sql.lockCalendar, sql.keyOf(key)),
    tx.get(sql.selectCalendar, sql.keyOf(key)),
  ]);
  if (calendar === undefined) return undefined;
  const { freed } = await importHours(tx, now, actor, calendar, ALL_TIME, new Map());
  await tx.run(sql.deleteCalendar, sql.keyOf(key));
  const { host_id: hostId, environment, id: subject } = calendar;
  await audit.record(tx, now, actor, { action: 'calendar.removed', hostId, environment, subject });
  return { freed };
}

const ALL_TIME = { from: FIRST_DATE, to: LAST_DATE };

/**
 * Has a space's calendars polled at once and in full, since its wall clock is another one now. A poll that is under way
 * reads by the old one: without its lease it changes nothing.
 */
export async function pollAnew(tx: Tx, now: number, hostId: string, spaceId: string): Promise<void> {
  await tx.run(sql.makeDue, [hostId, spaceId, now]);
}
