import type { Context } from '../context.ts';
import { NodeAway } from '../errors.ts';
import { read, write, type Tx } from '../db/database.ts';
import type { EventType } from '../events/events.ts';
import type { Environment } from '../ids/api-key.ts';
import { firstIdAt, newId, NO_ID, timeOfId } from '../ids/uuid.ts';
import { shuffled } from '../shuffled.ts';
import { CLOCKS_DIFFER_MS } from '../time/clock.ts';
import { MINUTE_MS } from '../time/units.ts';
import type { Claimed, Finished } from './attempt.ts';
import { recordHealth, type Disabled } from './health.ts';
import { retryDelay } from './schedule.ts';

// How a worker finds, shares out, claims and records deliveries, from top to bottom. worker/deliver.ts decides when to look, attempt.ts
// sends, health.ts judges receivers. docs/decisions/0013-workers-side-by-side.md has what was tried instead, with figures.

// Each subscription has two queues, and the condition of each is that of an index, word for word: SQLite uses a partial index for
// nothing else. What is in flight is in the second, due when its lease ends, so that a claim writes two indexes and not three.

/** Deliveries that nobody has taken yet: first attempts. */
export function first(table = 'deliveries'): string {
  return `${table}.status = 'pending' and ${table}.attempts = 0 and ${table}.lease_token is null`;
}

/** All others that are pending: those to be tried again, and, due when their lease ends, those in a worker's hands. */
export function again(table = 'deliveries'): string {
  return `${table}.status = 'pending' and (${table}.attempts > 0 or ${table}.lease_token is not null)`;
}

/** Longer than any attempt takes. After this, others take over the deliveries of a worker that died. */
const LEASE_MS = 20_000;

/** A subscription for which something may be pending, and what of it is to be done. */
interface PendingRow {
  host_id: string;
  id: string;
  environment: Environment;
  url: string;
  secret: string;
  old_secrets: string;
  failing_since: number | null;
  /** The oldest event that was not tried yet, and since when something is to be tried again; null when nothing is due. */
  first: string | null;
  again: number | null;
  /** How many are in flight, and when the first of their leases ends. */
  taken: number;
  leased: number | null;
}

/** 200 take about 3 ms on PostgreSQL and half of one on SQLite. */
export const PAGE_ROWS = 200;

/** Of each table by itself: Citus does not conclude it from the other. */
const OF_W = 'of_all_hosts(d.host_id) and d.host_id = w.host_id and d.webhook_id = w.id';

/** Where the look begins in a queue: at the worker's mark, if it has one. */
const mark = (queue: keyof Mark): string => `($5::jsonb -> cast(w.id as text) ->> '${queue}')`;

/** Nobody has as many in flight. */
const MANY = 1000;

/** No lease ends later than this. Behind it only retries wait, perhaps 100 000 of them. */
const LEASED_WITHIN_MS = LEASE_MS + CLOCKS_DIFFER_MS;

/** Ordered: without statistics PostgreSQL would count by the primary key, through all that the subscription ever had. */
const inFlight = (ofWebhook: string, now: string, from: string): string => `from deliveries d
      where ${ofWebhook} and ${again('d')} and d.lease_token is not null and d.due_at > ${now}
        and d.due_at <= ${now}::bigint + ${LEASED_WITHIN_MS} and d.due_at >= ${from}
      order by d.due_at`;
const IN_FLIGHT = inFlight(OF_W, '$1', `coalesce(${mark('leased')}::bigint, 0)`);

/**
 * One page of subscriptions of active hosts with something pending, after host $2 and subscription $3. Only the first row of each queue is
 * read, so a long queue costs no more than a short one. Pages, because a look at 150 000 subscriptions at once took two seconds.
 */
export const selectPending = read<PendingRow>(`
  select w.host_id, w.id, w.environment, w.url, w.secret, w.old_secrets, w.failing_since,
    (select d.event_id from deliveries d where ${OF_W} and ${first('d')} and d.due_at <= $1
        and d.event_id >= coalesce(${mark('first')}::uuid, '${NO_ID}')
      order by d.event_id limit 1) as first,
    (select d.due_at from deliveries d where ${OF_W} and ${again('d')} and d.due_at <= $1
        and d.due_at >= coalesce(${mark('again')}::bigint, 0)
      order by d.due_at limit 1) as again,
    (select count(*) from (select 1 ${IN_FLIGHT} limit ${MANY}) as found) as taken,
    (select d.due_at ${IN_FLIGHT} limit 1) as leased
  from webhooks w join hosts h on h.id = w.host_id
  where of_all_hosts(w.host_id) and w.has_pending = 1 and w.is_active = 1 and h.deactivated_at is null
    and (w.host_id, w.id) > ($2, $3)
  order by w.host_id, w.id limit $4`);

