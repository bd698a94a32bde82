import type { Owner } from '../api-keys/caller.ts';
import { booksOf, closedBefore, closingOf, entriesOf, type Books } from '../books/books.ts';
import type { Context } from '../context.ts';
import { inPages, type LongRead } from '../db/long-reads.ts';
import { validationError } from '../errors.ts';
import * as hosts from '../hosts/hosts.ts';
import { NO_ID } from '../ids/uuid.ts';
import { toMajor } from '../money/currency.ts';
import { toMajorSums } from '../money/sums.ts';
import { toTimestamp } from '../time/clock.ts';
import { FIRST_DATE } from '../time/dates.ts';
import { lastDateOf, monthAfter, monthBefore, NOT_A_MONTH } from '../time/month.ts';
import type { SettlementLine, SettlementReport } from './schemas.ts';
import * as sql from './sql.ts';
import { balanceOf, dueOf, newTally, settle, toSpaces, toTotals, type Tally } from './totals.ts';

/**
 * A report that is read while it is sent. The totals of an open month are those of the lines that have been read, so they agree with
 * the lines whatever is booked or cancelled meanwhile; they are known only after the last page.
 *
 * The three parts are together all of the schema's fields: a field that none of them has does not compile.
 */
export interface Report {
  head: Omit<SettlementReport, 'lines' | Total>;
  pages: AsyncIterable<SettlementReport['lines']>;
  totals(): Pick<SettlementReport, Total>;
}

type Total = 'totals' | 'by_settlement_mode' | 'by_space' | 'refunds_pending' | 'closing_balance';

/** What is kept of a closed month: what its lines add up to, and the currency that the host had. */
export type Figures = Tally & { currency: string };

/** Reads the first page before anything is sent, so that an early failure is still answered as an error. */
export async function report(ctx: Context, owner: Owner, month: string, longRead: LongRead): Promise<Report> {
  // The pattern cannot say that there is no year 0000.
  if (month < FIRST_DATE.slice(0, 'YYYY'.length)) {
    throw validationError([{ field: 'month', message: NOT_A_MONTH }]);
  }
  const [host, state, closing] = await Promise.all([
    hosts.get(ctx.db, owner.hostId),
    booksOf(ctx.db, owner, ctx.clock.now()),
    closingOf(ctx.db, owner, month),
  ]);
  const kept = typeof closing?.figures === 'string' ? (JSON.parse(closing.figures) as Figures) : undefined;
  const currency = kept?.currency ?? host.currency;
  const isClosed = kept !== undefined || (closing === undefined && month <= (state.closedThrough ?? ''));
  const [opening, entries] = await Promise.all([
    closing?.opening_balance ?? openingBalance(ctx, owner, state, month, longRead),
    entriesOf(ctx.db, owner, month, month),
  ]);
  const { tally, lines } = linesOf(ctx, owner, [month, month], longRead, currency, kept);
  const iterator = lines[Symbol.asyncIterator]();
  const first = await iterator.next();
  const major = (minor: number) => toMajor(minor, currency);
  return {
    head: {
      month,
      currency,
      status: isClosed ? 'closed' : 'open',
      closed_at: isClosed && closing !== undefined ? toTimestamp(closing.closed_at) : null,
      opening_balance: major(opening),
      adjustments: entries.adjustments.map(({ booking_month, recorded_at, ...row }) => ({
        kind: row.kind,
        booking_id: row.booking_id,
        month: booking_month,
        recorded_at: toTimestamp(recorded_at),
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
    pages: resumed(first, iterator),
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
        closing_balance: major(opening + balanceOf(dueOf(sums)) + entries.adjusted - entries.paidOut),
      };
    },
  };
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
  const carried = await closedBefore(ctx.db, owner, first, month);
  const from = carried === undefined ? first : monthAfter(carried.month);
  const balance = carried?.closing_balance ?? 0;
  return from === month ? balance : closingBalance(ctx, owner, from, monthBefore(month), balance, longRead);
}

/** Of the last of some months, by the opening balance of the first. */
async function closingBalance(
  ctx: Context,
  owner: Owner,
  from: string,
  to: string,
  opening: number,
  longRead: LongRead,
): Promise<number> {
  const [tally, { adjusted, paidOut }] = await Promise.all([
    tallyOf(ctx, owner, from, to, longRead),
    entriesOf(ctx.db, owner, from, to),
  ]);
  return opening + balanceOf(dueOf(tally)) + adjusted - paidOut;
}

/** Adds up the figures of a month whose closing has been recorded. */
export async function figuresOf(
  ctx: Context,
  owner: Owner,
  month: string,
  longRead: LongRead,
): Promise<{ figures: Figures; change: number }> {
  const [{ currency }, tally, { adjusted, paidOut }] = await Promise.all([
    hosts.get(ctx.db, owner.hostId),
    tallyOf(ctx, owner, month, month, longRead),
    entriesOf(ctx.db, owner, month, month),
  ]);
  return { figures: { currency, ...tally }, change: balanceOf(dueOf(tally)) + adjusted - paidOut };
}

async function tallyOf(
  ctx: Context,
  owner: Owner,
  from: string,
  to: string,
  longRead: LongRead,
): Promise<Tally> {
  // The currency is that of lines, which nobody reads here.
  const { tally, lines } = linesOf(ctx, owner, [from, to], longRead, 'USD');
  for await (const page of lines) void page;
  return tally;
}

/** The lines of some months, page by page; the tally is complete after the last one. */
function linesOf(
  ctx: Context,
  owner: Owner,
  [from, to]: readonly [from: string, to: string],
  longRead: LongRead,
  currency: string,
  kept?: Figures,
): { tally: Tally; lines: AsyncGenerator<SettlementLine[]> } {
  const tally = newTally();
  const pages = inPages<sql.SettledRow>(longRead, sql.PAGE_ROWS, async (last) => {
    const after = last === undefined ? [`${from}-01`, -1, NO_ID] : [last.date, last.start_hour, last.id];
    const values = [owner.hostId, owner.environment, ...after, lastDateOf(to)];
    return (await ctx.db.readAlongIndexes([[sql.selectPage, values]]))[0];
  });
  async function* lines(): AsyncGenerator<SettlementLine[]> {
    for await (const page of pages) {
      const made: SettlementLine[] = [];
      for (const row of page) {
        if (row.counts === 0) continue;
        const line = settle(tally, row, currency);
        if (line === undefined) continue;
        // A closed month keeps the titles that its spaces had.
        if (kept !== undefined) line.space_title = kept.bySpace[line.space_id]?.title ?? line.space_title;
        made.push(line);
      }
      yield made;
    }
  }
  return { tally, lines: lines() };
}

async function* resumed<T>(first: IteratorResult<T, void>, rest: AsyncIterator<T, void>): AsyncGenerator<T> {
  for (let item = first; !item.done; item = await rest.next()) yield item.value;
}
