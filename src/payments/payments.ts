import { ownerOf, type Actor } from '../caller.ts';
import * as audit from '../audit/audit.ts';
import { toBooking, type Booking, type BookingRow } from '../bookings/fields.ts';
import * as bookings from '../bookings/for-operators.ts';
import * as books from '../books/books.ts';
import type { Context } from '../context.ts';
import type { Sql, Tx } from '../db/database.ts';
import { OperatorError } from '../errors.ts';
import * as events from '../events/events.ts';
import { toMajor } from '../money/currency.ts';
import { toTimestamp } from '../time/clock.ts';
import * as sql from './sql.ts';

interface Recorded {
  booking: Booking;
  /** How the payment system names the payment, or the refund. */
  reference: string | null;
  /** True when it had been recorded before. */
  repeated: boolean;
}

/** What is done with a payment, in this order. */
const STEPS = ['confirmed', 'refunded'] as const;
type Done = (typeof STEPS)[number];

/** Where a booking has what was done. */
const FIELDS = {
  confirmed: { at: 'paid_at', reference: 'payment_reference' },
  refunded: { at: 'refunded_at', reference: 'refund_reference' },
} as const;

/**
 * The guest's money has reached the platform. A cancelled booking's payment is confirmed too: it may have crossed
 * the cancellation, and money that has to be given back must not be lost from sight.
 */
export const confirm = recorder('confirmed');

/** The guest of a cancelled booking has the money back. The payment system gives it back; this only records it. */
export const refund = recorder('refunded');

function recorder(done: Done) {
  return async (
    ctx: Context,
    actor: Actor,
    bookingId: string,
    reference: string | null,
    isShared = false,
  ): Promise<Recorded> =>
    ctx.db.transaction(async (tx) => {
      const now = ctx.clock.now();
      const row = await lockBooking(tx, bookingId);
      if (row.payment_status === done) return recordedBefore(tx, now, actor, row, done, reference, isShared);
      refuseObstacle(row, done);
      await refuseTaken(tx, row, reference, isShared);
      return { booking: await save(tx, now, actor, row, done, reference), reference, repeated: false };
    });
}

/** Confirms the payment of a sandbox guest, if it is pending. */
export async function confirmPending(tx: Tx, now: number, actor: Actor, bookingId: string): Promise<void> {
  const row = await lockBooking(tx, bookingId);
  if (row.payment_status === 'pending') await save(tx, now, actor, row, 'confirmed', null);
}

/** A payment was confirmed by mistake, or bounced: it is pending again, and no event tells of it. Not once it is refunded. */
export async function makeVoid(
  ctx: Context,
  actor: Actor,
  bookingId: string,
  reason: string,
): Promise<Booking> {
  return ctx.db.transaction(async (tx) => {
    const now = ctx.clock.now();
    const row = await lockBooking(tx, bookingId);
    refuseObstacle(row, 'voided');
    return save(tx, now, actor, row, 'voided', row.payment_reference, reason);
  });
}

/** What a payment must be before it becomes this. */
const BEFORE: Record<sql.EntryRow['kind'], BookingRow['payment_status']> = {
  confirmed: 'pending',
  refunded: 'confirmed',
  voided: 'confirmed',
};

function refuseObstacle({ id, status, payment_status }: BookingRow, kind: sql.EntryRow['kind']): void {
  if (payment_status === 'host_collected')
    throw new OperatorError(`booking ${id} is host_settled: its guest pays the host, not the platform`);
  if (payment_status !== BEFORE[kind])
    throw new OperatorError(`the payment of booking ${id} is ${payment_status}: it cannot be ${kind}`);
  if (kind === 'refunded' && status !== 'cancelled')
    throw new OperatorError(`booking ${id} is ${status}: only a cancelled booking's payment is refunded`);
}

/** Locks the booking, then its host's books: nothing about either changes until the transaction ends. */
async function lockBooking(tx: Tx, bookingId: string): Promise<BookingRow> {
  const row = await bookings.lock(tx, bookingId);
  await books.lock(tx, ownerOf(row));
  return row;
}

/** One reference on two bookings is more often a mistake than one payment for both. */
async function refuseTaken(
  tx: Tx,
  { host_id, environment, id }: BookingRow,
  reference: string | null,
  isShared: boolean,
): Promise<void> {
  if (reference === null || isShared) return;
  const other = await tx.get(sql.selectOtherWith, [host_id, environment, reference, id]);
  if (other === undefined) return;
  throw new OperatorError(
    `the reference "${reference}" stands on booking ${other.id}: use --shared if it is for both`,
  );
}

