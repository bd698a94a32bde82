import { hash } from 'node:crypto';
import type { Caller } from '../caller.ts';
import type { Context } from '../context.ts';
import type { Asked, SqlValue } from '../db/database.ts';
import { inPages, inSlices, type LongRead } from '../db/long-reads.ts';
import { invalid } from '../errors.ts';
import { NO_ID, parseId } from '../ids/uuid.ts';
import { CLOCKS_DIFFER_MS, toTimestamp } from '../time/clock.ts';
import { FIRST_DATE, isCalendarDate, LAST_DATE } from '../time/dates.ts';
import { localDate } from '../time/zones.ts';
import { noSuchBooking } from './cancel.ts';
import type { Booking, SeenRow } from './fields.ts';
import { fold, isGuest } from './guest.ts';
import type { BookingFilter, BookingPage } from './schemas.ts';
import * as sql from './sql.ts';
import { shown } from './shown.ts';

/** Rows that one part of a long read reads or passes over: less than a millisecond on SQLite, where nothing else runs meanwhile. */
export const ROWS_PER_PART = 200;
/** Rows that one part compares: 2 ms where all names are 200 letters that stand for 18 others each. */
const COMPARED_PER_PART = 20;

/** A list as its filters make it, from the first page to the last. */
interface Walk {
  /** As cursors are bound to it: its statuses in one order. */
  readonly filter: Omit<BookingFilter, 'status'> & { status: string | undefined };
  readonly order: readonly ('date' | 'start_hour' | 'updated_at' | 'id')[];
  /** What the first page tells all others, in the text of cursors. */
  readonly kept: readonly ('total' | 'synced_to')[];
  readonly list: sql.List;
  /** By the names that the statements of the list use. */
  readonly values: Values;
  /** Of a list that no index has as it is: which of its rows are wanted. */
  readonly isWanted?: IsWanted | undefined;
  start(): Place | Promise<Place>;
}

/** Where a page begins: after a position of the walk's order, with what is kept from the first page. */
type Place = Partial<Record<keyof typeof FORMS, string | number>>;
type Values = Readonly<Record<string, SqlValue>>;
type IsWanted = (row: SeenRow) => boolean;

/** `rows` are the page, and one more if there is one. */
type Found = [rows: readonly SeenRow[], total: number];

export async function get(ctx: Context, caller: Caller, bookingId: string): Promise<Booking> {
  const row = await ctx.db.get(sql.selectBooking, [caller.hostId, caller.environment, bookingId]);
  if (row === undefined) throw noSuchBooking();
  return shown(ctx, caller.environment, row);
}

/** A page of the host's bookings: by date, those of a guest, or what has changed. */
export async function list(
  ctx: Context,
  caller: Caller,
  filter: BookingFilter,
  longRead: LongRead,
): Promise<BookingPage> {
  const { limit, offset, cursor, updated_since } = filter;
  const walk =
    updated_since === undefined
      ? walkByDate(ctx, caller, filter)
      : walkByChange(ctx, caller, filter, instantOf(updated_since));
  const place = cursor === undefined ? await walk.start() : readCursor(cursor, walk);
  const [rows, total] =
    walk.isWanted === undefined
      ? await readPage(ctx, walk, place, longRead)
      : await searchPage(ctx, walk, place, walk.isWanted, longRead);
  const page = rows.slice(0, limit);
  const last = rows.length > limit ? page.at(-1) : undefined;
  const next = last === undefined ? null : writeCursor(walk, { ...place, ...last, total });
  return {
    bookings: page.map((row) => shown(ctx, caller.environment, row)),
    pagination: {
      limit,
      offset,
      total: Math.min(total, sql.COUNTED_EXACTLY),
      total_is_exact: total <= sql.COUNTED_EXACTLY,
      has_more: next !== null,
      next_cursor: next,
      ...(place.synced_to !== undefined && { synced_to: toTimestamp(Number(place.synced_to)) }),
    },
  };
}

