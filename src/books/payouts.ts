import { ownerOf, type Actor, type Owner } from '../caller.ts';
import * as audit from '../audit/audit.ts';
import type { Context } from '../context.ts';
import type { Sql, Tx } from '../db/database.ts';
import { OperatorError } from '../errors.ts';
import * as hosts from '../hosts/hosts.ts';
import { newId } from '../ids/uuid.ts';
import { currencyDecimals, toMajor, toMinor } from '../money/currency.ts';
import { timestampOrNull, toTimestamp } from '../time/clock.ts';
import { localDate } from '../time/zones.ts';
import { booksOf, lock, openMonth } from './books.ts';
import * as sql from './sql.ts';

/** What the platform paid a host; a negative amount is what it received. */
export type Payout = ReturnType<typeof toPayout>;

export interface NewPayout {
  /** As the operator wrote it, in major units. */
  amount: string;
  reference: string | null;
  /** Today where the host is, if it is not given. */
  paidOn?: string | undefined;
}

/** Records a payout once for each reference. */
export async function record(
  ctx: Context,
  actor: Actor,
  owner: Owner,
  { amount: written, reference, paidOn }: NewPayout,
): Promise<{ payout: Payout; repeated: boolean }> {
  return ctx.db.transaction(async (tx) => {
    const now = ctx.clock.now();
    // Keeps the currency as it is.
    const { timezone, currency } = await hosts.lock(tx, owner.hostId);
    await lock(tx, owner);
    const amount = amountIn(currency, written);
    const today = localDate(timezone, now);
    if (paidOn !== undefined && paidOn > today)
      throw new OperatorError(`${paidOn} is in the future: it is ${today} where the host is`);
    const earlier = await tx.get(sql.selectPayoutByReference, [owner.hostId, owner.environment, reference]);
    if (earlier !== undefined && earlier.amount !== amount)
      throw new OperatorError(
        `payout ${earlier.id} has the reference "${reference}" and another amount: ${toMajor(earlier.amount, currency)} ${currency}`,
      );
    if (earlier !== undefined) return { payout: toPayout(earlier), repeated: true };
    const row = await enter(tx, now, owner, {
      amount,
      currency,
      reference,
      paid_on: paidOn ?? today,
      voids: null,
    });
    await trail(tx, now, actor, row, 'payout.recorded');
    return { payout: toPayout(row), repeated: false };
  });
}

function amountIn(currency: string, written: string): number {
  const amount = toMinor(written, currency);
  if (amount === undefined)
    throw new OperatorError(
      `${written} is no amount in ${currency}: at most ${currencyDecimals(currency)} decimals, and at most 2^53 of its smallest unit`,
    );
  if (amount === 0) throw new OperatorError('a payout of 0 is none');
  return amount;
}

async function enter(
  tx: Tx,
  now: number,
  owner: Owner,
  entry: Pick<sql.PayoutRow, 'amount' | 'currency' | 'reference' | 'paid_on' | 'voids'>,
): Promise<sql.PayoutRow> {
  const row: sql.PayoutRow = {
    id: newId(),
    host_id: owner.hostId,
    environment: owner.environment,
    ...entry,
    month: openMonth(await booksOf(tx, owner, now)),
    recorded_at: now,
    voided_at: null,
    voided_in: null,
  };
  await tx.run(sql.insertPayout, sql.payoutValues(row));
  return row;
}

/**
 * A payout that was recorded by mistake, or that came back. In an open month it leaves the report; that of a closed month stays, and the
 * opposite amount stands in the first open one.
 */
export async function makeVoid(
  ctx: Context,
  actor: Actor,
  payoutId: string,
  reason: string,
): Promise<{ payout: Payout; repeated: boolean }> {
  return ctx.db.transaction(async (tx) => {
    const now = ctx.clock.now();
    const owner = ownerOf(await getRow(tx, payoutId));
    const { timezone } = await hosts.lock(tx, owner.hostId);
    await lock(tx, owner);
    const row = await getRow(tx, payoutId);
    if (row.voids !== null)
      throw new OperatorError(`payout ${payoutId} is the counter-entry of ${row.voids}: it cannot be voided`);
    if (row.voided_at !== null) return { payout: toPayout(row), repeated: true };
    const books = await booksOf(tx, owner, now);
    const isClosed = row.month <= (books.closedThrough ?? '');
    const month = isClosed ? openMonth(books) : row.month;
    await tx.run(sql.voidPayout, [owner.hostId, owner.environment, payoutId, now, month]);
    if (isClosed) {
      const { currency, reference } = row;
      await enter(tx, now, owner, {
        amount: -row.amount,
        currency,
        reference,
        paid_on: localDate(timezone, now),
        voids: payoutId,
      });
    }
    await trail(tx, now, actor, row, 'payout.voided', reason);
    return { payout: toPayout({ ...row, voided_at: now }), repeated: false };
  });
}

async function getRow(db: Sql, payoutId: string): Promise<sql.PayoutRow> {
  const row = await db.get(sql.selectPayout, [payoutId]);
  if (row === undefined) throw new OperatorError(`there is no payout ${payoutId}`);
  return row;
}

export interface PayoutFilter {
  host?: string | undefined;
  month?: string | undefined;
  /** Recorded since this moment. */
  since?: number | undefined;
}

/** Of both environments, counter-entries too; newest first. */
export async function list(
  db: Sql,
  { host, month, since = 0 }: PayoutFilter,
): Promise<(Payout & { host_name: string | null })[]> {
  if (host !== undefined) await hosts.get(db, host);
  const rows = await db.all(sql.listPayouts, [host ?? null, month ?? null, since]);
  return hosts.withNames(db, rows.map(toPayout));
}

export async function anyOfHost(db: Sql, hostId: string): Promise<boolean> {
  return (await db.get(sql.selectAnyPayout, [hostId])) !== undefined;
}

function toPayout({ voided_in: _month, voids: _payout, ...row }: sql.PayoutRow) {
  return {
    ...row,
    amount: toMajor(row.amount, row.currency),
    recorded_at: toTimestamp(row.recorded_at),
    voided_at: timestampOrNull(row.voided_at),
  };
}

async function trail(
  tx: Tx,
  now: number,
  actor: Actor,
  row: sql.PayoutRow,
  action: 'payout.recorded' | 'payout.voided',
  reason?: string,
): Promise<void> {
  const { amount, reference, paid_on, month } = toPayout(row);
  const entries = Object.entries({ amount, reference, paid_on, month });
  const pair = (value: unknown): [unknown, unknown] =>
    action === 'payout.recorded' ? [null, value] : [value, null];
  const changes = Object.fromEntries(entries.map(([name, value]) => [name, pair(value)]));
  const payout = { ...ownerOf(row), subject: row.id };
  await audit.record(tx, now, actor, { action, ...payout, changes, reason });
}
