import { read, write } from '../db/database.ts';

/** Counts the space's block changes. No row: the caller has no such space. */
export const takeRevision = write<{ block_revision: number }>(`
  update spaces set block_revision = block_revision + 1
  where host_id = $1 and environment = $2 and id = $3
  returning block_revision`);

export const insertBlock = write(`
  insert into blocks (host_id, environment, space_id, id, reason, created_at, changed_at, revision)
  values ($1, $2, $3, $4, $5, $6, $6, $7)`);

/**
 * Marks every block with hours on these three dates as changed. Blocks side by side are one calendar entry: when
 * one of them goes, the entry of its neighbour changes too.
 */
export const touchBlocksAround = write(`
  update blocks set revision = $3, changed_at = $4
  where host_id = $1 and space_id = $2 and id in (
    select block_id from hours
    where host_id = $1 and space_id = $2 and date in ($5, $6, $7) and block_id is not null)`);

/** All hours of a block are of one date. Nothing but its hours leads to a block's row. */
export const deleteUsedUpBlock = write(`
  delete from blocks where host_id = $1 and space_id = $2 and id = $3 and not exists (
    select 1 from hours where host_id = $1 and space_id = $2 and date = $4 and block_id = $3)`);

export interface BlockedHourRow {
  date: string;
  hour: number;
  block_id: string;
  reason: string | null;
  revision: number;
  changed_at: number;
}

export const PAGE_ROWS = 200;

/** The next ones after hour $4 of date $3, up to and including date $5. */
export const selectBlockedHours = read<BlockedHourRow>(`
  select h.date, h.hour, h.block_id, b.reason, b.revision, b.changed_at
  from hours h join blocks b on b.host_id = $1 and b.space_id = $2 and b.id = h.block_id
  where h.host_id = $1 and h.space_id = $2 and (h.date, h.hour) > ($3, $4) and h.date <= $5
  order by h.date, h.hour limit ${PAGE_ROWS}`);
