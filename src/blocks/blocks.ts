import type { Tx } from '../db/database.ts';
import { blockSlotOccupied } from '../errors.ts';
import * as hours from '../hours/hours.ts';
import { newId } from '../ids/uuid.ts';
import * as sql from './sql.ts';

/** Takes every hour of the range for the host, or none. */
export async function place(
  tx: Tx,
  now: number,
  range: hours.HourRange,
  reason: string | null,
): Promise<void> {
  const id = newId();
  const [, clashing] = await Promise.all([
    tx.run(sql.insertBlock, [id, range.spaceId, reason, now]),
    hours.claim(tx, range, { blockId: id }),
  ]);
  if (clashing.length > 0) throw blockSlotOccupied(clashing);
}
