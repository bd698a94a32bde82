import { read, sayOn } from '../db/database.ts';

export const selectServerClock = sayOn<{ now: number }>(
  'postgres',
  'select extract(epoch from clock_timestamp())::float8 * 1000 as now',
);

export const selectLastChange = read<{ at: number }>('select at from audit order by id desc limit 1');
