import type { Context } from '../context.ts';
import { read, write, type Tx } from '../db/database.ts';
import { newId, NO_ID } from '../ids/uuid.ts';
import { shuffled } from '../shuffled.ts';
import { CLOCKS_DIFFER_MS } from '../time/clock.ts';
import type { Claimed } from './attempt.ts';

// How a worker finds, shares out and claims deliveries, from top to bottom. worker/deliver.ts decides when to look, attempt.ts
// sends, results.ts records. docs/decisions/0013-workers-side-by-side.md has what was tried instead, with figures.

// Each subscription has two queues, and the condition of each is that of an index, word for word: SQLite uses a partial index for
// nothing else. What is in flight is in the second, due when its lease ends, so that a claim writes two indexes and not three.
export const FIRST_ATTEMPTS = `status = 'pending' and attempts = 0 and lease_token is null`;
export const RETRIES_AND_LEASED = `status = 'pending' and (attempts > 0 or lease_token is not null)`;

/** Longer than any attempt takes. After this, others take over the deliveries of a worker that died. */
const LEASE_MS = 20_000;

/** Subscriptions of one look: 200 take about 3 ms on PostgreSQL and half of one on SQLite. */
const PAGE_ROWS = 200;

/** A subscription for which something may be pending. */
interface PendingRow extends Pick<
  Claimed,
  'host_id' | 'environment' | 'url' | 'secret' | 'old_secrets' | 'failing_since'
> {
  id: string;
  /** The oldest event that was not tried yet, and since when something is to be retried; null when nothing is due. */
  first: string | null;
  retry: number | null;
  in_flight: number;
}

const OF_W = 'd.host_id = w.host_id and d.webhook_id = w.id';

/** No subscription has as many in flight. */
const MAX_COUNTED = 1000;

/** No lease ends later than this. Behind it only retries wait, perhaps 100 000 of them. */
const LEASED_WITHIN_MS = LEASE_MS + CLOCKS_DIFFER_MS;

/** Ordered: without statistics PostgreSQL would count by the primary key, through all that the subscription ever had. */
const inFlight = (ofWebhook: string, now: string): string => `(
    select count(*) from (
      select 1 from deliveries d
      where ${ofWebhook} and ${RETRIES_AND_LEASED} and d.lease_token is not null and d.due_at > ${now}
        and d.due_at <= ${now}::bigint + ${LEASED_WITHIN_MS}
      order by d.due_at limit ${MAX_COUNTED}) as found)`;

/**
 * One page of subscriptions of active hosts with something pending, after host $2 and subscription $3. Only the first row of each queue is
 * read, so a long queue costs no more than a short one. Pages, because a look at 150 000 subscriptions at once took two seconds.
 */
export const selectPending = read<PendingRow>(`
  select w.host_id, w.id, w.environment, w.url, w.secret, w.old_secrets, w.failing_since,
    (select d.event_id from deliveries d where ${OF_W} and ${FIRST_ATTEMPTS} and d.due_at <= $1
      order by d.event_id limit 1) as first,
    (select d.due_at from deliveries d where ${OF_W} and ${RETRIES_AND_LEASED} and d.due_at <= $1
      order by d.due_at limit 1) as retry,
    ${inFlight(OF_W, '$1')} as in_flight
  from webhooks w join hosts h on h.id = w.host_id
  where w.has_pending = 1 and w.is_active = 1 and h.deactivated_at is null
    and (w.host_id, w.id) > ($2, $3)
  order by w.host_id, w.id limit $4`);

/** A worker's way through the pages. Its passes over all of them follow one another. */
export class Pass {
  #after = BEGINNING;
  #claimedAny = false;

  /** Some pages are still to come. */
  get isMidway(): boolean {
    return this.#after !== BEGINNING;
  }

  /** Claims from the next page. `more`: until a whole pass has claimed nothing. */
  async claim(ctx: Context, room: Room): Promise<{ claimed: Claimed[]; more: boolean }> {
    const now = ctx.clock.now();
    const { host_id, id } = this.#after;
    // Along indexes: statistics say that few are pending, and PostgreSQL would read and sort all of these.
    const [page] = await ctx.db.readAlongIndexes([[selectPending, [now, host_id, id, PAGE_ROWS]]]);
    const wanted = shareOut(page, room);
    const claimed =
      wanted.length === 0 ? [] : await ctx.db.transaction((tx) => claimWanted(tx, wanted, now, room));
    this.#claimedAny ||= claimed.length > 0;
    const isLast = page.length < PAGE_ROWS;
    const more = !isLast || this.#claimedAny;
    this.#after = isLast ? BEGINNING : page.at(-1)!;
    if (isLast) this.#claimedAny = false;
    return { claimed, more };
  }
}

const BEGINNING: Pick<PendingRow, 'host_id' | 'id'> = { host_id: NO_ID, id: NO_ID };

// Who gets the free places. A single queue by time would give all of them to one receiver that hangs.

const MAX_IN_FLIGHT_PER_WORKER = 1000;
/** Over all workers. Once half of a worker's places are taken it is 1, so that the rest serves many. */
const MAX_IN_FLIGHT_PER_ENDPOINT = 8;
/** A failing receiver gets one delivery at a time until one succeeds. */
const MAX_IN_FLIGHT_WHILE_FAILING = 1;
/** On SQLite other writers wait for a claim; 200 take about 7 ms. */
const MAX_ROWS_PER_CLAIM = 200;
const MAX_ENDPOINTS_PER_CLAIM = 100;