/** One look and what it leads to: deliveries to send, and whether there may be more. */
export async function claim(
  ctx: Context,
  progress: Progress,
  room: Room,
): Promise<{ claimed: Claimed[]; more: boolean }> {
  const now = ctx.clock.now();
  const startedAt = performance.now();
  // Along indexes: statistics say that few are pending, and PostgreSQL would read and sort all of these.
  const [page] = await ctx.db.readAlongIndexes([[selectPending, [now, ...progress.values]]]);
  const lookedForMs = performance.now() - startedAt;
  const wanted = shareOut(page, room);
  const claimed =
    wanted.length === 0 ? [] : await ctx.db.transaction((tx) => claimWanted(tx, wanted, now, room));
  return { claimed, more: progress.passed(page, claimed.length, now, lookedForMs) };
}

// Who gets the free places. A single queue by time would give all of them to one receiver that hangs.

/** The most requests a worker has open. */
const MOST_IN_FLIGHT = 1000;
/** Deliveries leased in one transaction. On SQLite other writers wait for it; 200 take about 7 ms. */
const CLAIM_AT_ONCE = 200;
/** In flight to one subscription, over all workers. Once half of a worker's slots are taken it is 1, so that the rest serves many. */
const MOST_PER_ENDPOINT = 8;
/** A failing receiver gets one delivery at a time until one succeeds. */
const FAILING_LIMIT = 1;
/**
 * A worker with so many in flight leaves a subscription alone until half of its places are free: a claim for one place costs
 * as much as for eight.
 */
export const BUSY = 50;
const ENDPOINTS_AT_ONCE = 100;

/** What a worker may take in one claim. */
export interface Room {
  most: number;
  /** In flight to one subscription, over all workers. */
  perEndpoint: number;
  /** Subscriptions with fewer free places have to wait. */
  atLeast: number;
}

export function roomFor(inFlight: number): Room {
  const crowded = inFlight >= MOST_IN_FLIGHT / 2;
  const free = (crowded ? MOST_IN_FLIGHT : MOST_IN_FLIGHT / 2) - inFlight;
  const perEndpoint = crowded ? 1 : MOST_PER_ENDPOINT;
  const atLeast = inFlight < BUSY ? 1 : Math.ceil(perEndpoint / 2);
  return { most: Math.min(free, CLAIM_AT_ONCE), perEndpoint, atLeast };
}

/** At most so many deliveries are to be claimed from this queue of a subscription. */
interface Wanted {
  row: PendingRow;
  queue: 'first' | 'again';
  most: number;
}

