import type { World } from './world.ts';

/** Others need the processor too: what is waited for may be done by another process. */
const LOOK_MS = 5;

/** For effects that nobody waits for: asks again until it holds. The suite's own time limit ends a wait in vain. */
export async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await holds())) await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
}

/** Until so many of PostgreSQL's transactions wait for a lock that another one holds. */
export async function untilWaiting(world: World, count = 1): Promise<void> {
  const waiting = `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
  await until(async () => (await world.rows(waiting)).length === count);
}
