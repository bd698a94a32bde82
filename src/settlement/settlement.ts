import type { Caller } from '../api-keys/caller.ts';
import type { Context } from '../context.ts';
import { letOthersGo } from '../db/long-reads.ts';
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
export async function report(ctx: Context, caller: Caller, month: string): Promise<Report> {
  // The pattern cannot say that there is no year 0000.
  if (month < FIRST_DATE.slice(0, 'YYYY'.length)) {
    throw validationError([{ field: 'month', message: NOT_A_MONTH }]);
  }
  const [accounts, first] = await Promise.all([
    ctx.db.all(sql.selectAccount, [caller.hostId, caller.environment]),
    readPage(ctx, caller, month, { date: `${month}-01`, start_hour: -1, id: NO_ID }),
  ]);
  const [account] = accounts;
  if (account === undefined) throw new Error(`the host ${caller.hostId} of a key is gone`);
  const { currency } = account;
  const tally = newTally();
  return {
    head: { month, currency, status: isOver(accounts, month, ctx.clock.now()) ? 'closed' : 'open' },
    pages: readLines(ctx, caller, month, first, tally, currency),
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

type Position = Pick<sql.SettledRow, 'date' | 'start_hour' | 'id'>;

async function readPage(
  ctx: Context,
  caller: Caller,
  month: string,
  after: Position,
): Promise<sql.SettledRow[]> {
  const position = [after.date, after.start_hour, after.id];
  return ctx.db.all(sql.selectPage, [caller.hostId, caller.environment, ...position, lastDateOf(month)]);
}

/** A month is over when its last hour has passed wherever the host has a space, else where the host is. */
function isOver(accounts: readonly sql.AccountRow[], month: string, now: number): boolean {
  return accounts.every((row) => now >= monthEndsAt(row.space_timezone ?? row.timezone, month));
}

async function* readLines(
  ctx: Context,
  caller: Caller,
  month: string,
  first: sql.SettledRow[],
  tally: Tally,
  currency: string,
): AsyncGenerator<SettlementLine[]> {
  for (let rows = first; ; rows = await readPage(ctx, caller, month, rows.at(-1)!)) {
    const made = rows.filter((row) => row.source === 'api').map((row) => settle(tally, row, currency));
    yield made.filter((line) => line !== undefined);
    if (rows.length < sql.PAGE_ROWS) return;
    await letOthersGo();
  }
}
