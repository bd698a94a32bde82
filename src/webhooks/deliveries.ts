import * as audit from '../audit/audit.ts';
import type { Context } from '../context.ts';
import type { Tx } from '../db/database.ts';
import type { Attempt } from './attempt.ts';
import type { Claimed } from './claim.ts';
import * as sql from './delivery-sql.ts';
import { GIVE_UP_ENDPOINT_AFTER, retryDelay } from './schedule.ts';

/** A leased delivery and the result of its attempt. */
export interface Finished {
  delivery: Claimed;
  /** Undefined when it has none; then it is due again after `waitMs`, and nothing is counted. */
  attempt: Attempt | undefined;
  waitMs?: number;
}

/**
 * Records the results of many deliveries: as long as all is well, one statement for each host, and for one host alone no
 * transaction. Ordered by host and subscription, so that all workers lock subscriptions in the same order.
 */
export async function settle(ctx: Context, finished: readonly Finished[]): Promise<void> {
  const byHost = [...Map.groupBy(finished.toSorted(byEndpoint), ({ delivery }) => delivery.host_id)];
  if (byHost.length === 1 && finished.every(isPlainSuccess)) {
    await ctx.db.once(sql.recordAttempts, [byHost[0]![0], resultsOf(finished)]);
    return;
  }
  const disabled = await ctx.db.transaction(async (tx) => {
    const now = ctx.clock.now();
    return (
      await Promise.all(byHost.map(([hostId, ofHost]) => settleOfHost(tx, hostId, ofHost, now)))
    ).flat();
  });
  for (const about of disabled) ctx.log.warn(about, 'webhook disabled');
}

function byEndpoint({ delivery: a }: Finished, { delivery: b }: Finished): number {
  return `${a.host_id}${a.webhook_id}` < `${b.host_id}${b.webhook_id}` ? -1 : 1;
}

interface Disabled {
  host_id: string;
  webhook_id: string;
  reason: string;
}

/** Returns which of its subscriptions were disabled. */
async function settleOfHost(
  tx: Tx,
  hostId: string,
  finished: readonly Finished[],
  now: number,
): Promise<Disabled[]> {
  const groups = [...Map.groupBy(finished, ({ delivery }) => delivery.webhook_id).values()];
  const notable = groups.filter((group) => !group.every(isPlainSuccess));
  const [disabled] = await Promise.all([
    Promise.all(notable.map((group) => recordEndpoint(tx, group, now))),
    tx.run(sql.recordAttempts, [hostId, resultsOf(finished)]),
    ...finished.map((each) => release(tx, each, now)),
  ]);
  return disabled.flat();
}

/**
 * Nothing else is to be noted. That the subscription did not fail is as old as the claim; a failure that another
 * delivery has brought since then is forgotten by the next success.
 */
function isPlainSuccess({ delivery, attempt }: Finished): boolean {
  return attempt !== undefined && attempt.error === null && delivery.failing_since === null;
}

function resultsOf(finished: readonly Finished[]): string {
  return JSON.stringify(
    finished.flatMap(({ delivery, attempt }) => {
      if (attempt === undefined) return [];
      const { host_id, webhook_id, event_id, lease_token, environment, attempts } = delivery;
      const { at, error, responseStatus: response_status, retryAfter } = attempt;
      const delay = error === null ? undefined : retryDelay(environment, attempts + 1, retryAfter);
      const status = error === null ? 'delivered' : delay === undefined ? 'failed' : 'pending';
      const due_at = at + (delay ?? 0);
      return { host_id, webhook_id, event_id, lease_token, status, due_at, at, response_status, error };
    }),
  );
}

async function release(tx: Tx, { delivery, attempt, waitMs = 0 }: Finished, now: number): Promise<void> {
  if (attempt !== undefined) return;
  const { host_id, webhook_id, event_id, lease_token } = delivery;
  await tx.run(sql.releaseLease, [host_id, webhook_id, event_id, lease_token, now + waitMs]);
}

async function recordEndpoint(tx: Tx, group: readonly Finished[], now: number): Promise<Disabled[]> {
  const { delivery } = group[0]!;
  const reason = await recordHealth(tx, group, now);
  if (reason === undefined) return [];
  await recordDisabled(tx, now, delivery, reason);
  return [{ host_id: delivery.host_id, webhook_id: delivery.webhook_id, reason }];
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
  const [, changed] = await Promise.all([
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
