import { byClock } from '../audit/audit.ts';
import type { Context } from '../context.ts';
import type { Tx } from '../db/database.ts';
import { hoursIn } from '../hours/hours.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../time/units.ts';
import type { Marks } from './fetch.ts';
import { importHours } from './import.ts';
import type { Parsed } from './parse/parse.ts';
import * as sql from './sql.ts';
import { hidesHours, warningOf } from './warning.ts';

/** By the clock, or because the operator asked. */
export type Manner = 'scheduled' | 'manual';

/** A booking that stands where the calendar says busy. */
interface Overlap {
  readonly booking_id: string;
  readonly date: string;
  readonly hours: readonly number[];
}

export type PollResult =
  | {
      readonly result: 'imported';
      readonly busy: number;
      readonly added: number;
      readonly freed: number;
      readonly overlaps: readonly Overlap[];
      readonly warning: string | null;
    }
  | { readonly result: 'unchanged' }
  /** The calendar was suddenly empty: its hours stay for now. */
  | { readonly result: 'kept'; readonly warning: string }
  | { readonly result: 'failed'; readonly error: string }
  /** Somebody else has it now, or it was removed, or the service stops: nothing was changed. */
  | { readonly result: 'abandoned' };

const BY_CLOCK = byClock('poll-calendars');
const ABANDONED: PollResult = { result: 'abandoned' };
const MAX_BACK_OFF_MS = 6 * HOUR_MS;
const MAX_RETRY_AFTER_MS = DAY_MS;
/** A calendar that had hours and has no events now is believed after so many scheduled polls over so long. */
const EMPTY_POLLS = 3;
const EMPTY_MS = HOUR_MS;

/** The calendar's hours stay as they are; the next poll comes later each time. */
export async function saveFailure(
  ctx: Context,
  calendar: sql.LeasedRow,
  manner: Manner,
  error: string,
  retryAfterMs = 0,
): Promise<PollResult> {
  const now = ctx.clock.now();
  // An operator who tries again and again does not push the next scheduled poll away.
  const failures = manner === 'manual' ? Math.max(1, calendar.failures) : calendar.failures + 1;
  const wait = Math.max(backOffMs(ctx, failures), Math.min(retryAfterMs, MAX_RETRY_AFTER_MS));
  const state = { ...nextState(ctx, calendar, now), last_error: error, failures, next_poll_at: now + wait };
  const saved = await ctx.db.transaction((tx) => finish(tx, calendar, state));
  if (!saved) return ABANDONED;
  logNews(ctx, calendar, error);
  return { result: 'failed', error };
}

export async function saveUnchanged(ctx: Context, calendar: sql.LeasedRow): Promise<PollResult> {
  const now = ctx.clock.now();
  const state = { ...nextState(ctx, calendar, now), ...GOOD, last_success_at: now };
  const saved = await ctx.db.transaction((tx) => finish(tx, calendar, state));
  if (!saved) return ABANDONED;
  logNews(ctx, calendar, null);
  return { result: 'unchanged' };
}

/** The hours, what is remembered of the poll, and the events, in one transaction. */
export async function saveImport(
  ctx: Context,
  calendar: sql.LeasedRow,
  manner: Manner,
  marks: Marks,
  parsed: Parsed,
): Promise<PollResult> {
  const done = await ctx.db.transaction(async (tx): Promise<PollResult> => {
    const now = ctx.clock.now();
    if (parsed.events === 0 && (await hasHours(tx, calendar, parsed.today))) {
      const empty = countEmpty(calendar, manner, now);
      if (!empty.believed) return keep(ctx, tx, now, calendar, empty);
    }
    const warning = warningOf(parsed);
    const state = {
      ...nextState(ctx, calendar, now),
      ...GOOD,
      // Without marks the next poll reads it all again, and says again what is wrong.
      etag: warning === null ? marks.etag : null,
      last_modified: warning === null ? marks.lastModified : null,
      imported_on: parsed.today,
      last_success_at: now,
      last_error: warning,
    };
    if (!(await finish(tx, calendar, state))) return ABANDONED;
    const change = await importHours(
      tx,
      now,
      BY_CLOCK,
      calendar,
      parsed.range,
      parsed.days,
      hidesHours(parsed),
    );
    const overlaps = change.overlapped.map(({ bookingId, ...where }) => ({
      booking_id: bookingId,
      ...where,
    }));
    const { added, freed } = change;
    return { result: 'imported', busy: busyHours(parsed), added, freed, overlaps, warning };
  });
  logImport(ctx, calendar, done);
  return done;
}

