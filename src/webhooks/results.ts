import type { Context } from '../context.ts';
import { write, type Tx } from '../db/database.ts';
import type { Finished } from './attempt.ts';
import { recordHealth, type Disabled } from './health.ts';
import { RETRIES_AND_LEASED } from './queue.ts';
import { retryDelay } from './schedule.ts';

// What became of the deliveries that a worker claimed.

/**
 * The results of many attempts of one host's deliveries, where each was a statement of its own. Needs the token of each
 * lease, so that a worker that comes back late cannot overwrite another's result. The host inside the list makes PostgreSQL
 * expect few rows, so that it looks them up one by one instead of reading all that the host has.
 */
const recordAttempts = write(`
  with results as materialized (
    select (value ->> 'webhook_id')::uuid as r_webhook_id, (value ->> 'event_id')::uuid as r_event_id,
      (value ->> 'lease_token')::uuid as r_lease_token, value ->> 'status' as r_status,
      (value ->> 'due_at')::bigint as r_due_at, (value ->> 'at')::bigint as r_at,
      (value ->> 'response_status')::smallint as r_response_status, value ->> 'error' as r_error
    from rows_of($2) where (value ->> 'host_id')::uuid = $1)
  update deliveries set status = r_status, attempts = attempts + 1, due_at = r_due_at, lease_token = null,
    last_attempt_at = r_at, response_status = r_response_status, error = r_error
  from results
  where host_id = $1 and webhook_id = r_webhook_id and event_id = r_event_id and lease_token = r_lease_token`);

const releaseLease = write(`
  update deliveries set lease_token = null, due_at = $5
  where host_id = $1 and webhook_id = $2 and event_id = $3 and lease_token = $4`);

/**
 * Records the results of many deliveries: as long as all is well, one statement for each host, and for one host alone no
 * transaction. Ordered by host and subscription, so that all workers lock subscriptions in the same order.
 */
export async function recordResults(ctx: Context, finished: readonly Finished[]): Promise<void> {
  const byHost = [...Map.groupBy(finished.toSorted(byEndpoint), ({ delivery }) => delivery.host_id)];
  if (byHost.length === 1 && finished.every(isPlainSuccess)) {
    await ctx.db.once(recordAttempts, [byHost[0]![0], resultsOf(finished)]);
    return;
  }
  const disabled = await ctx.db.transaction(async (tx) => {
    const now = ctx.clock.now();
    return (
      await Promise.all(byHost.map(([hostId, ofHost]) => recordOfHost(tx, hostId, ofHost, now)))
    ).flat();
  });
  for (const about of disabled) ctx.log.warn(about, 'webhook disabled');
}

function byEndpoint({ delivery: a }: Finished, { delivery: b }: Finished): number {
  return `${a.host_id}${a.webhook_id}` < `${b.host_id}${b.webhook_id}` ? -1 : 1;
}

/** Returns which of its subscriptions were disabled. */
async function recordOfHost(
  tx: Tx,
  hostId: string,
  finished: readonly Finished[],
  now: number,
): Promise<Disabled[]> {
  const groups = [...Map.groupBy(finished, ({ delivery }) => delivery.webhook_id).values()];
  const notable = groups.filter((group) => !group.every(isPlainSuccess));
  const [disabled] = await Promise.all([
    Promise.all(notable.map((group) => recordHealth(tx, group, now))),
    tx.run(recordAttempts, [hostId, resultsOf(finished)]),
    ...finished
      .filter(({ attempt }) => attempt === undefined)
      .map(({ delivery: { webhook_id, event_id, lease_token }, waitMs = 0 }) =>
        tx.run(releaseLease, [hostId, webhook_id, event_id, lease_token, now + waitMs]),
      ),
  ]);
  return disabled.flat();
}

/**
 * Nothing is to be noted of the subscription. That it did not fail is as old as the claim; a failure that another
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

const releaseAllLeases = write(`
  update deliveries set lease_token = null, due_at = $1 where ${RETRIES_AND_LEASED} and lease_token is not null`);

/** An SQLite file has one worker, so leases that exist when it starts belong to a process that is gone. */
export async function releaseLeasesOfTheDead(ctx: Context): Promise<void> {
  if (ctx.db.engine !== 'sqlite') return;
  await ctx.db.transaction((tx) => tx.run(releaseAllLeases, [ctx.clock.now()]));
}
