import type { Actor } from '../caller.ts';
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import * as audit from '../audit/audit.ts';
import type { Context } from '../context.ts';
import { OperatorError } from '../errors.ts';
import { shuffled } from '../shuffled.ts';
import { logTrouble } from '../log.ts';
import { localDate } from '../time/zones.ts';
import { fetchCalendar, type Fetched, type Marks } from './fetch.ts';
import { readCalendar } from './read.ts';
import { savePoll, type Found, type Manner, type PollResult } from './save-poll.ts';
import * as sql from './sql.ts';
import { openUrl } from './urls.ts';

const MAX_IN_FLIGHT_PER_PROCESS = 16;
const MAX_IN_FLIGHT_PER_HOST = 2;
/** As long as a poll can take: 20 s to fetch, then as many turns of 10 s to read as there are polls in flight. */
const LEASE_MS = 180_000;
const RETRY_LEASE_MS = 200;
/** While polls are in flight, what becomes due is found this soon. */
const LOOK_EVERY_MS = 1000;
/** How many that are due one look finds: a look costs as much for one as for many. */
const MAX_ROWS_PER_LOOK = 100;

/**
 * Polls everything that is due. A host has at most two polls in flight, and half of the places are for first polls of hosts that
 * have none: whatever other servers do, a calendar that was just connected is polled at once. Two processes never poll the same
 * calendar, since each leases what it polls. `alive` is called again and again: a server that is slow makes this take long.
 */
export async function pollDue(
  ctx: Context,
  stopping = NEVER,
  alive: () => Promise<void> = async () => undefined,
): Promise<boolean> {
  /** With the host of each. */
  const inFlight = new Map<Promise<void>, string>();
  const isPossible = (key: sql.DueRow): boolean => hasPlace(key, [...inFlight.values()]);
  let due: sql.DueRow[] = [];
  let lookedAt = -Infinity;
  try {
    for (;;) {
      if (!stopping.aborted && (performance.now() - lookedAt >= LOOK_EVERY_MS || !due.some(isPossible))) {
        due = await findDue(ctx);
        lookedAt = performance.now();
      }
      due = due.filter((key) => {
        if (stopping.aborted || !isPossible(key)) return true;
        const polled = pollQuietly(ctx, key, stopping).finally(() => inFlight.delete(polled));
        inFlight.set(polled, key.host_id);
        return false;
      });
      if (inFlight.size === 0) return false;
      await alive();
      await Promise.race([...inFlight.keys(), delay(LOOK_EVERY_MS, undefined, { ref: false })]);
    }
  } finally {
    await Promise.all(inFlight.keys());
  }
}

/** First polls before others; otherwise in random order, so that processes seldom want the same ones. */
async function findDue(ctx: Context): Promise<sql.DueRow[]> {
  const limits = [MAX_IN_FLIGHT_PER_HOST, MAX_ROWS_PER_LOOK];
  const due = await ctx.db.all(sql.selectDue, [ctx.clock.now(), ...limits, ...ctx.secrets.keys()]);
  return shuffled(due).sort((a, b) => b.is_first - a.is_first);
}

function hasPlace({ host_id, is_first }: sql.DueRow, hosts: readonly string[]): boolean {
  const ofHost = hosts.filter((id) => id === host_id).length;
  if (hosts.length < MAX_IN_FLIGHT_PER_PROCESS / 2) return ofHost < MAX_IN_FLIGHT_PER_HOST;
  return hosts.length < MAX_IN_FLIGHT_PER_PROCESS && is_first === 1 && ofHost === 0;
}

const NEVER = new AbortController().signal;

/** Polls one calendar now, due or not; a poll under way is waited for. */
export async function sync(ctx: Context, actor: Actor, id: string): Promise<PollResult> {
  for (;;) {
    const key = await ctx.db.get(sql.selectKey, [id]);
    if (key === undefined) throw noSuchCalendar(id);
    const leased = await lease(ctx, sql.leaseOne, key, actor);
    if (leased !== undefined) return poll(ctx, leased, 'manual', NEVER);
    await delay(RETRY_LEASE_MS);
  }
}

export function noSuchCalendar(id: string): OperatorError {
  return new OperatorError(`there is no calendar ${id}`);
}

async function lease(
  ctx: Context,
  statement: typeof sql.leaseDue,
  calendar: sql.Key,
  asked?: Actor,
): Promise<sql.LeasedRow | undefined> {
  const token = randomUUID();
  return ctx.db.transaction(async (tx) => {
    const now = ctx.clock.now();
    const taken = await tx.run(statement, [token, now + LEASE_MS, now, ...sql.keyOf(calendar)]);
    if (taken === 0) return undefined;
    const leased = await tx.get(sql.selectLeased, [...sql.keyOf(calendar), token]);
    if (asked !== undefined && leased !== undefined) {
      const { host_id: hostId, environment, id: subject } = leased;
      await audit.record(tx, now, asked, { action: 'calendar.synced', hostId, environment, subject });
    }
    return leased;
  });
}

/** An error is logged and ends this poll only. The calendar's lease runs out by itself. */
async function pollQuietly(ctx: Context, key: sql.Key, stopping: AbortSignal): Promise<void> {
  try {
    const leased = await lease(ctx, sql.leaseDue, key);
    if (leased !== undefined) await poll(ctx, leased, 'scheduled', stopping);
    // Another process has it, or somebody changes its row.
    else await delay(RETRY_LEASE_MS);
  } catch (error) {
    logTrouble(ctx.log, error, { calendar_id: key.id }, 'a calendar could not be polled');
  }
}

async function poll(
  ctx: Context,
  calendar: sql.LeasedRow,
  manner: Manner,
  stopping: AbortSignal,
): Promise<PollResult> {
  const url = openUrl(ctx.secrets, calendar);
  if (url === undefined) {
    await release(ctx, calendar);
    throw new OperatorError(
      `the URL of calendar ${calendar.id} is encrypted with a key that this process does not have; set SECRET_KEY to that key`,
    );
  }
  const fetched = await fetchCalendar(ctx.guard, url, knownMarks(ctx, calendar, manner), stopping);
  const found = fetched.kind === 'content' ? await readFetched(ctx, calendar, fetched, stopping) : fetched;
  return stopping.aborted ? release(ctx, calendar) : savePoll(ctx, calendar, manner, found);
}

async function readFetched(
  ctx: Context,
  { space_id: spaceId, timezone }: sql.LeasedRow,
  { bytes, marks }: Extract<Fetched, { kind: 'content' }>,
  stopping: AbortSignal,
): Promise<Found> {
  const read = await readCalendar(bytes, { spaceId, timezone, now: ctx.clock.now() }, stopping);
  if ('parsed' in read) return { kind: 'read', marks, parsed: read.parsed };
  return { kind: 'failed', error: read.refused, retryAfterMs: 0 };
}

/**
 * The marks with which the other side may answer "unchanged". None on a new day: the window has moved, and an unchanged
 * calendar has new hours in it. And none when the operator asks, who wants to see it read.
 */
function knownMarks(ctx: Context, calendar: sql.LeasedRow, manner: Manner): Marks {
  const isImportedToday = calendar.imported_on === localDate(calendar.timezone, ctx.clock.now());
  if (manner === 'manual' || !isImportedToday) return { etag: null, lastModified: null };
  return { etag: calendar.etag, lastModified: calendar.last_modified };
}

async function release(ctx: Context, calendar: sql.LeasedRow): Promise<PollResult> {
  await ctx.db.transaction((tx) => tx.run(sql.releaseLease, [...sql.keyOf(calendar), calendar.lease_token]));
  return { result: 'abandoned' };
}
