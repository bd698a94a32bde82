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
    const polled = { ...calendar, last_polled_at: now, next_poll_at: now + intervalMs(ctx) };
    if (!(await finish(tx, calendar, { ...polled, ...verdict.changes }))) return { result: 'abandoned' };
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
  if (found.kind === 'failed') {
    // An operator who tries again and again does not push the next scheduled poll away.
    const failures = manner === 'manual' ? Math.max(1, calendar.failures) : calendar.failures + 1;
    const wait = Math.max(backOffMs(ctx, failures), Math.min(found.retryAfterMs, MAX_RETRY_AFTER_MS));
    const { error } = found;
    const changes = { last_error: error, failures, next_poll_at: now + wait };
    return { changes, result: { result: 'failed', error } };
  }
  const good = { failures: 0, empty_polls: 0, empty_since: null, last_success_at: now };
  if (found.kind === 'unchanged')
    return { changes: { ...good, last_error: null }, result: { result: 'unchanged' } };
  const { marks, parsed } = found;
  if (parsed.events === 0 && (await hasHours(tx, calendar, parsed.today))) {
    const empty = countEmpty(calendar, manner, now);
    const isBelieved =
      manner === 'scheduled' && empty.empty_polls >= EMPTY_POLLS && now - empty.empty_since! >= EMPTY_MS;
    const warning = 'the calendar is suddenly empty; its hours stay until further polls agree';
    const changes = { ...empty, ...NO_MARKS, failures: 0, last_error: warning };
    if (!isBelieved) return { changes, result: { result: 'kept', warning } };
  }
  const warning = warningOf(parsed);
  // Without marks the next poll reads it all again, and says again what is wrong.
  const kept = warning === null ? { etag: marks.etag, last_modified: marks.lastModified } : NO_MARKS;
  return { changes: { ...good, ...kept, imported_on: parsed.today, last_error: warning }, parsed };
}

const NO_MARKS = { etag: null, last_modified: null };

/** Only scheduled polls count: asking ten times in a minute proves nothing. */
function countEmpty({ empty_polls, empty_since }: sql.LeasedRow, manner: Manner, now: number) {
  return manner === 'manual'
    ? { empty_polls, empty_since }
    : { empty_polls: empty_polls + 1, empty_since: empty_since ?? now };
}

async function importParsed(
  tx: Tx,
  now: number,
  calendar: sql.LeasedRow,
  parsed: Parsed,
): Promise<PollResult> {
  const {
    added,
    freed,
    overlapped: overlaps,
  } = await importHours(tx, now, BY_CLOCK, calendar, parsed.range, parsed.days, hidesHours(parsed));
  const busy = [...parsed.days.values()].reduce((sum, mask) => sum + hoursIn(mask).length, 0);
  return { result: 'imported', busy, added, freed, overlaps, warning: warningOf(parsed) };
}

async function hasHours(tx: Tx, calendar: sql.LeasedRow, from: string): Promise<boolean> {
  return (await tx.get(sql.selectHasHours, [...sql.keyOf(calendar), from])) !== undefined;
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

function log(ctx: Context, calendar: sql.LeasedRow, done: PollResult): void {
  if (done.result === 'failed') logNews(ctx, calendar, done.error);
  if (done.result === 'unchanged') logNews(ctx, calendar, null);
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
