import type { QueryConfig } from 'pg';

// Which transactions are open, and since when, over all processes (decision 0016). Each says when its body began, by a lock that
// nobody waits for. The server's own view of its sessions would not do: it knows nothing of what was done before the first statement
// arrived, hides the sessions of other roles, and counts those that only read.

/** A transaction whose first statement arrives later than this after its body began does nothing. */
const ARRIVAL_MS = 10_000;
/** By how much the server's clock may be moved, or a process be wrong about it, without a transaction going unseen. */
const CLOCK_ERROR_MS = 2000;

/** The two numbers of such a lock: this one, and seconds since 2020, which fit until 2088. */
const KIND = 18_507;
const EPOCH_S = 1_577_836_800;

const NOW = 'extract(epoch from clock_timestamp())::float8';

/** $1 is when the body began, by the server's clock. A negative number has no root, so what arrives late ends here. */
const SAY_OPEN = `
  select sqrt($1::float8 + ${ARRIVAL_MS / 1000} - ${NOW}), ${NOW} as now,
    pg_advisory_xact_lock_shared(${KIND}, floor($1::float8 - ${EPOCH_S})::integer)`;

export const ASK_CLOCK: QueryConfig = { name: 'hk_clock', text: `select ${NOW} as now` };

const OLDEST_OPEN: QueryConfig = {
  name: 'hk_oldest_open',
  text: `select (${NOW} - ${EPOCH_S} - min(objid::bigint)) * 1000 as open_ms from pg_locks
    where locktype = 'advisory' and classid = ${KIND} and objsubid = 2
      and database = (select oid from pg_database where datname = current_database())`,
};

export interface ClockRow {
  readonly now: number;
}

/** What a process knows of the server's clock. */
export class ServerClock {
  /** By how much it is ahead of `performance.now()`, in milliseconds. Undefined again when a transaction came late. */
  aheadMs: number | undefined;

  /** A response that took longer than a second is too old to go by, unless there is no other. */
  learn({ now }: ClockRow, sentAt: number): number {
    const received = performance.now();
    if (this.aheadMs === undefined || received - sentAt <= 1000) this.aheadMs = now * 1000 - received;
    return this.aheadMs;
  }
}

/** The first statement of a transaction. `aheadMs` was known when its body began: others may have forgotten it since. */
export function sayOpen(aheadMs: number, bodyBeganAt: number): QueryConfig {
  return { name: 'hk_open', text: SAY_OPEN, values: [(aheadMs + bodyBeganAt) / 1000] };
}

/** The server refused a transaction because it came late, or because this process is wrong about the server's clock. */
export function cameLate(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === '2201F';
}

/** How long ago a transaction may have begun that is open, or still under way to the server: whole milliseconds, as all our times. */
export async function longestOpenMs(
  ask: (question: QueryConfig) => Promise<{ rows: { open_ms: number | null }[] }>,
): Promise<number> {
  const { rows } = await ask(OLDEST_OPEN);
  return Math.max(Math.ceil(rows[0]!.open_ms ?? 0), ARRIVAL_MS) + CLOCK_ERROR_MS;
}
