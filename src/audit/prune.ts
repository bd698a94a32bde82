import type { Context } from '../context.ts';
import { write } from '../db/database.ts';
import { DAY_MS } from '../time/units.ts';

const MAX_ROWS_PER_PRUNE = 500;

/** Deletes some of the entries past their retention, the oldest first. True when there may be more of them. */
export async function prune(ctx: Context): Promise<boolean> {
  const before = ctx.clock.now() - ctx.config.auditRetentionDays * DAY_MS;
  const deleted = await ctx.db.transaction((tx) => tx.run(deleteOldest, [before]));
  return deleted === MAX_ROWS_PER_PRUNE;
}

/**
 * Ids are in the order of writing, so the first ones are the oldest, and `at` needs no index. The limit is part of the
 * text: not knowing it, PostgreSQL may plan for a tenth of the table and read all of it.
 */
const deleteOldest = write(`
  delete from audit where id in (
    select id from (select id, at from audit order by id limit ${MAX_ROWS_PER_PRUNE}) as oldest where at < $1)`);
