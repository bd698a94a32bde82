import { byClock } from '../audit/audit.ts';
import type { Context } from '../context.ts';
import type { Tx } from '../db/database.ts';
import { hoursIn, type ExternalChange } from '../hours/hours.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../time/units.ts';
import type { Fetched, Marks } from './fetch.ts';
import { importHours, lockCalendars } from './import.ts';
import type { Parsed } from './parse/parse.ts';
import * as sql from './sql.ts';

/** By the clock, or because the operator asked. */
export type Manner = 'scheduled' | 'manual';

export type PollResult =
  | {
      readonly result: 'imported';
      readonly busy: number;
      readonly added: number;
      readonly freed: number;
      readonly overlaps: ExternalChange['overlapped'];
      readonly warning: string | null;
    }
  | { readonly result: 'unchanged' }
  /** The calendar was suddenly empty: its hours stay for now. */
  | { readonly result: 'kept'; readonly warning: string }
  | { readonly result: 'failed'; readonly error: string }
  /** Somebody else has it now, or it was removed, or the service stops: nothing was changed. */
  | { readonly result: 'abandoned' };

const BY_CLOCK = byClock('poll-calendars');
const MAX_BACK_OFF_MS = 6 * HOUR_MS;
const MAX_RETRY_AFTER_MS = DAY_MS;
/** A calendar that had hours and has no events now is believed after so many scheduled polls over so long. */
const EMPTY_POLLS = 3;
const EMPTY_MS = HOUR_MS;

/** What a poll brought. */
export type Found =
  | Exclude<Fetched, { kind: 'content' }>
  | { readonly kind: 'read'; readonly marks: Marks; readonly parsed: Parsed };

/** What is remembered of the poll, and, if it brought a calendar, its hours and their events, in one transaction. */
export async function savePoll(
  ctx: Context,
  calendar: sql.LeasedRow,
  manner: Manner,
  found: Found,
): Promise<PollResult> {
  const done = await ctx.db.transaction(async (tx): Promise<PollResult> => {
    const now = ctx.clock.now();
    await lockCalendars(tx, calendar.space_id);
    const verdict = await judge(ctx, tx, now, calendar, manner, found);
    const next_poll_at = now + intervalMs(ctx);
    const state = { ...calendar, last_polled_at: now, next_poll_at, ...verdict.changes };
    const lease = [...sql.keyOf(calendar), calendar.lease_token];
    const isHeld = (await tx.run(sql.finishPoll, [...lease, ...sql.stateValues(state)])) > 0;
    if (!isHeld) return { result: 'abandoned' };
    return 'result' in verdict ? verdict.result : importParsed(tx, now, calendar, verdict.parsed);
  });
  log(ctx, calendar, done);
  return done;
}

/** What a poll changes of the calendar's row; and its result, or the hours that are to be imported. */
type Verdict = { changes: Partial<sql.PollState> } & ({ result: PollResult } | { parsed: Parsed });

async function judge(
  ctx: Context,
  tx: Tx,
  now: number,
  calendar: sql.LeasedRow,
  manner: Manner,
  found: Found,
): Promise<Verdict> {
  const isScheduled = manner === 'scheduled';
  if (found.kind === 'failed') {
    // An operator who tries again and again does not push the next scheduled poll away.
    const failures = isScheduled ? calendar.failures + 1 : Math.max(1, calendar.failures);
    const wait = Math.max(backOffMs(ctx, failures), Math.min(found.retryAfterMs, MAX_RETRY_AFTER_MS));
    const { error } = found;
    const changes = { last_error: error, failures, next_poll_at: now + wait };
    return { changes, result: { result: 'failed', error } };
  }
  const good = { failures: 0, empty_polls: 0, empty_since: null, last_success_at: now };
  if (found.kind === 'unchanged')
    return { changes: { ...good, last_error: null }, result: { result: 'unchanged' } };
  const { marks, parsed } = found;
  const hours = [...sql.keyOf(calendar), parsed.today];
  if (parsed.isEmpty && (await tx.get(sql.selectHasHours, hours)) !== undefined) {
    // Only scheduled polls count: asking ten times in a minute proves nothing.
    const empty_polls = calendar.empty_polls + (isScheduled ? 1 : 0);
    const empty_since = calendar.empty_since ?? (isScheduled ? now : null);
    const isBelieved = isScheduled && empty_polls >= EMPTY_POLLS && now - empty_since! >= EMPTY_MS;
    const warning = 'the calendar is suddenly empty; its hours stay until further polls agree';
    const changes = { empty_polls, empty_since, ...NO_MARKS, failures: 0, last_error: warning };
    if (!isBelieved) return { changes, result: { result: 'kept', warning } };
  }
  const warning = warningOf(parsed);
  // Without marks the next poll reads it all again, and says again what is wrong.
  const kept = warning === null ? { etag: marks.etag, last_modified: marks.lastModified } : NO_MARKS;
  return { changes: { ...good, ...kept, imported_on: parsed.today, last_error: warning }, parsed };
}

