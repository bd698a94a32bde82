import { PLANNED_EACH_TIME, read, write } from '../db/database.ts';

export const selectServerClock = write<{ now: number }>(
  'select extract(epoch from clock_timestamp())::float8 * 1000 as now',
  'postgres',
);

export const selectLastChange = read<{ at: number }>('select at from audit order by id desc limit 1');

export const selectRuns = read<{ task: string; last_run_at: number }>(
  'select task, last_run_at from worker_runs',
);

/** More than this are counted as this many. */
export const MOST_COUNTED = 10_000;

/**
 * Deliveries that a worker would send, each by the id of its event, which tells when it was made. The joins are in the
 * order in which SQLite is to take them.
 */
function pendingThat(condition: string) {
  return read<{ event_id: string }>(
    `select d.event_id from webhooks w cross join hosts h cross join deliveries d
     where w.has_pending = 1 and w.is_active = 1 and h.id = w.host_id and h.deactivated_at is null
       and d.webhook_id = w.id and d.status = 'pending' and ${condition}
     limit ${MOST_COUNTED}`,
    PLANNED_EACH_TIME,
  );
}

/** A receiver that fails gets one delivery at a time: what waits behind it says nothing about the worker. */
export const selectUntried = pendingThat('d.attempts = 0 and w.failing_since is null');
export const selectRetries = pendingThat('(d.attempts > 0 or w.failing_since is not null)');

export const selectFailingCalendars = read<{ id: string }>(`
  select c.id from calendars c join hosts h on h.id = c.host_id
  where c.failures > 0 and h.deactivated_at is null limit ${MOST_COUNTED}`);
