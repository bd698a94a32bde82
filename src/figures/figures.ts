import type { Context } from '../context.ts';
import { read, write, type Sql } from '../db/database.ts';
import { logTrouble } from '../log.ts';
import { DAY_MS, MINUTE_MS } from '../time/units.ts';

// What a host's requests and deliveries came to in the last 24 hours, for whoever supports it. Counted in memory by each process and added
// to the database once a minute. A host has 96 slots, one for each quarter of an hour, and a slot is used again a day later: nothing
// has to be deleted.

export interface Last24Hours {
  /** All that named a key of the host. */
  requests: number;
  /** Those that got an error, by its code; but for the rate limit's. */
  rejected: Record<string, number>;
  rate_limited: number;
  /** Deliveries that arrived. */
  delivered: number;
  /** Attempts that did not. */
  failed: number;
}

const RATE_LIMITED = 'RATE_LIMIT_EXCEEDED';

/** So that with the time it takes to write they are at most a minute behind. */
const WRITE_EVERY_MS = 55_000;

/** Writes the figures of this process again and again, and a last time when it stops. */
export function keepFigures(ctx: Context, everyMs = WRITE_EVERY_MS): { stop(): Promise<void> } {
  let writing = Promise.resolve();
  const writeNext = (): Promise<void> => (writing = writing.then(() => writeFigures(ctx)));
  const timer = setInterval(() => void writeNext(), everyMs).unref();
  return {
    stop: () => {
      clearInterval(timer);
      return writeNext();
    },
  };
}

const HOSTS_PER_STEP = 100;

/** Adds what was counted to the database. What cannot be written waits for the next time. */
export async function writeFigures(ctx: Context): Promise<void> {
  // In order, so that processes that write the same rows lock them one after the other.
  const hosts = [...ctx.figures.take()].sort(byName);
  const quarter = Math.floor(ctx.clock.now() / QUARTER_MS);
  while (hosts.length > 0) {
    const part = hosts.slice(0, HOSTS_PER_STEP);
    try {
      await ctx.db.transaction(async (tx) => {
        await Promise.all(
          part.map(([hostId, figures]) => {
            const rows = [...figures].sort(byName).map(([figure, total]) => ({ figure, total }));
            const values = [hostId, quarter % SLOTS, quarter * QUARTER_MS, JSON.stringify(rows)];
            return tx.run(addFigures, values);
          }),
        );
      });
    } catch (error) {
      ctx.figures.putBack(new Map(hosts));
      logTrouble(ctx.log, error, {}, 'figures of hosts could not be written');
      return;
    }
    hosts.splice(0, HOSTS_PER_STEP);
  }
}

function byName([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number {
  return a < b ? -1 : 1;
}

const QUARTER_MS = 15 * MINUTE_MS;
const SLOTS = DAY_MS / QUARTER_MS;

/** A slot of another day begins anew. A process whose clock is behind does not take it back. */
const addFigures = write(`
  insert into host_figures (host_id, slot, figure, since, total)
  select $1::uuid, $2::smallint, value ->> 'figure', $3::bigint, (value ->> 'total')::bigint from rows_of($4) where true
  on conflict (host_id, slot, figure) do update set
    total = case when host_figures.since = excluded.since then host_figures.total else 0 end + excluded.total,
    since = excluded.since
  where host_figures.since <= excluded.since`);

/** In both environments. */
export async function last24Hours(db: Sql, hostId: string, now: number): Promise<Last24Hours> {
  const rows = await db.all(selectFigures, [hostId, now - DAY_MS]);
  const all = Object.fromEntries(rows.map(({ figure, total }) => [figure, total]));
  const { requests = 0, delivered = 0, failed = 0, [RATE_LIMITED]: rate_limited = 0, ...rejected } = all;
  return { requests, rejected, rate_limited, delivered, failed };
}

const selectFigures = read<{ figure: string; total: number }>(`
  select figure, cast(sum(total) as bigint) as total from host_figures
  where host_id = $1 and since > $2 group by figure order by figure`);
