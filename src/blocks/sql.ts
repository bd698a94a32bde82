import { read, write } from '../db/database.ts';

/**
 * The next number of a space's block changes, and the lock on them: a second change of the same space waits
 * here, before it has touched an hour. No row: the caller has no such space.
 */
export const takeRevision = write<{ block_revision: number }>(`
  update spaces set block_revision = block_revision + 1
  where id = $1 and host_id = $2 and environment = $3
  returning block_revision`);

export const insertBlock = write(`
  insert into blocks (id, space_id, reason, created_at, changed_at, revision)
  select $1, s.id, $3, $4, $4, s.block_revision from spaces s where s.id = $2`);

/**
 * Marks every block that can be next to an hour of the second date as changed. Two blocks side by side are one
 * calendar entry: when one of them goes, the other's entry changes too.
 */
export const touchBlocksAround = write(`
  update blocks set revision = (select block_revision from spaces where id = $1), changed_at = $2
  where id in (
    select block_id from hours where space_id = $1 and date in ($3, $4, $5) and block_id is not null)`);

export interface BlockedHourRow {
  date: string;
  hour: number;
  block_id: string;
  reason: string | null;
  revision: number;
  changed_at: number;
}

/** From the first date up to and without the second. */
export const selectBlockedHours = read<BlockedHourRow>(`
  select h.date, h.hour, h.block_id, b.reason, b.revision, b.changed_at
  from hours h join blocks b on b.id = h.block_id
  where h.space_id = $1 and h.date >= $2 and h.date < $3
  order by h.date, h.hour`);