/** By date, start hour and id. */
function walkByDate(ctx: Context, { hostId, environment }: Caller, given: BookingFilter): Walk {
  const { from, to, guest, reference = null } = given;
  if (from !== undefined && to !== undefined && from > to) throw invalid('from', 'must not be after to');
  if (guest !== undefined && fold(guest) === '')
    throw invalid('guest', 'must have more than combining marks');
  const dates = datesOf(given, ctx.clock.now());
  const { filter, space, statuses, isOfFilter } = read(given);
  // No index finds letters inside of words. They are compared here, so that both engines compare alike.
  const isNamed = guest === undefined ? () => true : isGuest(guest);
  const isSearched = guest !== undefined || (reference !== null && space !== null);
  return {
    filter,
    order: sql.ORDERS.date.order,
    kept: guest === undefined ? [] : ['total'],
    list: sql.byDate(reference === null ? (space === null ? 'host' : 'space') : 'reference', statuses),
    values: { host: hostId, environment, ...dates, space, reference },
    isWanted: isSearched ? (row) => isOfFilter(row) && isNamed(row) : undefined,
    start: () => ({ date: dates.from, start_hour: -1, id: NO_ID }),
  };
}

/** A filter as cursors are bound to it, and what it says of space and status. */
function read(given: BookingFilter) {
  const space = given.space_id?.toLowerCase() ?? null;
  const statuses = given.status?.split(',').toSorted();
  const isOfFilter: IsWanted = (row) =>
    (space ?? row.space_id) === row.space_id && (statuses?.includes(row.status) ?? true);
  return { filter: { ...given, status: statuses?.join() }, space, statuses, isOfFilter };
}

/** All dates where none are named; a guest is then looked for from a year back on. */
export function datesOf(
  { from, to, guest }: Pick<BookingFilter, 'from' | 'to' | 'guest'>,
  now: number,
): { from: string; to: string } {
  if (guest === undefined || from !== undefined || to !== undefined)
    return { from: from ?? FIRST_DATE, to: to ?? LAST_DATE };
  const today = Temporal.PlainDate.from(localDate('UTC', now));
  return { from: today.subtract({ years: 1 }).toString(), to: LAST_DATE };
}

/**
 * By the time of the last change. `synced_to` is where to begin the next time: no change that this walk does not see will ever have an
 * earlier time, however late it is committed (decision 0016).
 */
function walkByChange(ctx: Context, caller: Caller, given: BookingFilter, since: number): Walk {
  const { filter, space, statuses, isOfFilter } = read(given);
  return {
    // Two spellings of one moment are one walk.
    filter: { ...filter, updated_since: toTimestamp(since) },
    order: sql.ORDERS.change.order,
    kept: ['total', 'synced_to'],
    list: sql.byChange,
    values: { host: caller.hostId, environment: caller.environment, from: since },
    isWanted: space === null && statuses === undefined ? undefined : isOfFilter,
    start: async () => {
      // Asked before anything is read: what is committed later has a later time.
      const settled = await ctx.db.settledBefore(ctx.clock.now());
      return { updated_at: since, id: NO_ID, synced_to: Math.max(0, settled - CLOCKS_DIFFER_MS) };
    },
  };
}

/** The schema has checked the form; a date or an offset that does not exist is found here. */
function instantOf(text: string): number {
  try {
    return Temporal.Instant.from(text).epochMilliseconds;
  } catch {
    throw invalid('updated_since', 'is not a time that exists');
  }
}

/** Of a list that an index has as it is: positions and records come from one statement. Only the first page of a walk is counted. */
async function readPage(
  ctx: Context,
  { list, values, filter: { limit, offset } }: Walk,
  { total, ...first }: Place,
  longRead: LongRead,
): Promise<Found> {
  let after: Values = first;
  let skipped = offset;
  // In steps: on SQLite one statement passed over 150 000 bookings in one to three seconds, and everybody waited.
  for (; skipped >= ROWS_PER_PART; skipped -= ROWS_PER_PART) {
    const skip = asked(list.skip, { ...values, ...after, rows: ROWS_PER_PART });
    const [[last]] = await longRead.part(() => ctx.db.readAlongIndexes([skip]));
    if (last === undefined) break;
    after = { ...last };
  }
  const page = asked(list.page, { ...values, ...after, rows: limit + 1, skipped });
  if (total !== undefined) return [(await ctx.db.readAlongIndexes([page]))[0], Number(total)];
  const [rows, [counted]] = await ctx.db.readAlongIndexes([page, asked(list.count, values)]);
  return [rows, counted!.total];
}

