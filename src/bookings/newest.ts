import { PLANNED_EACH_TIME, read, type Sql } from '../db/database.ts';
import { toTimestamp } from '../time/clock.ts';

export interface NewestBooking {
  id: string;
  created_at: string;
}

/** The one that was made last, of all hosts. Ids sort by time. Asked of SQLite alone, which has an index by id. */
export async function newest(db: Sql): Promise<NewestBooking | undefined> {
  const row = await db.get(selectNewest);
  return row && { id: row.id, created_at: toTimestamp(row.created_at) };
}

const selectNewest = read<{ id: string; created_at: number }>(
  'select id, created_at from bookings order by id desc limit 1',
  PLANNED_EACH_TIME,
);
