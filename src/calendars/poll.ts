import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import * as audit from '../audit/audit.ts';
import type { Context } from '../context.ts';
import { OperatorError } from '../errors.ts';
import { shuffled } from '../shuffled.ts';
import { logTrouble } from '../log.ts';
import { localDate } from '../time/zones.ts';
import { fetchCalendar, type Marks } from './fetch.ts';
import { readCalendar } from './read.ts';
import { saveFailure, saveImport, saveUnchanged, type Manner, type PollResult } from './save-poll.ts';
import * as sql from './sql.ts';

/** Longer than a poll can take: 20 s to fetch, then as many turns of 10 s to read as there are polls at once. */
const LEASE_MS = 120_000;
/** How many calendars one process polls at the same time. */
const AT_ONCE = 4;
const LOOK_AGAIN_MS = 200;
/** How many that are due one look finds. Keys are cheap to read, and what is polled meanwhile by others is passed over. */
const LOOK_AT_ONCE = 100;

/**
 * Polls everything that is due, a few at a time: a server that does not answer holds up one place of them, not
 * the others. Two processes never poll the same calendar, since each leases what it polls.
 */
export async function pollDue(ctx: Context, stopping = NEVER): Promise<boolean> {
  const due = new Due(ctx);
  const place = async (): Promise<void> => {
    while (!stopping.aborted) {
      const calendar = await due.next();
      if (calendar === undefined) return;
      await pollQuietly(ctx, calendar, stopping);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, place));
  return false;
}

/** Leases what is due, one after the other, for as long as there is something. */
class Due {
  readonly #ctx: Context;
  #keys: sql.Key[] = [];
  #looking: Promise<void> | undefined;
  /** Calendars that another process leased first. */
  readonly #lost = new Set<string>();

  constructor(ctx: Context) {
    this.#ctx = ctx;
  }

  async next(): Promise<sql.LeasedRow | undefined> {
    for (;;) {
      if (this.#keys.length === 0) await (this.#looking ??= this.#look());
      const key = this.#keys.pop();
      if (key === undefined) return undefined;
      const leased = await lease(this.#ctx, sql.leaseDue, key);
      if (leased !== undefined) return leased;
      this.#lost.add(key.id);
    }
  }

  async #look(): Promise<void> {
    const due = await this.#ctx.db.all(sql.selectDue, [this.#ctx.clock.now(), LOOK_AT_ONCE]);
    this.#keys = shuffled(due.filter(({ id }) => !this.#lost.has(id)));
    this.#looking = undefined;
  }
}

const NEVER = new AbortController().signal;

/** Polls one calendar now, due or not; a poll under way is waited for. */
export async function sync(ctx: Context, actor: audit.Actor, id: string): Promise<PollResult> {
  for (;;) {
    const key = await ctx.db.get(sql.selectKey, [id]);
    if (key === undefined) throw noSuchCalendar(id);
    const leased = await lease(ctx, sql.leaseOne, key, actor);
    if (leased !== undefined) return poll(ctx, leased, 'manual', NEVER);
    await delay(LOOK_AGAIN_MS);
  }
}

export function noSuchCalendar(id: string): OperatorError {
  return new OperatorError(`there is no calendar ${id}`);
}

async function lease(
  ctx: Context,
  statement: typeof sql.leaseDue,
  calendar: sql.Key,
  asked?: audit.Actor,
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
async function pollQuietly(ctx: Context, calendar: sql.LeasedRow, stopping: AbortSignal): Promise<void> {
  try {
    await poll(ctx, calendar, 'scheduled', stopping);
  } catch (error) {
    logTrouble(ctx.log, error, { calendar_id: calendar.id }, 'a calendar could not be polled');
  }
}

async function poll(
  ctx: Context,
  calendar: sql.LeasedRow,
  manner: Manner,
  stopping: AbortSignal,
): Promise<PollResult> {
  const fetched = await fetchCalendar(ctx.guard, calendar.url, knownMarks(ctx, calendar, manner), stopping);
  if (stopping.aborted) return release(ctx, calendar);
  if (fetched.kind === 'failed') {
    return saveFailure(ctx, calendar, manner, fetched.error, fetched.retryAfterMs);
  }
  if (fetched.kind === 'unchanged') return saveUnchanged(ctx, calendar);
  const { space_id: spaceId, timezone } = calendar;
  const read = await readCalendar(fetched.bytes, { spaceId, timezone, now: ctx.clock.now() }, stopping);
  if (stopping.aborted) return release(ctx, calendar);
  if ('refused' in read) return saveFailure(ctx, calendar, manner, read.refused);
  return saveImport(ctx, calendar, manner, fetched.marks, read.parsed);
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
