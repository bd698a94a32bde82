import { read, write } from '../db/database.ts';

/** Counts the space's block changes. No row: the caller has no such space. */
export const takeRevision = write<{ block_revision: number }>(`
  update spaces set block_revision = block_revision + 1
  where host_id = $1 and environment = $2 and id = $3
  returning block_revision`);

export const insertBlock = write(`
  insert into blocks (host_id, environment, space_id, id, reason, created_at, changed_at, revision)
  values ($1, $2, $3, $4, $5, $6, $6, $7)`);

/** The blocks with hours on dates from $3 to $4. */
export const selectBlocksBetween = read<{ date: string; block_id: string }>(`
  select distinct date, block_id from hours
  where host_id = $1 and space_id = $2 and date >= $3 and date <= $4 and block_id is not null`);

/** Marks a block as changed. By its id: PostgreSQL would compare every block of the space with every hour to find it by its dates. */
export const touchBlock = write(`
  update blocks set revision = $4, changed_at = $5 where host_id = $1 and space_id = $2 and id = $3`);

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
