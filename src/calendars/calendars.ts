import * as audit from '../audit/audit.ts';
import type { Context } from '../context.ts';
import type { Sql, Tx } from '../db/database.ts';
import { OperatorError } from '../errors.ts';
import type { Environment } from '../ids/api-key.ts';
import { newId } from '../ids/uuid.ts';
import { checkUrl } from '../outbound/guard.ts';
import * as spaces from '../spaces/spaces.ts';
import { LAST_INSTANT, toTimestamp } from '../time/clock.ts';
import { FIRST_DATE, LAST_DATE } from '../time/dates.ts';
import { asHttps } from './fetch.ts';
import { importHours } from './import.ts';
import { noSuchCalendar } from './poll.ts';
import * as sql from './sql.ts';
import { DAY_MS } from '../time/units.ts';

export { asHttps } from './fetch.ts';
export { pollDue, sync } from './poll.ts';
export type { PollResult } from './save-poll.ts';

/** Adds a calendar that is polled at once. */
export async function add(
  tx: Tx,
  now: number,
  space: { hostId: string; environment: Environment; id: string },
  url: string,
  ref: string | null = null,
): Promise<string> {
  const id = newId();
  await tx.run(sql.insertCalendar, [space.hostId, space.environment, space.id, id, url, now, ref]);
  return id;
}

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

/** The address as it is kept, and what is wrong with it, if anything. */
export async function checkAddress(
  ctx: Context,
  address: string,
): Promise<{ url: string; problem: string | null }> {
  const url = asHttps(address);
  return { url, problem: url.length > MAX_URL_LENGTH ? 'is too long' : await checkUrl(ctx.guard, url) };
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
    const twin = await tx.get(sql.selectCalendarByUrl, [owner.hostId, spaceId, url]);
    if (twin !== undefined) throw new OperatorError(`the space has this calendar already: ${twin.id}`);
    const now = ctx.clock.now();
    const added = await add(tx, now, { ...owner, id: spaceId }, url);
    await audit.record(tx, now, actor, { action: 'calendar.added', ...owner, subject: added });
    return added;
  });
  return { id, url };
}

const MAX_URL_LENGTH = 2000;

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

function statusOf(row: sql.ListedRow): ListedCalendar['status'] {
  if (row.last_polled_at === null) return 'waiting';
  if (row.failures > 0) return 'failing';
  return row.last_error === null ? 'ok' : 'warning';
}

/** Frees its hours, as far as nothing else holds them, and sends the events for it. */
export async function remove(ctx: Context, actor: audit.Actor, id: string): Promise<{ freed: number }> {
  return ctx.db.transaction(async (tx) => {
    const [, calendar] = await Promise.all([
      tx.run(sql.lockCalendar, [id]),
      tx.get(sql.selectCalendar, [id]),
    ]);
    if (calendar === undefined) throw noSuchCalendar(id);
    const now = ctx.clock.now();
    const { freed } = await importHours(tx, now, calendar, ALL_TIME, new Map());
    const { host_id: hostId, environment } = calendar;
    await tx.run(sql.deleteCalendar, [hostId, calendar.space_id, id]);
    await audit.record(tx, now, actor, { action: 'calendar.removed', hostId, environment, subject: id });
    return { freed };
  });
}

const ALL_TIME = { from: FIRST_DATE, to: LAST_DATE };