/** First attempts before retries, in random order, so that nobody is always last. */
function shareOut(page: readonly PendingRow[], { most: free, perEndpoint, atLeast }: Room): Wanted[] {
  const isReady = (row: PendingRow): boolean => {
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

function limitOf({ failing_since }: PendingRow, perEndpoint: number): number {
  return failing_since === null ? perEndpoint : FAILING_LIMIT;
}

interface TakenRow {
  event_id: string;
  attempts: number;
  type: EventType;
  data: string;
  created_at: number;
  request_id: string | null;
  traceparent: string | null;
}

/** Not joined: without statistics PostgreSQL went through all events to find those that were claimed. */
const ofEvent = (column: Exclude<keyof TakenRow, 'event_id' | 'attempts'>): string =>
  `(select e.${column} from events e where e.host_id = $1 and e.id = deliveries.event_id) as ${column}`;

/**
 * Leases at most $6 deliveries that are due, the oldest first, from where the look found the first ($8, and $9 of those in flight), and no more than
 * make $7 in flight. The outer condition is checked again on the locked row. PostgreSQL without statistics is why they are chosen first
 * (`materialized`) and bounded by two events; the queue's own condition outside would make SQLite scan everything that is due.
 */
function claimFrom(queue: string, key: 'event_id' | 'due_at') {
  return write<TakenRow>(`
  with chosen as materialized (
    select event_id from deliveries
    where host_id = $1 and webhook_id = $2 and ${queue} and due_at <= $3 and ${key} >= $8
      and exists (
        select 1 from webhooks w join hosts h on h.id = $1
        where w.host_id = $1 and w.id = $2 and w.is_active = 1 and w.deleted_at is null and h.deactivated_at is null)
    order by ${key} limit (
      select case when count(*) >= $7 then 0 when $7 - count(*) < $6 then $7 - count(*) else $6 end from (
        select 1 ${inFlight('d.host_id = $1 and d.webhook_id = $2', '$3', '$9')} limit ${MANY}) as in_flight)
    on_postgres(for update skip locked))
  update deliveries set lease_token = $4, due_at = $5
  where host_id = $1 and webhook_id = $2 and status = 'pending' and due_at <= $3
    and event_id >= (select event_id from chosen order by event_id limit 1)
    and event_id <= (select event_id from chosen order by event_id desc limit 1)
    and event_id in (select event_id from chosen)
  returning event_id, attempts, ${ofEvent('type')}, ${ofEvent('data')}, ${ofEvent('created_at')}, ${ofEvent('request_id')},
    ${ofEvent('traceparent')}`);
}

export const claimFirst = claimFrom(first(), 'event_id');
const claimAgain = claimFrom(again(), 'due_at');

/**
 * Each subscription is locked by its name for as long as the claim takes, so that what is in flight to it is counted right;
 * those that another worker has locked are passed over. One statement for each, so that it runs on one shard of Citus.
 */
async function claimWanted(
  tx: Tx,
  wanted: readonly Wanted[],
  now: number,
  { perEndpoint }: Room,
): Promise<Claimed[]> {
  const locked = new Set(await tx.tryLock([...new Set(wanted.map(({ row }) => `deliveries to ${row.id}`))]));
  const lease = { lease_token: newId(), due_at: now + LEASE_MS };
  const claims = wanted
    .filter(({ row }) => locked.has(`deliveries to ${row.id}`))
    .map(async ({ row, queue, most }): Promise<Claimed[]> => {
      const statement = queue === 'first' ? claimFirst : claimAgain;
      const leasing = [row.host_id, row.id, now, lease.lease_token, lease.due_at];
      const bounds = [most, limitOf(row, perEndpoint), row[queue], leasedFrom(row, now)];
      const taken = await tx.all(statement, [...leasing, ...bounds]);
      return taken.map((delivery) => ({ ...row, webhook_id: row.id, ...lease, ...delivery }));
    });
  return (await Promise.all(claims)).flat();
}

// As long as somebody's transaction is open on PostgreSQL, a dump's for example, all that was delivered meanwhile stays in the indexes,
// and a look from the beginning of a queue reads over it. So a worker remembers a mark in each queue, before which there is nothing.

/** An event and two due times. */
interface Mark {
  readonly first: string;
  readonly again: number;
  readonly leased: number;
}

/** A commit that comes later than this after the time it wrote down is found only by a pass from the beginning. */
const LATE_MS = 3000;

function markOf(row: PendingRow, now: number): Mark {
  // The time of ids is not that of the context's clock: ask a new one.
  const latest = firstIdAt(timeOfId(newId()) - LATE_MS);
  return {
    first: row.first !== null && row.first < latest ? row.first : latest,
    again: Math.min(row.again ?? Infinity, now - LATE_MS),
    leased: leasedFrom(row, now),
  };
}

function leasedFrom({ leased }: PendingRow, now: number): number {
  return Math.min(leased ?? Infinity, now - LATE_MS + LEASE_MS);
}

const BEGINNING: Pick<PendingRow, 'host_id' | 'id'> = { host_id: NO_ID, id: NO_ID };

/**
 * A pass from the beginning of the queues comes when so many times its own duration have gone by, and takes at most a
 * fiftieth of one connection's time, whatever has piled up: every tenth of a second on an idle database, every five seconds
 * where it takes a tenth of a second. Only such a pass finds what was committed late, written by a machine whose clock is
 * behind, or sent again by the operator.
 */
const REST = 50;

/** How far a worker has come on its way through the pages, and its marks. */
export class Progress {
  #after = BEGINNING;
  #claimedAny = false;
  /** Those of each page, by the subscription before it. */
  readonly #marks = new Map<string, string>();
  #fromBeginning = true;
  #beginAgainAt = 0;
  #lookingMs = 0;
  #lastLook = 0;

  /** What selectPending needs to know of it. */
  get values(): [hostId: string, id: string, most: number, marks: string] {
    const { host_id, id } = this.#after;
    return [host_id, id, PAGE_ROWS, this.#marks.get(id) ?? '{}'];
  }

  /** Some pages of this pass are still to come. */
  get isMidway(): boolean {
    return this.#after !== BEGINNING;
  }

  /** Call after each page. True until a full pass over all pages has claimed nothing. */
  passed(page: readonly PendingRow[], claimed: number, now: number, lookedForMs: number): boolean {
    // A clock that was set back: what is due by it now may lie before the marks.
    if (now < this.#lastLook) this.#beginAgainAt = 0;
    this.#lastLook = now;
    this.#lookingMs += lookedForMs;
    const marks = Object.fromEntries(page.map((row) => [row.id, markOf(row, now)]));
    this.#marks.set(this.#after.id, JSON.stringify(marks));
    this.#claimedAny ||= claimed > 0;
    const last = page.at(-1);
    if (last !== undefined && page.length === PAGE_ROWS) {
      this.#after = last;
      return true;
    }
    const more = this.#claimedAny;
    const at = performance.now();
    if (this.#fromBeginning) this.#beginAgainAt = at + REST * this.#lookingMs;
    this.#fromBeginning = at >= this.#beginAgainAt;
    if (this.#fromBeginning) this.#marks.clear();
    this.#after = BEGINNING;
    this.#claimedAny = false;
    this.#lookingMs = 0;
    return more;
  }
}

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
 * transaction. Ordered by host and subscription, so that all workers lock subscriptions in the same order. Returns those that could
 * not be recorded, because the node of their host is away.
 */
export async function settle(ctx: Context, finished: readonly Finished[]): Promise<Finished[]> {
  const byHost = [...Map.groupBy(finished.toSorted(byEndpoint), ({ delivery }) => delivery.host_id)];
  try {
    await settleTogether(ctx, finished, byHost);
    return [];
  } catch (error) {
    if (!(error instanceof NodeAway) || byHost.length === 1) throw error;
    return (await Promise.all(byHost.map(([, part]) => settle(ctx, part).catch(() => part)))).flat();
  }
}

async function settleTogether(
  ctx: Context,
  finished: readonly Finished[],
  byHost: readonly [hostId: string, ofHost: Finished[]][],
): Promise<void> {
  if (byHost.length === 1 && finished.every(isPlainSuccess)) {
    await ctx.db.once(recordAttempts, [byHost[0]![0], resultsOf(finished)]);
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
  update deliveries set lease_token = null, due_at = $1 where ${again()} and lease_token is not null`);

/** An SQLite file has one worker, so leases that exist when it starts belong to a process that is gone. */
export async function releaseLeasesOfTheDead(ctx: Context): Promise<void> {
  if (ctx.db.engine !== 'sqlite') return;
  await ctx.db.transaction((tx) => tx.run(releaseAllLeases, [ctx.clock.now()]));
}

const HASTEN_AT_ONCE = 1000;

/** Not those that a worker has, which are being sent, nor those that failed anew since then. */
const RETRIES = `host_id = $1 and webhook_id = $2 and ${again()} and lease_token is null and due_at > $3
    and last_attempt_at <= $3`;

/** On SQLite other writers wait for it: 1 000 take 5 ms, 100 000 in one statement took 2 s. */
const hastenRetries = write(`
  update deliveries set due_at = $3
  where ${RETRIES} and due_at <= coalesce((
    select due_at from deliveries where ${RETRIES} order by due_at limit 1 offset ${HASTEN_AT_ONCE - 1}), ${Number.MAX_SAFE_INTEGER})`);

/** Retries of a subscription do not wait for their time. Returns whether there are more; `hastenRest` then sees to these. */
export async function hasten(tx: Tx, hostId: string, webhookId: string, now: number): Promise<boolean> {
  tx.notify();
  return (await tx.run(hastenRetries, [hostId, webhookId, now])) >= HASTEN_AT_ONCE;
}

/** Call after the commit: on SQLite others write in between. */
export async function hastenRest(ctx: Context, hostId: string, webhookId: string): Promise<void> {
  const now = ctx.clock.now();
  while (await ctx.db.transaction((tx) => hasten(tx, hostId, webhookId, now)));
}

const QUIET_MS = 10 * MINUTE_MS;

const holds = (queue: string): string => `exists (
  select 1 from deliveries d where d.host_id = webhooks.host_id and d.webhook_id = webhooks.id and ${queue})`;

const PENDING = `(${holds(first('d'))} or ${holds(again('d'))})`;

/** Ids of events sort by time: the last one is the newest. */
const forgetIdle = write(`
  update webhooks set has_pending = 0
  where has_pending = 1 and not ${PENDING} and coalesce((
    select e.created_at from deliveries d join events e on e.host_id = d.host_id and e.id = d.event_id
    where d.host_id = webhooks.host_id and d.webhook_id = webhooks.id
    order by d.event_id desc limit 1), 0) < $1`);

const findForgotten = write(`
  update webhooks set has_pending = 1 where has_pending = 0 and is_active = 1 and ${PENDING}`);

/**
 * An event sets has_pending on its subscriptions; this resets it when nothing is pending any more, so that workers look
 * only where there is work. It waits ten minutes after the last event: a transaction that found has_pending set does not
 * set it again, and may still be uncommitted. Should one take even longer, findForgotten sets it again.
 */
export async function tidyPending(ctx: Context): Promise<boolean> {
  await ctx.db.transaction(async (tx) => {
    await Promise.all([tx.run(forgetIdle, [ctx.clock.now() - QUIET_MS]), tx.run(findForgotten)]);
  });
  return false;
}
