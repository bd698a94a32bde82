import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Context } from '../context.ts';
import { OperatorError } from '../errors.ts';
import { logTrouble } from '../log.ts';
import { localDate } from '../time/zones.ts';
import { fetchCalendar, type Marks } from './fetch.ts';
import { readCalendar } from './read.ts';
import { recordFailure, recordImport, recordUnchanged, type Manner, type PollResult } from './record.ts';
import * as sql from './sql.ts';

/** Longer than a poll can take: 20 s to fetch, then as many turns of 10 s to read as there are polls at once. */
const LEASE_MS = 120_000;
/** How many calendars one process polls at the same time. */
const AT_ONCE = 4;
const LOOK_AGAIN_MS = 200;

/**
 * Polls everything that is due, a few at a time: a server that does not answer holds up one place of them, not
 * the others. Two processes never poll the same calendar, since each leases what it polls.
 */
export async function pollDue(ctx: Context, stopping = NEVER): Promise<boolean> {
  const running = new Set<Promise<void>>();
  try {
    for (;;) {
      const due = stopping.aborted ? [] : await lease(ctx, sql.leaseDue, AT_ONCE - running.size);
      for (const calendar of due) {
        const one = pollQuietly(ctx, calendar, stopping).then(() => {
          running.delete(one);
        });
        running.add(one);
      }
      if (running.size === 0) return false;
      await Promise.race(running);
    }
  } finally {
    await Promise.all(running);
  }
}

const NEVER = new AbortController().signal;

/** Polls one calendar now, due or not; a poll under way is waited for. */
export async function sync(ctx: Context, id: string): Promise<PollResult> {
  for (;;) {
    const leased = await lease(ctx, sql.leaseOne, id);
    if (leased[0] !== undefined) return poll(ctx, leased[0], 'manual', NEVER);
    if ((await ctx.db.get(sql.selectCalendarId, [id])) === undefined) throw noSuchCalendar(id);
    await delay(LOOK_AGAIN_MS);
  }
}

export function noSuchCalendar(id: string): OperatorError {
  return new OperatorError(`there is no calendar ${id}`);
}

async function lease(
  ctx: Context,
  statement: typeof sql.leaseDue,
  which: string | number,
): Promise<sql.LeasedRow[]> {
  const token = randomUUID();
  return ctx.db.transaction(async (tx) => {
    const now = ctx.clock.now();
    const leased = await tx.run(statement, [token, now + LEASE_MS, now, which]);
    return leased === 0 ? [] : tx.all(sql.selectLeased, [token]);
  });
}

/** One calendar's trouble is not the others': it is told, and the lease runs out by itself. */
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
    return recordFailure(ctx, calendar, manner, fetched.error, fetched.retryAfterMs);
  }
  if (fetched.kind === 'unchanged') return recordUnchanged(ctx, calendar);
  const { space_id: spaceId, timezone } = calendar;
  const read = await readCalendar(fetched.bytes, { spaceId, timezone, now: ctx.clock.now() }, stopping);
  if (stopping.aborted) return release(ctx, calendar);
  if ('refused' in read) return recordFailure(ctx, calendar, manner, read.refused);
  return recordImport(ctx, calendar, manner, fetched.marks, read.parsed);
}

/**
 * What lets the other side answer "unchanged". Not on a new day, when the window has moved and an unchanged
 * calendar has new hours in it; and not when the operator asks, who wants to see it done.
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
