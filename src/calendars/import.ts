import type { Actor } from '../caller.ts';
import type { Tx } from '../db/database.ts';
import * as events from '../events/events.ts';
import * as hours from '../hours/hours.ts';
import { localDay } from '../time/local-day.ts';
import { localDate } from '../time/zones.ts';
import type { ImportTarget } from './sql.ts';

/**
 * Of two calendars of a space that free one hour at the same time, each would see that the other still holds it, and nobody would be
 * told. Comes before the calendar's row is locked.
 */
export function lockCalendars(tx: Tx, spaceId: string): Promise<void> {
  return tx.lock(`calendars of ${spaceId}`);
}

/**
 * Writes which hours a calendar holds within a range of dates, and sends an event for each date on which that took or
 * freed hours. Hours that are over are not named in it.
 */
export async function importHours(
  tx: Tx,
  now: number,
  actor: Actor,
  calendar: ImportTarget,
  range: { from: string; to: string },
  wanted: hours.HourMasks,
  onlyAdd = false,
): Promise<hours.ExternalChange> {
  const { id, host_id: hostId, space_id: spaceId, timezone, environment } = calendar;
  const change = await hours.replaceExternal(tx, { id, hostId, spaceId }, range, wanted, onlyAdd);
  const owner = { hostId, environment, actor };
  const today = localDate(timezone, now);
  const told = change.changed
    .filter(({ date }) => date >= today)
    .map(({ date, hours }) => ({
      date,
      hours: date === today ? hours.filter((hour) => !isOver(timezone, date, hour, now)) : hours,
    }))
    .filter(({ hours }) => hours.length > 0)
    .map(({ date, hours }) => events.availabilityChanged({ spaceId, date }, hours, 'external_calendar'));
  await events.append(tx, now, owner, ...told);
  return change;
}

/** False for an hour that the clocks skip: its end is NaN. */
function isOver(timezone: string, date: string, hour: number, now: number): boolean {
  return localDay(timezone, date).endsAt[hour]! <= now;
}
