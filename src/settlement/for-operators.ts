import type { Owner } from '../api-keys/caller.ts';
import type { Context } from '../context.ts';
import type { Sql } from '../db/database.ts';
import * as hosts from '../hosts/hosts.ts';
import { toMajor } from '../money/currency.ts';
import { addSums } from '../money/sums.ts';
import { lastDateOf } from '../time/month.ts';
import type { SettlementReport } from './schemas.ts';
import { isOver } from './settlement.ts';
import * as sql from './sql.ts';
import { newTally, toTotals, type Tally } from './totals.ts';

/** What one host and the platform owe each other for a month: the host's own report without its lines. */
export interface HostSettlement extends Pick<
  SettlementReport,
  'currency' | 'month' | 'status' | 'totals' | 'refunds_pending'
> {
  host_id: string;
  host_name: string;
}

/**
 * Of every host, those without bookings too, or of one; by name. One host after the other, each with one statement that adds up
 * where the bookings are: requests wait for none of them.
 */
export async function ofHosts(ctx: Context, month: string, hostId?: string): Promise<HostSettlement[]> {
  const all = hostId === undefined ? await hosts.list(ctx.db) : [await hosts.get(ctx.db, hostId)];
  const settled: HostSettlement[] = [];
  for (const { id, name, currency } of all.toSorted(byName)) {
    const owner: Owner = { hostId: id, environment: 'production' };
    const tally = await tallyOf(ctx.db, owner, month);
    const { bookings, amount } = tally.refunds;
    settled.push({
      host_id: id,
      host_name: name,
      currency,
      month,
      status: (await isClosed(ctx.db, owner, month, ctx.clock.now())) ? 'closed' : 'open',
      totals: toTotals(tally, currency),
      refunds_pending: { bookings, amount: toMajor(amount, currency) },
    });
  }
  return settled;
}

function byName(a: hosts.HostRecord, b: hosts.HostRecord): number {
  if (a.name !== b.name) return a.name < b.name ? -1 : 1;
  return a.id < b.id ? -1 : 1;
}

/** Whether a host's month is over, as its report says. */
export async function isClosed(db: Sql, owner: Owner, month: string, now: number): Promise<boolean> {
  return isOver(await db.all(sql.selectAccount, [owner.hostId, owner.environment]), month, now);
}

async function tallyOf(db: Sql, { hostId, environment }: Owner, month: string): Promise<Tally> {
  const tally = newTally();
  for (const row of await db.all(sql.selectSums, [hostId, environment, `${month}-01`, lastDateOf(month)])) {
    const { status, settlement_mode, payment_status, ...sums } = row;
    const paid = payment_status === 'confirmed';
    if (status !== 'cancelled') {
      addSums(tally.byMode[settlement_mode], sums);
      if (paid) addSums(tally.paid, sums);
      continue;
    }
    tally.cancelled += sums.bookings;
    if (!paid) continue;
    tally.refunds.bookings += sums.bookings;
    tally.refunds.amount += sums.gross;
  }
  return tally;
}
