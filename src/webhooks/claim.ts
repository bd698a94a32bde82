import type { Context } from '../context.ts';
import type { Tx } from '../db/database.ts';
import type { EventType } from '../events/events.ts';
import type { Environment } from '../ids/api-key.ts';
import { newId } from '../ids/uuid.ts';
import { shuffled } from '../shuffled.ts';
import * as sql from './delivery-sql.ts';
import { LEASE_MS, leasedFrom, type Progress } from './progress.ts';

/** A delivery that this worker has leased, with all it needs to send it. */
export interface Claimed {
  host_id: string;
  webhook_id: string;
  event_id: string;
  attempts: number;
  lease_token: string;
  /** When the lease ends. */
  due_at: number;
  type: EventType;
  data: string;
  created_at: number;
  environment: Environment;
  url: string;
  secret: string;
  old_secrets: string;
  failing_since: number | null;
}

export interface Claim {
  claimed: Claimed[];
  /** Whether there may be more. */
  more: boolean;
}

const ENDPOINTS_AT_ONCE = 100;
/** A failing receiver gets one delivery at a time until one succeeds. */
const FAILING_LIMIT = 1;

/**
 * Leases deliveries that are due: at most `free`, and at most `perEndpoint` in flight to one subscription over all
 * workers, first attempts before retries. A single queue by time would give every slot to one receiver that hangs.
 * Subscriptions with fewer than `atLeast` free places have to wait.
 *
 * The look over all subscriptions locks nothing. Those with something to do are locked one by one for as long as the claim
 * takes, so that what is in flight to them is counted right; those that another worker is claiming for are passed over.
 */
export async function claim(
  ctx: Context,
  progress: Progress,
  free: number,
  perEndpoint: number,
  atLeast = 1,
): Promise<Claim> {
  const now = ctx.clock.now();
  const startedAt = performance.now();
  const [page] = await ctx.db.readAlongIndexes([[sql.selectPending, [now, ...progress.values]]]);
  const lookedForMs = performance.now() - startedAt;
  const wanted = shareOut(page, free, perEndpoint, atLeast);
  const claimed =
    wanted.length === 0 ? [] : await ctx.db.transaction((tx) => claimWanted(tx, wanted, now, perEndpoint));
  return { claimed, more: progress.passed(page, claimed.length, now, lookedForMs) };
}

/** At most so many deliveries are to be claimed from this queue of a subscription. */
interface Wanted {
  row: sql.PendingRow;
  queue: 'first' | 'again';
  most: number;
}

/** Who gets the free places: first attempts before retries, in random order, so that nobody is always last. */
function shareOut(
  page: readonly sql.PendingRow[],
  free: number,
  perEndpoint: number,
  atLeast: number,
): Wanted[] {
  const isReady = (row: sql.PendingRow): boolean => {
    const limit = limitOf(row, perEndpoint);
    return limit - row.taken >= Math.min(limit, atLeast);
  };
  const rows = shuffled(page.filter(isReady));
  let left = free;
  return (['first', 'again'] as const).flatMap((queue) =>
    rows
      .filter((row) => row[queue] !== null)
      .slice(0, ENDPOINTS_AT_ONCE)
      .flatMap((row) => {
        const most = Math.min(limitOf(row, perEndpoint) - row.taken, left);
        left -= most;
        return most > 0 ? { row, queue, most } : [];
      }),
  );
}

function limitOf({ failing_since }: sql.PendingRow, perEndpoint: number): number {
  return failing_since === null ? perEndpoint : FAILING_LIMIT;
}

async function claimWanted(
  tx: Tx,
  wanted: readonly Wanted[],
  now: number,
  perEndpoint: number,
): Promise<Claimed[]> {
  const locked = new Set(await tx.tryLock([...new Set(wanted.map(({ row }) => `deliveries to ${row.id}`))]));
  const lease = { lease_token: newId(), due_at: now + LEASE_MS };
  const claims = wanted
    .filter(({ row }) => locked.has(`deliveries to ${row.id}`))
    .map(async ({ row, queue, most }): Promise<Claimed[]> => {
      const { host_id, id: webhook_id, environment, url, secret, old_secrets, failing_since } = row;
      const endpoint = { host_id, webhook_id, environment, url, secret, old_secrets, failing_since };
      const statement = queue === 'first' ? sql.claimFirst : sql.claimAgain;
      const leasing = [host_id, webhook_id, now, lease.lease_token, lease.due_at];
      const bounds = [most, limitOf(row, perEndpoint), row[queue], leasedFrom(row, now)];
      const taken = await tx.all(statement, [...leasing, ...bounds]);
      return taken.map((delivery) => ({ ...endpoint, ...lease, ...delivery }));
    });
  return (await Promise.all(claims)).flat();
}
