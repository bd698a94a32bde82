import type { Actor } from '../caller.ts';
import * as audit from '../audit/audit.ts';
import type { Context } from '../context.ts';
import type { Sql, Tx } from '../db/database.ts';
import type { Secrets } from '../secrets/secrets.ts';
import { LAST_INSTANT, timestampOrNull, toTimestamp } from '../time/clock.ts';
import { disconnect, statusOf } from './connections.ts';
import { noSuchCalendar } from './poll.ts';
import * as sql from './sql.ts';
import { DAY_MS } from '../time/units.ts';
import { openUrl, shownAddress, storeUrl } from './urls.ts';

export { add, checkAddress } from './connections.ts';
export { asHttps } from './fetch.ts';
export { pollDue, sync } from './poll.ts';
export { sealClear } from './urls.ts';

/** A time at which nothing is due. */
export const NEVER = LAST_INSTANT;

/** Gives a calendar another address, to be polled at `dueAt`. Its hours stay until that has been read. */
export async function move(
  tx: Tx,
  secrets: Secrets,
  calendar: sql.Key,
  address: string,
  dueAt: number,
): Promise<void> {
  const { url, sealed_url } = await storeUrl(tx, secrets, calendar.id, address);
  await tx.run(sql.moveCalendar, [...sql.keyOf(calendar), url, sealed_url, dueAt]);
}

export interface Named extends Omit<sql.NamedRow, keyof sql.Stored> {
  readonly origin: string;
  /** Decrypted when it is read: whoever does not read it needs no key. Null: it needs another key than ours. */
  readonly url: string | null;
}

/** With the operator's own name, where a calendar has one; the oldest first. */
export async function named(db: Sql, secrets: Secrets): Promise<Named[]> {
  return (await db.all(sql.selectNamed)).map((row) => ({
    ...row,
    origin: audit.originOf(row.url),
    get url() {
      return openUrl(secrets, row) ?? null;
    },
  }));
}

/** Gives a calendar the operator's own name. */
export async function name(tx: Tx, now: number, actor: Actor, calendar: Named, ref: string): Promise<void> {
  await tx.run(sql.nameCalendar, [...sql.keyOf(calendar), ref]);
  await recordUpdate(tx, now, actor, calendar, { ref: [calendar.ref, ref] });
}

/** Gives a calendar another address, to be polled at once. */
export async function readdress(
  tx: Tx,
  now: number,
  secrets: Secrets,
  actor: Actor,
  calendar: Named,
  address: string,
): Promise<audit.Changes> {
  await move(tx, secrets, calendar, address, now);
  const changes = { url: [calendar.origin, audit.originOf(address)] as const };
  await recordUpdate(tx, now, actor, calendar, changes);
  return changes;
}

async function recordUpdate(
  tx: Tx,
  now: number,
  actor: Actor,
  { host_id: hostId, environment, id: subject }: Named,
  changes: audit.Changes,
): Promise<void> {
  await audit.record(tx, now, actor, { action: 'calendar.updated', hostId, environment, subject, changes });
}

type ListedCalendar = ReturnType<typeof toListed>;

/** Which calendars to list. `failing`: those whose last poll failed. */
export interface Wanted {
  readonly space?: string | undefined;
  readonly host?: string | undefined;
  readonly failing?: boolean | undefined;
}

export async function list(
  ctx: Context,
  wanted: Wanted = {},
): Promise<(ListedCalendar & Pick<Named, 'url'>)[]> {
  return (await select(ctx, wanted)).map((row) => ({
    ...toListed(row),
    get url() {
      return openUrl(ctx.secrets, row) ?? null;
    },
  }));
}

export async function listWithoutUrls(ctx: Context, host: string): Promise<ListedCalendar[]> {
  return (await select(ctx, { host })).map(toListed);
}

async function select(ctx: Context, { space, host, failing = false }: Wanted): Promise<sql.ListedRow[]> {
  const since = toTimestamp(ctx.clock.now() - DAY_MS).slice(0, 10);
  return ctx.db.all(sql.selectCalendars, [space ?? null, since, host ?? null, Number(failing)]);
}

function toListed(listed: sql.ListedRow) {
  const { url, sealed_url: _, ...row } = listed;
  return {
    ...row,
    address: shownAddress({ url }),
    status: statusOf(row),
    last_polled_at: timestampOrNull(row.last_polled_at),
    last_success_at: timestampOrNull(row.last_success_at),
    next_poll_at: toTimestamp(row.next_poll_at),
    created_at: toTimestamp(row.created_at),
  };
}

/** Frees its hours, as far as nothing else holds them, and sends the events for it. */
export async function remove(ctx: Context, actor: Actor, id: string): Promise<{ freed: number }> {
  return ctx.db.transaction(async (tx) => {
    const key = await tx.get(sql.selectKey, [id]);
    const removed = key && (await disconnect(tx, ctx.clock.now(), actor, key));
    if (removed === undefined) throw noSuchCalendar(id);
    return removed;
  });
}
