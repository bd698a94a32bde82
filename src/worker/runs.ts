import type { Context } from '../context.ts';
import { read, write } from '../db/database.ts';
import { logTrouble } from '../log.ts';

/** Notes are for people and alerts: nobody needs them more often. */
const NOTE_EVERY_MS = 15_000;

/**
 * Notes in the database that a task's last step went well, so that a worker that hangs or is gone can be noticed: call it after each
 * such step. A note that cannot be written is no failure of the task: the next one may be.
 */
export function noteRuns(ctx: Context, task: string): () => Promise<void> {
  let notedAt = -Infinity;
  return async () => {
    const now = ctx.clock.now();
    // Either way: after the clock was set back, the next note must not wait until it is where it was.
    if (Math.abs(now - notedAt) < NOTE_EVERY_MS) return;
    notedAt = now;
    try {
      await ctx.db.once(noteRun, [task, now]);
    } catch (error) {
      logTrouble(ctx.log, error, { task }, 'the last run could not be noted');
    }
  };
}

const noteRun = write(`
  insert into worker_runs (task, last_run_at) values ($1, $2)
  on conflict (task) do update set last_run_at = excluded.last_run_at`);

/** One row for each task that ever ran on this database, also for those that no longer exist. */
export const selectRuns = read<{ task: string; last_run_at: number }>(
  'select task, last_run_at from worker_runs',
);
