import type { Caller } from '../api-keys/caller.ts';
import type { Context } from '../context.ts';
import { inPages, type LongRead } from '../db/long-reads.ts';
import { validationError } from '../errors.ts';
import { SETTLEMENT_MODES } from '../hosts/hosts.ts';
import { NO_ID } from '../ids/uuid.ts';
import { toMajor } from '../money/currency.ts';
import { toMajorSums } from '../money/sums.ts';
import { FIRST_DATE } from '../time/dates.ts';
import { lastDateOf, monthEndsAt, NOT_A_MONTH } from '../time/month.ts';
import type { SettlementLine, SettlementReport } from './schemas.ts';
import * as sql from './sql.ts';
import { newTally, settle, toTotals, type Tally } from './totals.ts';

/**
 * A report that is read while it is sent. The totals are those of the lines that have been read, so they agree with
 * the lines whatever is booked or cancelled meanwhile; they are known only after the last page.
 *
 * The three parts are together all of the schema's fields: a field that none of them has does not compile.
 */
export interface Report {
  head: Omit<SettlementReport, 'lines' | Total>;
  pages: AsyncIterable<SettlementReport['lines']>;
  totals(): Pick<SettlementReport, Total>;
}

type Total = 'totals' | 'by_settlement_mode' | 'refunds_pending';

/** Reads the first page before anything is sent, so that an early failure is still answered as an error. */
export async function report(
  ctx: Context,
  caller: Caller,
  month: string,
  longRead: LongRead,
): Promise<Report> {
  // The pattern cannot say that there is no year 0000.
  if (month < FIRST_DATE.slice(0, 'YYYY'.length)) {
    throw validationError([{ field: 'month', message: NOT_A_MONTH }]);
  }
  const owner = [caller.hostId, caller.environment];
  const pages = inPages<sql.SettledRow>(longRead, sql.PAGE_ROWS, async (last) => {
    const after = last === undefined ? [`${month}-01`, -1, NO_ID] : [last.date, last.start_hour, last.id];
    const values = [...owner, ...after, lastDateOf(month)];
    return (await ctx.db.readAlongIndexes([[sql.selectPage, values]]))[0];
  });
  const [accounts, first] = await Promise.all([ctx.db.all(sql.selectAccount, owner), pages.next()]);
  const [account] = accounts;
  if (account === undefined) throw new Error(`the host ${caller.hostId} of a key is gone`);
  const { currency } = account;
  const tally = newTally();
  return {
    head: { month, currency, status: isOver(accounts, month, ctx.clock.now()) ? 'closed' : 'open' },
    pages: settled(first, pages, tally, currency),
    totals: () => ({
      totals: toTotals(tally, currency),
      by_settlement_mode: SETTLEMENT_MODES.map((mode) => ({
        settlement_mode: mode,
        ...toMajorSums(tally.byMode[mode], currency),
      })),
      refunds_pending: {
        bookings: tally.refunds.bookings,
        amount: toMajor(tally.refunds.amount, currency),
      },
    }),
  };
}

/** A month is over when its last hour has passed wherever the host has a space, else where the host is. */
export function isOver(accounts: readonly sql.AccountRow[], month: string, now: number): boolean {
  return accounts.every((row) => now >= monthEndsAt(row.space_timezone ?? row.timezone, month));
}

async function* settled(
  first: IteratorResult<sql.SettledRow[], void>,
  pages: AsyncGenerator<sql.SettledRow[], void>,
  tally: Tally,
  currency: string,
): AsyncGenerator<SettlementLine[]> {
  for (let page = first; !page.done; page = await pages.next()) {
    const made = page.value.filter((row) => row.source === 'api').map((row) => settle(tally, row, currency));
    yield made.filter((line) => line !== undefined);
  }
}
