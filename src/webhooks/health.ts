import * as audit from '../audit/audit.ts';
import { ownerOf } from '../caller.ts';
import { write, type Tx } from '../db/database.ts';
import type { Finished } from './attempt.ts';
import { GIVE_UP_ENDPOINT_AFTER } from './schedule.ts';

// Whether a receiver fails, and when its subscription is switched off for that.

const noteSuccess = write(`
  update webhooks set failing_since = null where host_id = $1 and id = $2 and failing_since is not null`);

/** Only for the address that was tried: a failure at an old address says nothing about the new one. */
const noteFailure = write(`
  update webhooks set failing_since = $3 where host_id = $1 and id = $2 and url = $4 and failing_since is null`);

const disableGone = write(`
  update webhooks set is_active = 0, disabled_reason = 'receiver_gone', updated_at = $3,
    failing_since = coalesce(failing_since, $5)
  where host_id = $1 and id = $2 and url = $4 and is_active = 1`);

const disableFailing = write(`
  update webhooks set is_active = 0, disabled_reason = 'five_days_of_failures', updated_at = $3
  where host_id = $1 and id = $2 and is_active = 1 and failing_since <= $4`);

const forgetFailures = write(`
  update webhooks set failing_since = null where host_id = $1 and failing_since is not null`);

export interface Disabled {
  host_id: string;
  webhook_id: string;
  reason: string;
}

/** What the worker's loop of deliveries is called, beside the names of its tasks. */
export const DELIVER = 'deliver-webhooks';
const BY_CLOCK = audit.byClock(DELIVER);

/** Notes what these deliveries of one subscription say about its receiver. Returns it if that switched it off. */
export async function recordHealth(tx: Tx, group: readonly Finished[], now: number): Promise<Disabled[]> {
  const { host_id, webhook_id } = group[0]!.delivery;
  const reason = await judge(tx, group, now);
  if (reason === undefined) return [];
  const subscription = { ...ownerOf(group[0]!.delivery), subject: webhook_id };
  await audit.record(tx, now, BY_CLOCK, { action: 'webhook.disabled', ...subscription, reason });
  return [{ host_id, webhook_id, reason }];
}

const GONE = 410;

/** One success among them ends a series of failures. Returns why the subscription was switched off, if it was. */
async function judge(tx: Tx, group: readonly Finished[], now: number): Promise<string | undefined> {
  const { host_id, webhook_id, url } = group[0]!.delivery;
  const key = [host_id, webhook_id];
  const attempts = group.flatMap(({ attempt }) => attempt ?? []);
  if (attempts.length === 0) return undefined;
  const since = Math.min(...attempts.map(({ at }) => at));
  const gone = group.find(({ attempt }) => attempt?.responseStatus === GONE);
  if (gone !== undefined) {
    const changed = await tx.run(disableGone, [...key, now, gone.delivery.url, since]);
    return changed > 0 ? 'receiver_gone' : undefined;
  }
  if (attempts.some(({ error }) => error === null)) {
    await tx.run(noteSuccess, key);
    return undefined;
  }
  const [, changed] = await Promise.all([
    tx.run(noteFailure, [...key, since, url]),
    tx.run(disableFailing, [...key, now, now - GIVE_UP_ENDPOINT_AFTER]),
  ]);
  return changed > 0 ? 'five_days_of_failures' : undefined;
}

/**
 * The deliveries of a host that is active again go on. Nothing was tried meanwhile, so earlier failures are not counted
 * on: a receiver that failed before would be disabled at its first one.
 */
export async function startAnew(tx: Tx, hostId: string): Promise<void> {
  await tx.run(forgetFailures, [hostId]);
  tx.notify();
}