/**
 * Of a list that is searched through: it takes as long as there are rows, and others are served meanwhile. All that are wanted are
 * counted once, on the first page of a walk.
 */
async function searchPage(
  ctx: Context,
  { list, values, filter: { limit, offset } }: Walk,
  { total, ...first }: Place,
  isWanted: IsWanted,
  longRead: LongRead,
): Promise<Found> {
  const rows: SeenRow[] = [];
  let seen = 0;
  const readAfter = async (last: SeenRow | undefined): Promise<SeenRow[]> => {
    const after = { ...values, ...first, ...last, rows: ROWS_PER_PART, skipped: 0 };
    return (await ctx.db.readAlongIndexes([asked(list.page, after)]))[0];
  };
  for await (const page of inPages(longRead, ROWS_PER_PART, readAfter)) {
    const wanted = await inSlices(longRead, page, COMPARED_PER_PART, (slice) => slice.filter(isWanted));
    for (const row of wanted.flat()) if (++seen > offset && rows.length <= limit) rows.push(row);
    if (rows.length > limit && (total !== undefined || seen > sql.COUNTED_EXACTLY)) break;
  }
  return [rows, Number(total ?? seen)];
}

function asked<Row>({ statement, names }: sql.NamedRead<Row>, values: Values): Asked<Row> {
  return [statement, names.map((name) => values[name]!)];
}

const isWholeNumber = (field: string): boolean => /^-?\d{1,15}$/.test(field);
/** The fields of cursors. */
const FORMS = {
  date: isCalendarDate,
  start_hour: (field: string) => /^\d{1,2}$/.test(field),
  updated_at: isWholeNumber,
  id: (field: string) => parseId(field) === field,
  total: isWholeNumber,
  synced_to: isWholeNumber,
};

/**
 * Opaque to callers. Versions that run side by side take each other's, so a list by date has its total behind a "=": there earlier
 * versions stop reading.
 */
function writeCursor({ order, kept, filter }: Walk, next: Place): string {
  const fields = [...order, ...kept].map((name) => next[name]);
  const text = Buffer.from([...fields, markOf(filter)].join(' ')).toString('base64url');
  return kept.includes('total') ? text : `${text}=${next.total}`;
}

/** Refuses a cursor whose fields have not the forms of this list, and one that belongs to other filters. */
function readCursor(cursor: string, { order, kept, filter }: Walk): Place {
  const names = [...order, ...kept];
  const [text = '', total = ''] = cursor.split('=');
  const fields = Buffer.from(text, 'base64url').toString().split(' ');
  const mark = fields.pop();
  if (fields.length !== names.length || !fields.every((field, i) => FORMS[names[i]!](field)))
    throw invalid('cursor', 'is not one that a page of this list has given');
  if (mark !== markOf(filter)) throw invalid('cursor', 'belongs to a list with other filters');
  const place: Place = Object.fromEntries(
    names.map((name, i) => [name, isWholeNumber(fields[i]!) ? Number(fields[i]) : fields[i]]),
  );
  return FORMS.total(total) ? { total: Number(total), ...place } : place;
}

/** Filters that came later count only where they are given, so that cursors from before an upgrade go on. */
function markOf({ space_id, status, from, to, guest, updated_since, reference }: Walk['filter']): string {
  const isOld = guest === undefined && updated_since === undefined;
  const later = reference === undefined ? (isOld ? [] : [guest, updated_since]) : ['reference', reference];
  const filters = [space_id?.toLowerCase(), status, from, to, ...later];
  return hash('sha256', JSON.stringify(filters), 'base64url').slice(0, 8);
}