const GOOD = { last_error: null, failures: 0, empty_polls: 0, empty_since: null };

interface Emptiness {
  readonly empty_polls: number;
  readonly empty_since: number | null;
  readonly believed: boolean;
}

/** Only scheduled polls count: asking ten times in a minute proves nothing. */
function countEmpty(calendar: sql.LeasedRow, manner: Manner, now: number): Emptiness {
  const { empty_polls, empty_since } = calendar;
  if (manner === 'manual') return { empty_polls, empty_since, believed: false };
  const polls = empty_polls + 1;
  const since = empty_since ?? now;
  return {
    empty_polls: polls,
    empty_since: since,
    believed: polls >= EMPTY_POLLS && now - since >= EMPTY_MS,
  };
}

async function keep(
  ctx: Context,
  tx: Tx,
  now: number,
  calendar: sql.LeasedRow,
  { empty_polls, empty_since }: Emptiness,
): Promise<PollResult> {
  const warning = 'the calendar is suddenly empty; its hours stay until further polls agree';
  const state = {
    ...nextState(ctx, calendar, now),
    etag: null,
    last_modified: null,
    last_error: warning,
    failures: 0,
    empty_polls,
    empty_since,
  };
  return (await finish(tx, calendar, state)) ? { result: 'kept', warning } : ABANDONED;
}

function busyHours({ days }: Parsed): number {
  return [...days.values()].reduce((sum, mask) => sum + hoursIn(mask).length, 0);
}

async function hasHours(tx: Tx, calendar: sql.LeasedRow, from: string): Promise<boolean> {
  return (await tx.get(sql.selectHasHours, [...sql.keyOf(calendar), from])) !== undefined;
}

/** All as it was, but polled. */
function nextState(ctx: Context, calendar: sql.LeasedRow, now: number): sql.PollState {
  return { ...calendar, last_polled_at: now, next_poll_at: now + intervalMs(ctx) };
}

/** False when the lease is lost. */
async function finish(tx: Tx, calendar: sql.LeasedRow, state: sql.PollState): Promise<boolean> {
  const lease = [...sql.keyOf(calendar), calendar.lease_token];
  const changed = await tx.run(sql.finishPoll, [...lease, ...sql.stateValues(state)]);
  return changed > 0;
}

function intervalMs(ctx: Context): number {
  return ctx.config.calendarPollMinutes * MINUTE_MS;
}

/** The usual interval after the first failure, then twice as long each time. */
function backOffMs(ctx: Context, failures: number): number {
  const interval = intervalMs(ctx);
  return Math.max(interval, Math.min(interval * 2 ** Math.min(failures - 1, 20), MAX_BACK_OFF_MS));
}

function logImport(ctx: Context, calendar: sql.LeasedRow, done: PollResult): void {
  if (done.result === 'kept') logNews(ctx, calendar, done.warning);
  if (done.result !== 'imported') return;
  logNews(ctx, calendar, done.warning, 'not everything in it can be understood');
  const { added, freed } = done;
  if (added + freed > 0) ctx.log.info({ ...who(calendar), added, freed }, 'calendar imported');
  for (const overlap of done.overlaps) {
    ctx.log.warn({ ...who(calendar), ...overlap }, 'a booking stands where a calendar says busy; it stays');
  }
}

/** Trouble is logged when it starts or changes, and once more when it is over, not at every poll. */
function logNews(ctx: Context, calendar: sql.LeasedRow, error: string | null, told = error): void {
  if (error === calendar.last_error) return;
  if (error === null) ctx.log.info(who(calendar), 'calendar is fine again');
  else {
    const problem = { type: 'calendar_problem', message: told };
    ctx.log.warn({ ...who(calendar), error: problem }, 'calendar has a problem');
  }
}

/** The name of the server only: the rest of the address is often a secret. */
function who(calendar: sql.LeasedRow): Record<string, string> {
  const server = URL.parse(calendar.url)?.host ?? '';
  return { calendar_id: calendar.id, space_id: calendar.space_id, server };
}
