import { createHash } from 'node:crypto';
import * as blocks from '../blocks/blocks.ts';
import { BoundedMap } from '../bounded-map.ts';
import type { Context } from '../context.ts';
import { inPages, inSlices, longReads } from '../db/long-reads.ts';
import { invalidToken, rateLimitExceeded } from '../errors.ts';
import { strongTag, type Tagged } from '../http/etag.ts';
import { NO_ID, parseId } from '../ids/uuid.ts';
import { MemoryWindows } from '../rate-limit/memory.ts';
import * as spaces from '../spaces/spaces.ts';
import { LAST_INSTANT } from '../time/clock.ts';
import { addDays } from '../time/dates.ts';
import { isSkipped, localDay } from '../time/local-day.ts';
import { localDate } from '../time/zones.ts';
import { beginning, END, writeEntry, type Entry } from './render.ts';
import { Sharing } from './sharing.ts';
import * as sql from './sql.ts';

/** Requests for one feed in any 60 seconds. Calendar programs ask a few times an hour. */
const FEED_LIMIT = 60;
const DAYS_BACK = 30;
/** Cutting their hours out of the space's local day takes about a millisecond. */
const RUNS_PER_SLICE = 20;

const windows = new MemoryWindows();
const readings = new Sharing<Tagged>();
/** Texts that were sent lately, as long as somebody is still downloading them. */
const texts = new BoundedMap<string, { etag: string; bytes: WeakRef<Buffer> }>(1000);

/** The space whose calendar the token opens. Every other request gets the same refusal. */
export async function open(ctx: Context, spaceId: string, token: string): Promise<spaces.FeedSpace> {
  const space = await spaces.findByIcalToken(ctx.db, parseId(spaceId) ?? NO_ID, parseId(token) ?? '');
  if (space === undefined) throw invalidToken();
  const { at, rate } = windows.admit(space.id, FEED_LIMIT, ctx.clock.now());
  if (!rate.admitted) throw rateLimitExceeded(FEED_LIMIT, Math.ceil((rate.resetsAt - at) / 1000));
  return space;
}

/** The space's calendar. All who ask for it at the same time share one reading, and all who download it one text. */
export function read(ctx: Context, space: spaces.FeedSpace, signal: AbortSignal): Promise<Tagged> {
  return readings.join(space.id, signal, async (allGone) => {
    const feed = await readAll(ctx, space, allGone);
    const known = texts.get(space.id);
    const bytes = known?.etag === feed.etag ? known.bytes.deref() : undefined;
    if (bytes !== undefined) return { ...feed, bytes };
    texts.set(space.id, { etag: feed.etag, bytes: new WeakRef(feed.bytes) });
    return feed;
  });
}

/** A calendar may have thousands of entries: it is read and written in parts. */
async function readAll(ctx: Context, space: spaces.FeedSpace, signal: AbortSignal): Promise<Tagged> {
  const longRead = longReads.begin(space.hostId, signal);
  const from = addDays(localDate(space.timezone, ctx.clock.now()), -DAYS_BACK);
  const runs = await blocks.standing(ctx.db, longRead, space, from);
  const made = await inSlices(longRead, runs, RUNS_PER_SLICE, (some) =>
    some.flatMap((run) => blockedEntry(space.timezone, run)),
  );
  let blocked = made.flat();
  const hash = createHash('sha256');
  const parts: Buffer[] = [];
  const write = (text: string): void => {
    const bytes = Buffer.from(text);
    hash.update(bytes);
    parts.push(bytes);
  };
  write(beginning(space.title));
  const pages = inPages<sql.BookedRow>(longRead, sql.PAGE_ROWS, async (last) => {
    const after = last === undefined ? [from, -1, NO_ID] : [last.date, last.start_hour, last.id];
    const page = await ctx.db.all(sql.selectBooked, [space.hostId, space.id, ...after]);
    const end = page.length < sql.PAGE_ROWS ? Infinity : page.at(-1)!.starts_at;
    const entries = [...page.map(bookedEntry), ...blocked.filter((entry) => entry.startsAt <= end)];
    blocked = blocked.filter((entry) => entry.startsAt > end);
    entries.sort((a, b) => a.startsAt - b.startsAt);
    // iCalendar writes years with four digits.
    const shown = entries.filter((entry) => entry.endsAt <= LAST_INSTANT);
    write(shown.map((entry) => writeEntry(space.id, entry)).join(''));
    return page;
  });
  for await (const _ of pages);
  write(END);
  return { bytes: Buffer.concat(parts), etag: strongTag(hash) };
}

/** The hours of a booking never change, so its entry never does: it is there, or gone when cancelled. */
function bookedEntry({ id, starts_at, ends_at, created_at }: sql.BookedRow): Entry {
  return {
    id,
    summary: 'Booked',
    startsAt: starts_at,
    endsAt: ends_at,
    revision: 0,
    changedAt: created_at,
  };
}

/** No entry where all of its hours are skipped by daylight saving. */
function blockedEntry(timezone: string, { id, hours, revision, changedAt }: blocks.Run): Entry[] {
  const exists = ({ date, hour }: { date: string; hour: number }) =>
    !isSkipped(localDay(timezone, date), hour);
  const first = hours.find(exists);
  const last = hours.findLast(exists);
  if (first === undefined || last === undefined) return [];
  const startsAt = localDay(timezone, first.date).startsAt[first.hour]!;
  const endsAt = localDay(timezone, last.date).endsAt[last.hour]!;
  return [{ id, summary: 'Blocked', startsAt, endsAt, revision, changedAt }];
}
