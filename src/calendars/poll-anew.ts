import { write, type Tx } from '../db/database.ts';

/**
 * Has a space's calendars polled at once and in full, since its wall clock is another one now. A poll that is under way
 * reads by the old one: without its lease it changes nothing.
 */
export async function pollAnew(tx: Tx, now: number, hostId: string, spaceId: string): Promise<void> {
  await tx.run(makeDue, [hostId, spaceId, now]);
}

const makeDue = write(`
  update calendars set imported_on = null, next_poll_at = $3, lease_token = null, lease_until = null
  where host_id = $1 and space_id = $2`);
