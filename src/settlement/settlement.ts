import type { Owner } from '../caller.ts';
import { booksOf, entriesOf, type Books } from '../books/books.ts';
import type { Context } from '../context.ts';
import { inPages, type LongRead } from '../db/long-reads.ts';
import { invalid } from '../errors.ts';
import * as hosts from '../hosts/hosts.ts';
import { NO_ID } from '../ids/uuid.ts';
import { toMajor } from '../money/currency.ts';
import { toMajorSums } from '../money/sums.ts';
import { toTimestamp } from '../time/clock.ts';
import { FIRST_DATE } from '../time/dates.ts';
import { lastDateOf, monthAfter, monthBefore, NOT_A_MONTH } from '../time/month.ts';
import { selectCarried, selectClosing } from './closing-sql.ts';
import type { SettlementLine, SettlementReport } from './schemas.ts';
import * as sql from './sql.ts';
import { balanceOf, newTally, tallyBooking, toLine, toSpaces, toTotals, type Tally } from './totals.ts';

/** What is kept of a closed month: what its lines add up to, and the currency that the host had. */
export type Figures = Tally & { currency: string };

/**
 * A report that is read while it is sent. The totals of an open month are those of the lines that have been read, so they agree with
 * the lines whatever is booked or cancelled meanwhile; they are known only after the last page. The first page is read before anything
 * is sent, so that an early failure is still answered as an error.
 */
export async function report(ctx: Context, owner: Owner, month: string, longRead: LongRead) {
  // The pattern cannot say that there is no year 0000.
  if (month < FIRST_DATE.slice(0, 'YYYY'.length)) throw invalid('month', NOT_A_MONTH);
  const [host, state, closing] = await Promise.all([
    hosts.get(ctx.db, owner.hostId),
    booksOf(ctx.db, owner, ctx.clock.now()),
    ctx.db.get(selectClosing, [owner.hostId, owner.environment, month]),
  ]);
  const kept = typeof closing?.figures === 'string' ? (JSON.parse(closing.figures) as Figures) : undefined;
  const currency = kept?.currency ?? host.currency;
  const isClosed = kept !== undefined || (closing === undefined && month <= (state.closedThrough ?? ''));
  const [opening, entries] = await Promise.all([
    closing?.opening_balance ?? openingBalance(ctx, owner, state, month, longRead),
    entriesOf(ctx.db, owner, month, month),
  ]);
  const tally = newTally();
  const pages = pagesOf(ctx, owner, month, month, longRead);
  const first = await pages.next();
  const major = (minor: number) => toMajor(minor, currency);
  const status: SettlementReport['status'] = isClosed ? 'closed' : 'open';
  return {
    head: {
      month,
      currency,
      status,
      closed_at: isClosed && closing !== undefined ? toTimestamp(closing.closed_at) : null,
      opening_balance: major(opening),
      adjustments: entries.adjustments.map((row) => ({
        ...row,
        recorded_at: toTimestamp(row.recorded_at),
        payout_due: major(row.payout_due),
        commission_due: major(row.commission_due),
      })),
      payouts: entries.payouts.map(({ id, amount, reference, paid_on, recorded_at }) => ({
        id,
        amount: major(amount),
        reference,
        paid_on,
        recorded_at: toTimestamp(recorded_at),
      })),
    },
    pages: linesOf(first, pages, tally, currency, kept),
    totals: () => {
      const sums = kept ?? tally;
      return {
        totals: toTotals(sums, entries.adjusted, currency),
        by_settlement_mode: hosts.SETTLEMENT_MODES.map((mode) => ({
          settlement_mode: mode,
          ...toMajorSums(sums.byMode[mode], currency),
        })),
        by_space: toSpaces(sums, currency),
        refunds_pending: { bookings: sums.refunds.bookings, amount: major(sums.refunds.amount) },
        closing_balance: major(opening + balanceOf(sums) + entries.adjusted - entries.paidOut),
      };
    },
  };
}

async function* linesOf(
  first: IteratorResult<sql.SettledRow[], void>,
  pages: AsyncGenerator<sql.SettledRow[], void>,
  tally: Tally,
  currency: string,
  kept: Figures | undefined,
): AsyncGenerator<SettlementLine[]> {
  for (let page = first; !page.done; page = await pages.next()) {
    const lines: SettlementLine[] = [];
    for (const row of page.value) {
      const counted = row.counts === 1 ? tallyBooking(tally, row) : undefined;
      // A closed month keeps the titles that its spaces had.
      const title = kept?.bySpace[row.space_id]?.title ?? row.space_title;
      if (counted !== undefined) lines.push(toLine(row, counted, title, currency));
    }
    yield lines;
  }
}

/** In minor units: the closing balance of the month before. */
async function openingBalance(
  ctx: Context,
  owner: Owner,
  { first }: Books,
  month: string,
  longRead: LongRead,
): Promise<number> {
  if (month <= first) return 0;
  const carried = await ctx.db.get(selectCarried, [owner.hostId, owner.environment, first, month]);
  const from = carried === undefined ? first : monthAfter(carried.month);
  const balance = carried?.closing_balance ?? 0;
  if (from === month) return balance;
  return balance + (await addUp(ctx, owner, from, monthBefore(month), longRead)).change;
}

/** What some months come to, and by how much they change the balance. */
export async function addUp(
  ctx: Context,
  owner: Owner,
  from: string,
  to: string,
  longRead: LongRead,
): Promise<{ tally: Tally; change: number }> {
  const { adjusted, paidOut } = await entriesOf(ctx.db, owner, from, to);
  const tally = newTally();
  for await (const page of pagesOf(ctx, owner, from, to, longRead))
    for (const row of page) if (row.counts === 1) tallyBooking(tally, row);
  return { tally, change: balanceOf(tally) + adjusted - paidOut };
}

/** The bookings of some months. */
function pagesOf(ctx: Context, owner: Owner, from: string, to: string, longRead: LongRead) {
  return inPages(longRead, sql.PAGE_ROWS, async (last?: sql.SettledRow): Promise<sql.SettledRow[]> => {
    const after = last === undefined ? [`${from}-01`, -1, NO_ID] : [last.date, last.start_hour, last.id];
    const values = [owner.hostId, owner.environment, ...after, lastDateOf(to)];
    return (await ctx.db.readAlongIndexes([[sql.selectPage, values]]))[0];
  });
}
