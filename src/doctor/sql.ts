import { read, engineOnly } from '../db/database.ts';

export const selectServerClock = engineOnly<{ now: number }>(
  'postgres',
  'select extract(epoch from clock_timestamp())::float8 * 1000 as now',
);

export const selectAnyBooking = read<{ one: number }>('select 1 as one from bookings limit 1');

/** The latest of the last entry in the audit trail and the last steps of the worker. */
export const selectLastChange = read<{ at: number | null }>(`
  select max(at) as at from (
    select at from (select at from audit order by id desc limit 1) as changed
    union all select last_run_at from worker_runs) as latest`);