/** Recording it twice is fine, but not with another reference: that would be a second payment, or refund, of one booking. */
async function recordedBefore(
  tx: Tx,
  now: number,
  actor: Actor,
  row: BookingRow,
  done: Done,
  reference: string | null,
  isShared: boolean,
): Promise<Recorded> {
  const field = FIELDS[done].reference;
  const known = row[field];
  if (known !== null && reference !== null && reference !== known)
    throw new OperatorError(
      `the payment of booking ${row.id} is already ${done}, with the reference "${known}"`,
    );
  if (known === null && reference !== null) {
    await refuseTaken(tx, row, reference, isShared);
    await keepHistory(tx, row);
    await tx.run(sql.keepReference[field], [row.host_id, row.id, reference]);
    await tx.run(sql.keepEntryReference, [row.host_id, row.id, done, reference]);
    const changes = { reference: [null, reference] } as const;
    await audit.record(tx, now, actor, {
      action: 'payment.updated',
      ...ownerOf(row),
      subject: row.id,
      changes,
    });
  }
  return { booking: toBooking(row), reference: known ?? reference, repeated: true };
}

/** What a payment says once this is recorded. */
function changeOf(kind: sql.EntryRow['kind'], now: number, reference: string | null): Partial<BookingRow> {
  if (kind === 'voided')
    return { payment_status: 'pending', payment_reference: null, paid_at: null, payment_voided_at: now };
  const fields = FIELDS[kind];
  return { payment_status: kind, [fields.at]: now, [fields.reference]: reference };
}

/** Writes what has changed of a payment, with its history, its adjustment where its month is closed, event and audit trail. */
async function save(
  tx: Tx,
  now: number,
  actor: Actor,
  before: BookingRow,
  kind: sql.EntryRow['kind'],
  reference: string | null,
  reason?: string,
): Promise<Booking> {
  const { host_id, id, total_price: amount } = before;
  const owner = ownerOf(before);
  const after = { ...before, ...changeOf(kind, now, reference) };
  const adjustedIn = await books.adjustedIn(tx, before);
  const { payment_status, paid_at, refunded_at } = before;
  const asClosed: books.PaymentState = { payment_status, paid_at, refunded_at };
  const row = await tx.get(sql.savePayment, [
    host_id,
    id,
    after.payment_status,
    after.payment_reference,
    after.paid_at,
    after.refund_reference,
    after.refunded_at,
    after.payment_voided_at,
    adjustedIn === undefined ? null : JSON.stringify(asClosed),
    now,
  ]);
  const number = await keepHistory(tx, before);
  const who = [actor.type, actor.id];
  await tx.run(sql.insertEntry, [host_id, id, number, kind, now, reference, amount, ...who]);
  if (adjustedIn !== undefined)
    await books.adjust(tx, now, adjustedIn, kind === 'refunded' ? kind : `payment_${kind}`, row!);
  const pair = (value: unknown) => (kind === 'voided' ? ([value, null] as const) : ([null, value] as const));
  const changes = {
    ...(reference !== null && { reference: pair(reference) }),
    amount: pair(toMajor(amount, before.currency)),
    ...audit.differences(stateOf(before), stateOf(row!)),
  };
  const entry = { action: `payment.${kind}`, changes, reason } as const;
  await audit.record(tx, now, actor, { ...entry, ...owner, subject: id });
  const booking = toBooking(row!);
  if (kind === 'confirmed')
    await events.append(tx, now, { ...owner, actor }, { type: 'payment.confirmed', data: { booking } });
  return booking;
}

function stateOf(row: BookingRow) {
  const { payment_status, paid_at, refunded_at } = toBooking(row);
  return { payment_status, paid_at, refunded_at };
}

/** One entry of a payment's history. */
export type PaymentEntry = Awaited<ReturnType<typeof list>>[number];

/** Everything that was recorded about the payment of a booking, oldest first. */
export async function list(db: Sql, bookingId: string) {
  const row = await bookings.find(db, bookingId);
  const { kept, missing } = await historyOf(db, row);
  return [...kept, ...missing].map(({ at, kind, reference, amount, actor_type, actor_id }) => ({
    at: at === null ? null : toTimestamp(at),
    kind,
    reference,
    amount: toMajor(amount, row.currency),
    actor: actor_type === null ? null : { type: actor_type, id: actor_id! },
  }));
}

/** `missing`: what the record says and no entry does, since it was recorded before there was a history. */
async function historyOf(
  db: Sql,
  row: BookingRow,
): Promise<{ kept: sql.EntryRow[]; missing: sql.EntryRow[] }> {
  const kept = await db.all(sql.selectEntries, [row.host_id, row.id]);
  const last = STEPS.findLastIndex((step) => step === kept.at(-1)?.kind);
  const reached = STEPS.findLastIndex((step) => step === row.payment_status);
  const missing = STEPS.slice(last + 1, reached + 1).map((kind) => ({
    kind,
    at: row[FIELDS[kind].at],
    reference: row[FIELDS[kind].reference],
    amount: row.total_price,
    actor_type: null,
    actor_id: null,
  }));
  return { kept, missing };
}

/** Writes what the history lacks before the record changes, and returns the number of the next entry. */
async function keepHistory(tx: Tx, row: BookingRow): Promise<number> {
  const { kept, missing } = await historyOf(tx, row);
  for (const [i, { kind, at, reference, amount }] of missing.entries()) {
    const values = [row.host_id, row.id, kept.length + i + 1, kind, at, reference, amount, null, null];
    await tx.run(sql.insertEntry, values);
  }
  return kept.length + missing.length + 1;
}
