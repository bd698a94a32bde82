import * as audit from '../audit/audit.ts';
import * as bookings from '../bookings/for-operators.ts';
import type { Context } from '../context.ts';
import type { Tx } from '../db/database.ts';
import { OperatorError } from '../errors.ts';
import { sameAmount, toMajor } from '../money/currency.ts';
import { changeCurrency } from '../spaces/update.ts';
import { startAnew } from '../webhooks/health.ts';
import { noSuchHost, refuseTakenEmail, toRecord, type HostRecord, type NewHost } from './hosts.ts';
import * as sql from './sql.ts';

// What operators do to a host reaches into what it has, in one transaction: bookings, spaces, webhooks. So this file knows these
// features; they know hosts.ts alone, which knows none of them.

/** Undefined: stays as it is. */
export type HostChanges = { readonly [Field in Exclude<keyof NewHost, 'ref'>]?: NewHost[Field] | undefined };

/**
 * Changes only the given fields; a maximum is in minor units of the new currency. Bookings keep the commission they
 * were made with.
 */
export async function update(
  ctx: Context,
  actor: audit.Actor,
  hostId: string,
  wanted: HostChanges,
): Promise<HostRecord> {
  return ctx.db.transaction(async (tx) => {
    const now = ctx.clock.now();
    if (wanted.email !== undefined) await refuseTakenEmail(tx, wanted.email, hostId);
    return (await change(tx, now, actor, hostId, wanted)).host;
  });
}

/** The same in a transaction of the caller's, who has seen to it that nobody else has the email. */
export async function change(
  tx: Tx,
  now: number,
  actor: audit.Actor,
  hostId: string,
  wanted: HostChanges,
): Promise<{ host: HostRecord; changes: audit.Changes }> {
  const row = await lock(tx, hostId);
  const next: sql.HostRow = {
    ...row,
    name: wanted.name ?? row.name,
    email: wanted.email ?? row.email,
    timezone: wanted.timezone ?? row.timezone,
    currency: wanted.currency ?? row.currency,
    commission_millionths: wanted.commissionMillionths ?? row.commission_millionths,
    settlement_modes: wanted.settlementModes?.join(' ') ?? row.settlement_modes,
    max_booking_value:
      wanted.maxBookingValue === undefined ? keptMaximum(row, wanted) : wanted.maxBookingValue,
  };
  const changes = audit.differences(toRecord(row), toRecord(next));
  if (Object.keys(changes).length === 0) return { host: toRecord(row), changes };
  if (next.currency !== row.currency) {
    await refuseAfterBookings(tx, hostId);
    await changeCurrency(tx, now, actor, hostId, next.currency);
  }
  await save(tx, now, actor, next, 'host.updated', changes);
  return { host: toRecord(next), changes };
}

/** The same amount, also where the new currency has other minor units. */
function keptMaximum(row: sql.HostRow, { currency = row.currency }: HostChanges): number | null {
  if (row.max_booking_value === null) return null;
  const minor = sameAmount(row.max_booking_value, row.currency, currency);
  if (minor !== undefined) return minor;
  const amount = toMajor(row.max_booking_value, row.currency);
  throw new OperatorError(`the host’s maximum of ${amount} is no amount in ${currency}: name a new one too`);
}

/**
 * Money of two currencies in one report could not be added up. On PostgreSQL a booking that is being made in this very
 * moment is not seen.
 */
async function refuseAfterBookings(tx: Tx, hostId: string): Promise<void> {
  if (!(await bookings.anyOfHost(tx, hostId))) return;
  throw new OperatorError(`host ${hostId} has bookings: its currency cannot change any more`);
}

/** Answers with whether it was so already. The time of the first deactivation is kept. */
export async function setActive(
  ctx: Context,
  actor: audit.Actor,
  hostId: string,
  active: boolean,
): Promise<{ host: HostRecord; repeated: boolean }> {
  return ctx.db.transaction(async (tx) => {
    const row = await lock(tx, hostId);
    if ((row.deactivated_at === null) === active) return { host: toRecord(row), repeated: true };
    const now = ctx.clock.now();
    const next = { ...row, deactivated_at: active ? null : now };
    await save(tx, now, actor, next, active ? 'host.activated' : 'host.deactivated');
    if (active) await startAnew(tx, hostId);
    return { host: toRecord(next), repeated: false };
  });
}

async function lock(tx: Tx, hostId: string): Promise<sql.HostRow> {
  const row = await tx.get(sql.lockHost, [hostId]);
  if (row === undefined) throw noSuchHost(hostId);
  return row;
}

async function save(
  tx: Tx,
  now: number,
  actor: audit.Actor,
  row: sql.HostRow,
  action: 'host.updated' | 'host.activated' | 'host.deactivated',
  changes?: audit.Changes,
): Promise<void> {
  await Promise.all([
    tx.run(sql.updateHost, [
      row.id,
      row.name,
      row.email,
      row.timezone,
      row.currency,
      row.commission_millionths,
      row.settlement_modes,
      row.max_booking_value,
      row.deactivated_at,
    ]),
    audit.record(tx, now, actor, {
      action,
      hostId: row.id,
      environment: null,
      subject: row.id,
      ...(changes && { changes }),
    }),
  ]);
}
