import { booksOf, isOverEverywhere, lock, mayBeClosed, zonesOf, type BooksRow } from '../books/books.ts';
import { ownerOf, type Owned, type Owner } from '../caller.ts';
import type { Context } from '../context.ts';
import type { Tx } from '../db/database.ts';
import { longReads } from '../db/long-reads.ts';
import * as hosts from '../hosts/hosts.ts';
import { logTrouble } from '../log.ts';
import { ENVIRONMENTS } from '../ids/api-key.ts';
import { NO_ID } from '../ids/uuid.ts';
import { FIRST_DATE } from '../time/dates.ts';
import { lastDateOf, monthAfter, monthBefore, monthEndsAt, monthOf } from '../time/month.ts';
import { addUp, type Figures } from './settlement.ts';
import * as sql from './closing-sql.ts';

const HOSTS_PER_PAGE = 100;
/** On SQLite they share commits; on PostgreSQL they leave connections to requests. */
const HOSTS_IN_PARALLEL = 4;

/** Closes the months that are due, of every host and in order. The worker runs it every two seconds. */
export async function closeDue(
  ctx: Context,
  stopping: AbortSignal,
  alive: () => Promise<void>,
): Promise<boolean> {
  const begun = (await ctx.db.all(sql.selectBegun)).map(ownerOf);
  await closeAll(ctx, begun, stopping, alive);
  for (let after = NO_ID; ;) {
    const page = await ctx.db.all(sql.selectHosts, [after, HOSTS_PER_PAGE]);
    await closeAll(ctx, await dueAmong(ctx, page), stopping, alive);
    if (page.length < HOSTS_PER_PAGE || stopping.aborted) return false;
    after = page.at(-1)!.id;
  }
}

async function closeAll(
  ctx: Context,
  owners: readonly Owner[],
  stopping: AbortSignal,
  alive: () => Promise<void>,
): Promise<void> {
  for (let from = 0; from < owners.length && !stopping.aborted; from += HOSTS_IN_PARALLEL) {
    await Promise.all(
      owners.slice(from, from + HOSTS_IN_PARALLEL).map((owner) => closeMonths(ctx, owner, stopping)),
    );
    await alive();
  }
}

/** Those that may have a month to close. In the weeks between two turns of a month there are none. */
async function dueAmong(ctx: Context, some: readonly sql.HostRow[]): Promise<Owner[]> {
  const now = ctx.clock.now();
  const ids = [JSON.stringify(some.map(({ id }) => ({ id })))];
  const books = Map.groupBy(await ctx.db.all(sql.selectBooksOf, ids), nameOf);
  const maybe = some
    .flatMap(({ id: host_id, timezone }) =>
      ENVIRONMENTS.map((environment) => ({ host_id, environment, timezone })),
    )
    .map((owner) => ({ ...owner, month: nextMonth(books.get(nameOf(owner))?.[0]) }))
    .filter(({ month }) => month === undefined || mayBeClosed(month, now));
  if (maybe.length === 0) return [];
  const zones = Map.groupBy(await ctx.db.all(sql.selectZonesOf, ids), nameOf);
  const isOver = ({ month, ...owner }: (typeof maybe)[number]): boolean =>
    month === undefined ||
    (zones.get(nameOf(owner)) ?? [owner]).every(({ timezone }) => now >= monthEndsAt(timezone, month));
  return maybe.filter(isOver).map(ownerOf);
}

/** Undefined: it depends on the host's bookings, so `closeNext` finds it. */
function nextMonth(books: BooksRow | undefined): string | undefined {
  const { first_month: first = null, closed_through: through = null } = books ?? {};
  const isCarried = first !== null && through !== null && through >= monthBefore(first);
  return isCarried ? monthAfter(through) : undefined;
}

function nameOf({ host_id, environment }: Owned): string {
  return `${host_id} ${environment}`;
}

/** What keeps one host's months from being closed does not keep others'. */
async function closeMonths(ctx: Context, owner: Owner, stopping: AbortSignal): Promise<void> {
  try {
    do await finishClosings(ctx, owner, stopping);
    while (!stopping.aborted && (await ctx.db.transaction((tx) => closeNext(tx, ctx.clock.now(), owner))));
  } catch (error) {
    if (stopping.aborted) return;
    logTrouble(
      ctx.log,
      error,
      { host_id: owner.hostId },
      'a month could not be closed; it will be tried again',
    );
  }
}

/**
 * Adds up what months have come to whose closing is recorded. Nothing of them changes any more, so it is read page by page, and
 * whoever does it a second time finds the same.
 */
async function finishClosings(ctx: Context, owner: Owner, stopping: AbortSignal): Promise<void> {
  const key = [owner.hostId, owner.environment];
  for (const { month } of await ctx.db.all(sql.selectBegunOf, key)) {
    const longRead = longReads.begin(owner.hostId, stopping);
    const [{ currency }, { tally, change }] = await Promise.all([
      hosts.get(ctx.db, owner.hostId),
      addUp(ctx, owner, month, month, longRead),
    ]);
    const figures: Figures = { currency, ...tally };
    await ctx.db.once(sql.saveFigures, [...key, month, JSON.stringify(figures), change]);
  }
}

/** Records that the next month is closed, if it is due. What is recorded from then on counts in a later month. */
async function closeNext(tx: Tx, now: number, owner: Owner): Promise<boolean> {
  await lock(tx, owner);
  const key = [owner.hostId, owner.environment];
  const [{ first, closedThrough, isRecorded }, zones] = await Promise.all([
    booksOf(tx, owner, now),
    zonesOf(tx, owner),
  ]);
  const isOver = (month: string) => zones.every((zone) => now >= monthEndsAt(zone, month));
  const save = (through: string | null) => tx.run(sql.saveBooks, [...key, first, through]);

  let month = closedThrough === null ? undefined : monthAfter(closedThrough);
  if (month === undefined || month < first) {
    // The host is older than its books: of the months before, those with bookings are closed one by one.
    const after = closedThrough === null ? FIRST_DATE : lastDateOf(closedThrough);
    const found = await tx.get(sql.selectFirstDate, [...key, after, `${first}-01`]);
    if (typeof found?.date !== 'string') {
      await save(monthBefore(first));
      return true;
    }
    month = monthOf(found.date);
  }
  const dates = [`${month}-01`, lastDateOf(month)];
  if (!isOver(month) || (await tx.get(sql.selectStanding, [...key, ...dates])) !== undefined) {
    // Once nobody can book a date before it any more, the first month stays what it is.
    if (!isRecorded && isOverEverywhere(monthBefore(first), now)) await save(closedThrough);
    return false;
  }
  const before = month <= first ? undefined : await tx.get(sql.selectClosing, [...key, monthBefore(month)]);
  // Another process has just closed the month before, and its figures are still to be added up.
  if (before?.closing_balance === null) return true;
  const opening = before?.closing_balance ?? 0;
  await Promise.all([tx.run(sql.insertClosing, [...key, month, now, opening]), save(month)]);
  return true;
}
