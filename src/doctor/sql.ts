import { read, write } from '../db/database.ts';

export const selectServerClock = write<{ now: number }>(
  'select extract(epoch from clock_timestamp())::float8 * 1000 as now',
  'postgres',
);

export const selectLastChange = read<{ at: number }>('select at from audit order by id desc limit 1');
