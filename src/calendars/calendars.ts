import * as audit from '../audit/audit.ts';
import type { Context } from '../context.ts';
import type { Sql, Tx } from '../db/database.ts';
import { OperatorError } from '../errors.ts';
import { lock } from '../spaces/listing.ts';
import * as spaces from '../spaces/spaces.ts';
import { LAST_INSTANT, toTimestamp } from '../time/clock.ts';
import { add, checkAddress, disconnect, isSame, statusOf } from './connections.ts';
import { noSuchCalendar } from './poll.ts';
import * as sql from './sql.ts';
import { DAY_MS } from '../time/units.ts';

export { add, checkAddress } from './connections.ts';
export { asHttps } from './fetch.ts';
export { pollDue, sync } from './poll.ts';

/** A time at which nothing is due. */
export const NEVER = LAST_INSTANT;

/** Gives a calendar another address, to be polled at `dueAt`. */
export async function move(tx: Tx, id: string, url: string, dueAt: number): Promise<void> {
  await tx.run(sql.moveCalendar, [id, url, dueAt]);
}

export type Named = sql.NamedRow;

/** With the operator's own name, where a calendar has one; the oldest first. */
export async function named(db: Sql): Promise<Named[]> {
  return db.all(sql.selectNamed);
}

/** Gives a calendar the operator's own name. */
export async function name(
  tx: Tx,
  now: number,
  actor: audit.Actor,
  calendar: Named,
  ref: string,
): Promise<void> {
  await tx.run(sql.nameCalendar, [...sql.keyOf(calendar), ref]);
  const { host_id: hostId, environment, id: subject } = calendar;
  const changes = { ref: [calendar.ref, ref] as const };
  await audit.record(tx, now, actor, { action: 'calendar.updated', hostId, environment, subject, changes });
}

/** Gives a calendar another address. Its hours stay until that has been read. */
export async function readdress(
  tx: Tx,
  now: number,
  actor: audit.Actor,
  calendar: Named,
  url: string,
): Promise<audit.Changes> {
  await tx.run(sql.readdressCalendar, [...sql.keyOf(calendar), url, now]);
  const { host_id: hostId, environment, id: subject } = calendar;
  const changes = { url: [audit.originOf(calendar.url), audit.originOf(url)] as const };
  await audit.record(tx, now, actor, { action: 'calendar.updated', hostId, environment, subject, changes });
  return changes;
}

/** Adds a calendar at the operator's request. Refuses an address that cannot be fetched. */
export async function subscribe(
  ctx: Context,
  actor: audit.Actor,
  spaceId: string,
  address: string,
): Promise<{ id: string; url: string }> {
  const { url, problem } = await checkAddress(ctx, address);
  if (problem !== null) throw new OperatorError(`the URL ${problem}`);
  const id = await ctx.db.transaction(async (tx) => {
    const owner = await spaces.ownerOf(tx, spaceId);
    // Two who connect the same address at once must not both find that it is new.
    await lock(tx, owner, spaceId);
    const connected = await tx.all(sql.selectOfSpace, [owner.hostId, spaceId]);
    const twin = connected.find((calendar) => isSame(calendar.url, url));
    if (twin !== undefined) throw new OperatorError(`the space has this calendar already: ${twin.id}`);
    const now = ctx.clock.now();
    const added = await add(tx, now, { ...owner, id: spaceId }, url);
    await audit.record(tx, now, actor, { action: 'calendar.added', ...owner, subject: added });
    return added;
  });
  return { id, url };
}

export interface ListedCalendar {
  id: string;
  space_id: string;
  space_title: string;
  host_name: string;
  environment: string;
  url: string;
  /** `waiting` for the first poll; `failing`, with the hours of the last good one; `warning`: see `last_error`. */
  status: 'waiting' | 'ok' | 'warning' | 'failing';
  busy_hours: number;
  last_polled_at: string | null;
  last_success_at: string | null;
  last_error: string | null;
  failures: number;
  next_poll_at: string;
  created_at: string;
}

export async function list(ctx: Context, spaceId: string | null = null): Promise<ListedCalendar[]> {
  const since = toTimestamp(ctx.clock.now() - DAY_MS).slice(0, 10);
  const rows = await ctx.db.all(sql.selectCalendars, [spaceId, since]);
  return rows.map((row) => ({
    id: row.id,
    space_id: row.space_id,
    space_title: row.space_title,
    host_name: row.host_name,
    environment: row.environment,
    url: row.url,
    status: statusOf(row),
    busy_hours: row.busy_hours,
    last_polled_at: row.last_polled_at === null ? null : toTimestamp(row.last_polled_at),
    last_success_at: row.last_success_at === null ? null : toTimestamp(row.last_success_at),
    last_error: row.last_error,
    failures: row.failures,
    next_poll_at: toTimestamp(row.next_poll_at),
    created_at: toTimestamp(row.created_at),
  }));
}

/** Frees its hours, as far as nothing else holds them, and sends the events for it. */
export async function remove(ctx: Context, actor: audit.Actor, id: string): Promise<{ freed: number }> {
  return ctx.db.transaction(async (tx) => {
    const key = await tx.get(sql.selectKey, [id]);
    const removed = key && (await disconnect(tx, ctx.clock.now(), actor, key));
    if (removed === undefined) throw noSuchCalendar(id);
    return removed;
  });
}
