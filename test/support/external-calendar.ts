import * as calendars from '../../src/calendars/calendars.ts';
import type { Tx } from '../../src/db/database.ts';
import { testSecrets } from './world.ts';
import * as hours from '../../src/hours/hours.ts';

/** An hour of a production space that an external calendar, a new one each time, calls busy: whatever else holds it. */
export async function markBusy(
  tx: Tx,
  { hostId, spaceId, date, hour }: { hostId: string; spaceId: string; date: string; hour: number },
): Promise<void> {
  const space = { hostId, environment: 'production', id: spaceId } as const;
  const id = await calendars.add(tx, 0, testSecrets(), space, 'https://calendar.example.com/busy.ics');
  const day = { from: date, to: date };
  await hours.replaceExternal(tx, { id, hostId, spaceId }, day, new Map([[date, 1 << hour]]), true);
}
