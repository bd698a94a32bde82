import * as audit from '../audit/audit.ts';
import type { Context } from '../context.ts';
import type { Tx } from '../db/database.ts';
import { newId, NO_ID } from '../ids/uuid.ts';
import type { Attempt } from './attempt.ts';
import * as sql from './delivery-sql.ts';
import { GIVE_UP_ENDPOINT_AFTER, retryDelay } from './schedule.ts';

export type Claimed = sql.ClaimedRow;

/** Longer than any attempt takes. After this, others take over the deliveries of a worker that died. */
const LEASE_MS = 20_000;
const ENDPOINTS_AT_ONCE = 100;

/** A worker goes through the subscriptions with something pending page by page; this is how far it has come. */
export class Progress {
  #after = { hostId: NO_ID, id: NO_ID };
  #claimedAny = false;

  get after(): [hostId: string, id: string] {
    return [this.#after.hostId, this.#after.id];
  }

  /** Call after each page. True until a full pass over all pages has claimed nothing. */
  passed(page: readonly sql.PendingRow[], claimed: number): boolean {
    this.#claimedAny ||= claimed > 0;
    const last = page.at(-1);
    if (last !== undefined && page.length === sql.PAGE_ROWS) {
      this.#after = { hostId: last.host_id, id: last.id };
      return true;
    }
    const more = this.#claimedAny;
    this.#after = { hostId: NO_ID, id: NO_ID };
    this.#claimedAny = false;
    return more;
  }
}

interface Claim {
  claimed: Claimed[];
  /** Whether there may be more. */
  more: boolean;
}

/**
 * Leases deliveries that are due: at most `free`, and at most `perEndpoint` in flight to one subscription over all
 * workers, first attempts before retries. A single queue by time would give every slot to one receiver that hangs.
 */
export async function claim(
  ctx: Context,
  progress: Progress,
  free: number,
  perEndpoint: number,
): Promise<Claim> {
  const now = ctx.clock.now();
  const page = await ctx.db.all(sql.selectPending, [now, perEndpoint, ...progress.after]);
  const ready = shuffled(page.filter((each) => each.taken < each.most && each.first + each.again > 0));
  if (ready.length === 0) return { claimed: [], more: progress.passed(page, 0) };
  const claimed = await ctx.db.transaction(async (tx) => {
    const [, counted] = await tx.inOrder([
      // Claims come one after another, in all processes.
      tx.lock('delivery claims'),
      // Counted under the lock: others may have taken some meanwhile.
      tx.all(sql.countInFlight, [now]),
    ]);
    const inFlight = new Map(counted.map((row) => [row.webhook_id, row.taken]));
    const lease = { token: newId(), now, until: now + LEASE_MS };
    const first = ready.filter((each) => each.first === 1).slice(0, ENDPOINTS_AT_ONCE);
    const again = ready.filter((each) => each.again === 1).slice(0, ENDPOINTS_AT_ONCE);
    const taken = await take(tx, sql.claimFirst, first, lease, inFlight, free);
    await take(tx, sql.claimAgain, again, lease, inFlight, free - taken);
    return tx.all(sql.selectClaimed, [lease.token]);
  });
  return { claimed, more: progress.passed(page, claimed.length) };
}

/** Random, so that nobody is always last when there is not room for all. */
function shuffled<T>(list: readonly T[]): T[] {
  return list
    .map((each) => ({ each, at: Math.random() }))
    .sort((a, b) => a.at - b.at)
    .map(({ each }) => each);
}

/** One statement per subscription, sent together. Returns how many deliveries were leased. */
async function take(
  tx: Tx,
  statement: typeof sql.claimFirst,
  endpoints: readonly sql.PendingRow[],
  lease: { token: string; now: number; until: number },
  inFlight: Map<string, number>,
  free: number,
): Promise<number> {
  let promised = 0;
  const counts = endpoints.map(async ({ host_id: hostId, id, most }) => {
    const before = inFlight.get(id) ?? 0;
    const room = Math.min(most - before, free - promised);
    if (room <= 0) return 0;
    promised += room;
    const count = await tx.run(statement, [hostId, id, lease.now, lease.token, lease.until, room]);
    inFlight.set(id, before + count);
    return count;
  });
  return (await Promise.all(counts)).reduce((sum, count) => sum + count, 0);
}

/** A leased delivery and the result of its attempt. */
export interface Finished {
  delivery: Claimed;
  /** Undefined when it has none; then it is due again after `waitMs`, and nothing is counted. */
  attempt: Attempt | undefined;
  waitMs?: number;
}

/**
 * Records the results of many deliveries in one transaction. Ordered by subscription, so that all workers lock
 * subscriptions in the same order.
 */
export async function settle(ctx: Context, finished: readonly Finished[]): Promise<void> {
  const ordered = finished.toSorted((a, b) => (a.delivery.webhook_id < b.delivery.webhook_id ? -1 : 1));
  const byEndpoint = Map.groupBy(ordered, ({ delivery }) => delivery.webhook_id);
  const disabled = await ctx.db.transaction(async (tx) => {
    const results = await tx.inOrder(
      [...byEndpoint].map(async ([webhookId, group]) => {
        const [reason] = await tx.inOrder([
          recordHealth(tx, group, ctx.clock.now()),
          ...group.map((each) => recordDelivery(tx, each, ctx.clock.now())),
        ]);
        if (reason !== undefined) await recordDisabled(tx, ctx.clock.now(), group[0]!.delivery, reason);
        return { webhookId, hostId: group[0]!.delivery.host_id, reason };
      }),
    );
    return results.filter(({ reason }) => reason !== undefined);
  });
  for (const { webhookId, hostId, reason } of disabled) {
    ctx.log.warn({ host_id: hostId, webhook_id: webhookId, reason }, 'webhook disabled');
  }
}

async function recordDelivery(
  tx: Tx,
  { delivery, attempt, waitMs = 0 }: Finished,
  now: number,
): Promise<void> {
  const lease = [delivery.host_id, delivery.webhook_id, delivery.event_id, delivery.lease_token];
  if (attempt === undefined) {
    await tx.run(sql.releaseLease, [...lease, now + waitMs]);
    return;
  }
  const { at, error, responseStatus, retryAfter } = attempt;
  const delay =
    error === null ? undefined : retryDelay(delivery.environment, delivery.attempts + 1, retryAfter);
  const status = error === null ? 'delivered' : delay === undefined ? 'failed' : 'pending';
  await tx.run(sql.recordAttempt, [...lease, status, at + (delay ?? 0), at, responseStatus, error]);
}

const GONE = 410;

/** One success among them ends a series of failures. Returns why the subscription was disabled, if it was. */
async function recordHealth(tx: Tx, group: readonly Finished[], now: number): Promise<string | undefined> {
  const { host_id: hostId, webhook_id: webhookId, url } = group[0]!.delivery;
  const key = [hostId, webhookId];
  const attempts = group.flatMap(({ attempt }) => attempt ?? []);
  if (attempts.length === 0) return undefined;
  const gone = group.find(({ attempt }) => attempt?.responseStatus === GONE);
  if (gone !== undefined) {
    const changed = await tx.run(sql.disableGone, [...key, now, gone.delivery.url]);
    return changed > 0 ? 'receiver_gone' : undefined;
  }
  if (attempts.some(({ error }) => error === null)) {
    await tx.run(sql.noteSuccess, key);
    return undefined;
  }
  const [, changed] = await tx.inOrder([
    tx.run(sql.noteFailure, [...key, now, url]),
    tx.run(sql.disableFailing, [...key, now, now - GIVE_UP_ENDPOINT_AFTER]),
  ]);
  return changed > 0 ? 'five_days_of_failures' : undefined;
}

/** What the worker's loop of deliveries is called, beside the names of its tasks. */
export const DELIVER = 'deliver-webhooks';
const BY_CLOCK = audit.byClock(DELIVER);

async function recordDisabled(tx: Tx, now: number, delivery: Claimed, reason: string): Promise<void> {
  const { host_id: hostId, environment, webhook_id: subject } = delivery;
  await audit.record(tx, now, BY_CLOCK, { action: 'webhook.disabled', hostId, environment, subject, reason });
}

/** An SQLite file has one worker, so leases that exist when it starts belong to a process that is gone. */
export async function releaseLeasesOfTheDead(ctx: Context): Promise<void> {
  if (ctx.db.engine !== 'sqlite') return;
  await ctx.db.transaction((tx) => tx.run(sql.releaseAllLeases, [ctx.clock.now()]));
}

/**
 * The deliveries of a host that is active again go on. Nothing was tried meanwhile, so earlier failures are not counted
 * on: a receiver that failed before would be disabled at its first one.
 */
export async function startAnew(tx: Tx, hostId: string): Promise<void> {
  await tx.run(sql.forgetFailures, [hostId]);
  tx.notify();
}