const NO_MARKS = { etag: null, last_modified: null };

async function importParsed(
  tx: Tx,
  now: number,
  calendar: sql.LeasedRow,
  parsed: Parsed,
): Promise<PollResult> {
  const { range, days } = parsed;
  const change = await importHours(tx, now, BY_CLOCK, calendar, range, days, hidesHours(parsed));
  const { added, freed, overlapped: overlaps } = change;
  const busy = [...days.values()].reduce((sum, mask) => sum + hoursIn(mask).length, 0);
  return { result: 'imported', busy, added, freed, overlaps, warning: warningOf(parsed) };
}

function intervalMs(ctx: Context): number {
  return ctx.config.calendarPollMinutes * MINUTE_MS;
}

/** The usual interval after the first failure, then twice as long each time. */
function backOffMs(ctx: Context, failures: number): number {
  const interval = intervalMs(ctx);
  return Math.max(interval, Math.min(interval * 2 ** (failures - 1), MAX_BACK_OFF_MS));
}

/** Trouble is logged when it starts or changes, and once more when it is over, not at every poll. */
function log(ctx: Context, calendar: sql.LeasedRow, done: PollResult): void {
  if (done.result === 'abandoned') return;
  // The name of the server only: the rest of the address is often a secret.
  const server = URL.parse(calendar.url)?.host ?? '';
  const who = { calendar_id: calendar.id, space_id: calendar.space_id, server };
  const error = errorOf(done);
  if (error !== calendar.last_error) {
    // A warning of events that were imported names them.
    const message = done.result === 'imported' ? 'not everything in it can be understood' : error;
    if (error === null) ctx.log.info(who, 'calendar is fine again');
    else ctx.log.warn({ ...who, error: { type: 'calendar_problem', message } }, 'calendar has a problem');
  }
  if (done.result !== 'imported') return;
  const { added, freed, overlaps } = done;
  if (added + freed > 0) ctx.log.info({ ...who, added, freed }, 'calendar imported');
  for (const overlap of overlaps) {
    ctx.log.warn({ ...who, ...overlap }, 'a booking stands where a calendar says busy; it stays');
  }
}

function errorOf(done: Exclude<PollResult, { result: 'abandoned' }>): string | null {
  if (done.result === 'failed') return done.error;
  return done.result === 'unchanged' ? null : done.warning;
}

const MAX_EVENTS_NAMED = 5;

/** For the operator: what is wrong in a calendar that was imported all the same; null when nothing is. */
function warningOf(parsed: Parsed): string | null {
  const { problems } = parsed;
  if (problems.length === 0) return null;
  const named = [...new Set(problems.map(({ uid, line }) => `${line} of ${printable(uid)}`))];
  const more = named.length - MAX_EVENTS_NAMED;
  return [
    `not everything in it can be understood: ${named.slice(0, MAX_EVENTS_NAMED).join(', ')}`,
    ...(more > 0 ? [` and ${more} more`] : []),
    ...(hidesHours(parsed) ? ['; meanwhile no hour is freed'] : []),
  ].join('');
}

/** A UID may be anything, and is read on a terminal. */
function printable(uid: string): string {
  const text = uid.replace(/[^\x21-\x7E]+/g, '?');
  if (text === '') return 'an event without UID';
  return text.length > 80 ? `${text.slice(0, 80)}…` : text;
}

/** While hours may be missing, none is taken for free. */
function hidesHours({ problems }: Parsed): boolean {
  return problems.some(({ hides }) => hides);
}
