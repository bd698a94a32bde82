import type { Context } from '../context.ts';
import { write } from '../db/database.ts';
import { systemClock } from '../time/clock.ts';
import { keyOf, type Admit, type KeyRow, WINDOW_MS } from './rule.ts';

interface AdmissionRow extends KeyRow {
  admitted: boolean;
  used: number;
  oldest: number;
  /** Null where no limit applies. */
  decided_at: number | null;
}

/** The function stands in schema/postgres.sql. Without a given time the database's own clock decides. */
const admitRequest = write<AdmissionRow>('select * from admit_request($1, $2, $3, $4)', 'postgres');

export function admitOnPostgres({ db, clock, config }: Context): Admit {
  return async (keyHash) => {
    const limits = config.rateLimits;
    const now = clock === systemClock ? null : clock.now();
    const row = await db.once(admitRequest, [keyHash, limits.production, limits.sandbox, now]);
    if (row === undefined) return undefined;
    if (row.decided_at === null) return { ...keyOf(row), at: now ?? Date.now() };
    const limit = limits[row.environment];
    return {
      ...keyOf(row),
      at: row.decided_at,
      rate: {
        admitted: row.admitted,
        limit,
        // A limit that was lowered may have been exceeded before.
        remaining: Math.max(0, limit - row.used),
        resetsAt: row.oldest + WINDOW_MS,
      },
    };
  };
}
