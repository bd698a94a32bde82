import type { Context } from '../context.ts';
import type { Tx } from '../db/database.ts';
import { newId } from '../ids/uuid.ts';
import type { Attempt } from './attempt.ts';
import * as sql from './delivery-sql.ts';
import { GIVE_UP_ENDPOINT_AFTER, retryDelay } from './schedule.ts';

export type Claimed = sql.ClaimedRow;

/** Longer than any attempt takes. A worker that dies leaves its deliveries to others after this. */
const LEASE_MS = 20_000;
const ENDPOINTS_AT_ONCE = 100;

interface Round {
  /** The last subscription that was looked at. */
  after: string;
  isOver: boolean;
}

/** How far a worker has come in its rounds through the subscriptions: with first attempts, and with retries. */
export class Rounds {
  readonly first: Round = { after: '', isOver: false };
  readonly again: Round = { after: '', isOver: false };
  #found = false;

  /**
   * After a look at both: whether to look again at once, which is until a whole round has found nothing. Where one of
   * the two is over first it starts anew meanwhile, so that what is new need not wait for many retries.
   */
  goOn(found: boolean): boolean {
    this.#found ||= found;
    if (!this.first.isOver || !this.again.isOver) return true;
    const more = this.#found;
    this.first.isOver = this.again.isOver = this.#found = false;
    return more;
  }
}

interface Claim {
  claimed: Claimed[];
  /** Whether there may be more. */
  more: boolean;
}

/**
 * Takes what is due, for this worker alone and for as long as the lease: at most `free` deliveries, from each
 * subscription at most `perEndpoint` in flight over all workers, first attempts before retries. A queue in
 * order of time would hand every slot to one receiver that hangs.
 */
export async function claim(ctx: Context, rounds: Rounds, free: number, perEndpoint: number): Promise<Claim> {
  const now = ctx.clock.now();
  const ready = async (round: Round, look: typeof sql.first.look): Promise<Endpoint[]> => {
    const looks = await ctx.db.all(look, [now, perEndpoint, ENDPOINTS_AT_ONCE, round.after]);
    const { lanes, last } = looks[0]!;
    const atTheEnd = last === null || lanes < sql.LANES_AT_ONCE;
    round.after = atTheEnd ? '' : last;
    round.isOver ||= atTheEnd;
    return looks.flatMap(({ id, most }) => (id === null ? [] : { id, most }));
  };
  const [first, again] = await Promise.all([
    ready(rounds.first, sql.first.look),
    ready(rounds.again, sql.again.look),
  ]);
  if (first.length + again.length === 0) return { claimed: [], more: rounds.goOn(false) };
  const claimed = await ctx.db.transaction(async (tx) => {
    // Claims come one after another, in all processes. Counted under the lock: others may have taken some meanwhile.
    const [, counted] = await Promise.all([tx.lock('delivery claims'), tx.all(sql.countInFlight, [now])]);
    const inFlight = new Map(counted.map((row) => [row.webhook_id, row.taken]));
    const lease = { token: newId(), now, until: now + LEASE_MS };
    const taken = await take(tx, sql.first.claim, first, lease, inFlight, free);
    await take(tx, sql.again.claim, again, lease, inFlight, free - taken);
    return tx.all(sql.selectClaimed, [lease.token]);
  });
  return { claimed, more: rounds.goOn(claimed.length > 0) };
}

interface Endpoint {
  id: string;
  /** How many may be in flight to it. */
  most: number;
}

/** One statement a subscription, all of them together; answers how many were taken. */
async function take(
  tx: Tx,
  statement: typeof sql.first.claim,
  endpoints: readonly Endpoint[],
  lease: { token: string; now: number; until: number },
  inFlight: Map<string, number>,
  free: number,
): Promise<number> {
  let promised = 0;
  const counts = endpoints.map(async ({ id, most }) => {
    const before = inFlight.get(id) ?? 0;
    const room = Math.min(most - before, free - promised);
    if (room <= 0) return 0;
    promised += room;
    const count = await tx.run(statement, [id, lease.now, lease.token, lease.until, room]);
    inFlight.set(id, before + count);
    return count;
  });
  return (await Promise.all(counts)).reduce((sum, count) => sum + count, 0);
}

/** A delivery that was claimed, with what came of it; undefined when it was abandoned. */
export interface Finished {
  delivery: Claimed;
  attempt: Attempt | undefined;
}

/**
 * Records what came of deliveries, many in one transaction. Ordered by subscription, so that workers who
 * record for the same ones take their locks in the same order.
 */
export async function settle(ctx: Context, finished: readonly Finished[]): Promise<void> {
  const ordered = finished.toSorted((a, b) => (a.delivery.webhook_id < b.delivery.webhook_id ? -1 : 1));
  const byEndpoint = Map.groupBy(ordered, ({ delivery }) => delivery.webhook_id);
  const disabled = await ctx.db.transaction(async (tx) => {
    const results = await Promise.all(
      [...byEndpoint].map(async ([webhookId, group]) => {
        const [reason] = await Promise.all([
          recordHealth(tx, webhookId, group, ctx.clock.now()),
          ...group.map((each) => recordDelivery(tx, each, ctx.clock.now())),
        ]);
        return { webhookId, reason };
      }),
    );
    return results.filter(({ reason }) => reason !== undefined);
  });
  for (const { webhookId, reason } of disabled) {
    ctx.log.warn({ webhook_id: webhookId, reason }, 'webhook disabled');
  }
}

async function recordDelivery(tx: Tx, { delivery, attempt }: Finished, now: number): Promise<void> {
  const lease = [delivery.event_id, delivery.webhook_id, delivery.lease_token];
  if (attempt === undefined) {
    await tx.run(sql.releaseLease, [...lease, now]);
    return;
  }
  const { at, error, responseStatus, retryAfter } = attempt;
  const delay =
    error === null ? undefined : retryDelay(delivery.environment, delivery.attempts + 1, retryAfter);
  const status = error === null ? 'delivered' : delay === undefined ? 'failed' : 'pending';
  await tx.run(sql.recordAttempt, [...lease, status, at + (delay ?? 0), at, responseStatus, error]);
}

const GONE = 410;

/** One success among them ends a row of failures. Answers why the subscription was switched off, if it was. */
async function recordHealth(
  tx: Tx,
  webhookId: string,
  group: readonly Finished[],
  now: number,
): Promise<string | undefined> {
  const attempts = group.flatMap(({ attempt }) => attempt ?? []);
  if (attempts.length === 0) return undefined;
  const gone = group.find(({ attempt }) => attempt?.responseStatus === GONE);
  if (gone !== undefined) {
    const changed = await tx.run(sql.disableGone, [webhookId, now, gone.delivery.url]);
    return changed > 0 ? 'receiver_gone' : undefined;
  }
  if (attempts.some(({ error }) => error === null)) {
    await tx.run(sql.noteSuccess, [webhookId]);
    return undefined;
  }
  const [, changed] = await Promise.all([
    tx.run(sql.noteFailure, [webhookId, now, group[0]!.delivery.url]),
    tx.run(sql.disableFailing, [webhookId, now, now - GIVE_UP_ENDPOINT_AFTER]),
  ]);
  return changed > 0 ? 'five_days_of_failures' : undefined;
}

/** An SQLite file has one worker: whatever is leased when it starts, it is nobody's any more. */
export async function releaseLeasesOfTheDead(ctx: Context): Promise<void> {
  if (ctx.db.engine !== 'sqlite') return;
  await ctx.db.transaction((tx) => tx.run(sql.releaseAllLeases, [ctx.clock.now()]));
}
