import type { Tx } from '../../src/db/database.ts';
import * as hours from '../../src/hours/hours.ts';

/** An hour that is busy in a foreign calendar, whatever else holds it. */
export async function markBusy(
  tx: Tx,
  calendarId: string,
  { spaceId, date, hour }: { spaceId: string; date: string; hour: number },
): Promise<void> {
  const day = { from: date, to: date };
  await hours.replaceExternal(tx, { id: calendarId, spaceId }, day, new Map([[date, 1 << hour]]), true);
}