/** What a worker may take in one claim. */
export interface Room {
  rows: number;
  /** In flight to one subscription, over all workers. */
  perEndpoint: number;
}

export function roomFor(inFlight: number): Room {
  const crowded = inFlight >= MAX_IN_FLIGHT_PER_WORKER / 2;
  const free = (crowded ? MAX_IN_FLIGHT_PER_WORKER : MAX_IN_FLIGHT_PER_WORKER / 2) - inFlight;
  const perEndpoint = crowded ? 1 : MAX_IN_FLIGHT_PER_ENDPOINT;
  return { rows: Math.min(free, MAX_ROWS_PER_CLAIM), perEndpoint };
}

/** At most so many rows are to be claimed from this queue of a subscription. */
interface Wanted {
  row: PendingRow;
  queue: 'first' | 'retry';
  rows: number;
}

/** First attempts before retries, in random order, so that nobody is always last. */
function shareOut(page: readonly PendingRow[], room: Room): Wanted[] {
  const inRandomOrder = shuffled(page.filter((row) => row.in_flight < limitOf(row, room)));
  let left = room.rows;
  return (['first', 'retry'] as const).flatMap((queue) =>
    inRandomOrder
      .filter((row) => row[queue] !== null)
      .slice(0, MAX_ENDPOINTS_PER_CLAIM)
      .flatMap((row) => {
        const rows = Math.min(limitOf(row, room) - row.in_flight, left);
        left -= rows;
        return rows > 0 ? { row, queue, rows } : [];
      }),
  );
}

function limitOf({ failing_since }: PendingRow, { perEndpoint }: Room): number {
  return failing_since === null ? perEndpoint : MAX_IN_FLIGHT_WHILE_FAILING;
}

const OF_EVENT = ['type', 'data', 'created_at', 'request_id', 'traceparent'] as const;

type TakenRow = Pick<Claimed, 'event_id' | 'attempts' | (typeof OF_EVENT)[number]>;

/** Not joined: without statistics PostgreSQL went through all events to find those that were claimed. */
const EVENT_COLUMNS = OF_EVENT.map(
  (column) =>
    `(select e.${column} from events e where e.host_id = $1 and e.id = deliveries.event_id) as ${column}`,
).join(', ');

/**
 * Leases at most $6 deliveries that are due, the oldest first, and no more than make $7 in flight. The outer condition is checked again on
 * the locked row. PostgreSQL without statistics is why they are chosen first (`materialized`) and bounded by two events; the queue's own
 * condition outside would make SQLite scan everything that is due.
 */
function claimFrom(queue: string, key: 'event_id' | 'due_at') {
  return write<TakenRow>(`
  with chosen as materialized (
    select event_id from deliveries
    where host_id = $1 and webhook_id = $2 and ${queue} and due_at <= $3
      and exists (
        select 1 from webhooks w join hosts h on h.id = $1
        where w.host_id = $1 and w.id = $2 and w.is_active = 1 and w.deleted_at is null and h.deactivated_at is null)
    order by ${key} limit (
      select case when count >= $7 then 0 when $7 - count < $6 then $7 - count else $6 end
      from (select ${inFlight('d.host_id = $1 and d.webhook_id = $2', '$3')} as count) as in_flight)
    on_postgres(for update skip locked))
  update deliveries set lease_token = $4, due_at = $5
  where host_id = $1 and webhook_id = $2 and status = 'pending' and due_at <= $3
    and event_id >= (select event_id from chosen order by event_id limit 1)
    and event_id <= (select event_id from chosen order by event_id desc limit 1)
    and event_id in (select event_id from chosen)
  returning event_id, attempts, ${EVENT_COLUMNS}`);
}

export const claimFirst = claimFrom(FIRST_ATTEMPTS, 'event_id');
const claimRetries = claimFrom(RETRIES_AND_LEASED, 'due_at');

/**
 * Each subscription is locked by its name for as long as the claim takes, so that what is in flight to it is counted right;
 * those that another worker has locked are passed over. One statement for each, so that it runs on one shard of Citus.
 */
async function claimWanted(tx: Tx, wanted: readonly Wanted[], now: number, room: Room): Promise<Claimed[]> {
  const nameOf = ({ row }: Wanted): string => `deliveries to ${row.id}`;
  const locked = new Set(await tx.tryLock([...new Set(wanted.map(nameOf))]));
  const lease = { lease_token: newId(), due_at: now + LEASE_MS };
  const claims = wanted
    .filter((each) => locked.has(nameOf(each)))
    .map(async ({ row, queue, rows }): Promise<Claimed[]> => {
      const statement = queue === 'first' ? claimFirst : claimRetries;
      const leasing = [row.host_id, row.id, now, lease.lease_token, lease.due_at];
      const taken = await tx.all(statement, [...leasing, rows, limitOf(row, room)]);
      return taken.map((delivery) => ({ ...row, webhook_id: row.id, ...lease, ...delivery }));
    });
  return (await Promise.all(claims)).flat();
}
