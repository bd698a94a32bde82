import { writeUnlogged } from '../db/database.ts';
import { Batcher } from '../db/postgres/sharing.ts';
import { systemClock } from '../time/clock.ts';
import { type Admission, type Admit, type KeyRow, type Limiting, WINDOW_MS } from './rule.ts';

/** What was decided about all requests with one key that travelled together. */
interface DecisionRow extends KeyRow {
  hash: string;
  /** So many of them are admitted; null where no limit applies. */
  let_in: number | null;
  /** How many were in the window before them. */
  used: number;
  /** The time of the oldest in the window. */
  oldest: number;
  /** The time of the one that must leave the window before one more is admitted; null where none was refused. */
  frees: number | null;
  /** Null where no limit applies. */
  decided_at: number | null;
  /** One was refused by a window that lies in the future. */
  stuck: boolean;
}

const NOW = 'extract(epoch from clock_timestamp()) * 1000';

/** The function stands in schema/postgres.sql. Without a given time the database's own clock decides. */
const admitRequests = writeUnlogged<DecisionRow>(
  `select hash, id, host_id, environment, scopes, expires_at, revoked_at, deactivated_at, last_used_at,
    let_in, used, oldest, frees, decided_at,
    frees is not null and decided_at > coalesce($5, ${NOW}) + ${WINDOW_MS} as stuck
  from admit_requests($1, $2, $3, $4, $5)`,
);

/** After a step back of the database's clock the last decision lies in its future: the window starts anew, as in memory. */
const restartWindows = writeUnlogged(
  `update rate_windows set live_from = admitted, decided_at = 0
  where key_id = any ($1::uuid[])
    and decided_at > coalesce($2::bigint, ${NOW}) + ${WINDOW_MS}`,
);

/** Requests that arrive together are decided about in one round trip, grouped by their keys. */
export function admitOnPostgres({ db, clock, config }: Limiting): Admit {
  const limits = config.rateLimits;
  const admissions = new Batcher(async (hashes: readonly string[]) => {
    const counts = new Map<string, number>();
    // Sorted: all processes take the locks of keys in the same order.
    for (const hash of hashes.toSorted()) counts.set(hash, (counts.get(hash) ?? 0) + 1);
    const now = clock === systemClock ? null : clock.now();
    const keys = [listOf(counts.keys()), listOf(counts.values())];
    const decide = () => db.once(admitRequests, [...keys, limits.production, limits.sandbox, now]);
    let rows = await decide();
    const stuck = rows.filter((row) => row.stuck).map(({ id }) => id);
    if (stuck.length > 0) {
      await db.once(restartWindows, [listOf(stuck), now]);
      rows = await decide();
    }
    const decided = new Map(rows.map((row) => [row.hash, { row, nth: 0 }]));
    return hashes.map((hash) => {
      const decision = decided.get(hash);
      return decision && toAdmission(decision.row, decision.nth++, limits, now);
    });
  });
  return (keyHash) => admissions.call(keyHash);
}

/** Neither hashes nor numbers have a character that would need quotes. */
function listOf(values: Iterable<string | number>): string {
  return `{${[...values].join(',')}}`;
}

/** For the nth of the requests that travelled together, from 0 on. */
function toAdmission(
  row: DecisionRow,
  nth: number,
  limits: Limiting['config']['rateLimits'],
  now: number | null,
): Admission {
  if (row.decided_at === null || row.let_in === null) return { key: row, at: now ?? Date.now() };
  const limit = limits[row.environment];
  const admitted = nth < row.let_in;
  return {
    key: row,
    at: row.decided_at,
    rate: {
      admitted,
      limit,
      remaining: admitted ? limit - row.used - nth - 1 : 0,
      resetsAt: (admitted ? row.oldest : (row.frees ?? row.oldest)) + WINDOW_MS,
    },
  };
}
