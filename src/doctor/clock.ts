import { engineOnly, read, type Db } from '../db/database.ts';
import { CLOCKS_DIFFER_MS, toTimestamp } from '../time/clock.ts';

/**
 * How far this machine's clock is ahead of PostgreSQL's, which an SQLite file does not have. `future` says what to do where the last
 * change lies in the future: the clock was set back, or was ahead.
 */
export async function readClocks(db: Db, now: () => number) {
  const last = (await db.get(selectLastChange))?.at ?? 0;
  const future =
    last > now() + CLOCKS_DIFFER_MS
      ? `the last change is of ${toTimestamp(last)}, in the future; correct the clock, or wait`
      : undefined;
  if (db.engine === 'sqlite') return { aheadMs: 0, told: `it is ${toTimestamp(now())}`, future };
  const asked = now();
  const server = (await db.once(selectServerClock))[0]?.now ?? asked;
  const aheadMs = (asked + now()) / 2 - server;
  const seconds = (Math.abs(aheadMs) / 1000).toFixed(1);
  const told = `this machine’s clock is ${seconds} s ${aheadMs < 0 ? 'behind' : 'ahead of'} PostgreSQL’s`;
  return { aheadMs, told, future };
}

/** What a start warns of. */
export async function clockTrouble(db: Db, now: () => number): Promise<string | undefined> {
  const { aheadMs, told, future } = await readClocks(db, now);
  return Math.abs(aheadMs) > CLOCKS_DIFFER_MS ? `${told}; set both by NTP` : future;
}

const selectServerClock = engineOnly<{ now: number }>(
  'postgres',
  'select extract(epoch from clock_timestamp())::float8 * 1000 as now',
);

/** The latest of the last entry in the audit trail and the last steps of the worker. */
const selectLastChange = read<{ at: number | null }>(`
  select max(at) as at from (
    select at from (select at from audit order by id desc limit 1) as changed
    union all select last_run_at from worker_runs) as latest`);
