import * as blocks from '../blocks/blocks.ts';
import type { Context } from '../context.ts';
import { inPages, inSlices } from '../db/long-reads.ts';
import { invalidToken } from '../errors.ts';
import { NO_ID, parseId } from '../ids/uuid.ts';
import * as spaces from '../spaces/spaces.ts';
import { LAST_INSTANT } from '../time/clock.ts';
import { localHour } from '../time/local-day.ts';
import { localDate } from '../time/zones.ts';
import { render, type Entry } from './render.ts';
import * as sql from './sql.ts';
import { DAY_MS } from '../time/units.ts';

const DAYS_BACK = 30;
/** Cutting their hours out of the space's local day takes about a millisecond. */
const RUNS_AT_ONCE = 20;

/**
 * A space's calendar for whoever has its token. Every other request gets the same refusal. A calendar may have thousands of
 * entries: it is read and written in parts, so that others need not wait for all of it.
 */
export async function read(ctx: Context, spaceId: string, token: string): Promise<string> {
  const space = await spaces.findByIcalToken(ctx.db, parseId(spaceId) ?? NO_ID, parseId(token) ?? '');
  if (space === undefined) throw invalidToken();
  const from = localDate(space.timezone, ctx.clock.now() - DAYS_BACK * DAY_MS);
  const booked = await inPages<sql.BookedRow>(sql.PAGE_ROWS, (last) => {
    const after = last === undefined ? [from, -1, NO_ID] : [last.date, last.start_hour, last.id];
    return ctx.db.all(sql.selectBooked, [space.hostId, space.id, ...after]);
  });
  const runs = await blocks.standing(ctx.db, space, from);
  const blocked = await inSlices(runs, RUNS_AT_ONCE, (some) =>
    some.flatMap((run) => blockedEntry(space.timezone, run)),
  );
  const entries = [...booked.map(bookedEntry), ...blocked.flat()]
    // iCalendar writes years with four digits.
    .filter((entry) => entry.endsAt <= LAST_INSTANT)
    .sort((a, b) => a.startsAt - b.startsAt);
  return render(space, entries);
}

/** The hours of a booking never change, so its entry never does: it is there, or gone when cancelled. */
function bookedEntry(row: sql.BookedRow): Entry {
  return {
    id: row.id,
    summary: 'Booked',
    startsAt: row.starts_at,
    endsAt: row.ends_at,
    revision: 0,
    changedAt: row.created_at,
  };
}

/** No entry where all of its hours are skipped by daylight saving. */
function blockedEntry(timezone: string, run: blocks.Run): Entry[] {
  const exists = (slot: { date: string; hour: number }) =>
    !Number.isNaN(localHour(timezone, slot.date, slot.hour).startsAt);
  const first = run.hours.find(exists);
  const last = run.hours.findLast(exists);
  if (first === undefined || last === undefined) return [];
  return [
    {
      id: run.id,
      summary: 'Blocked',
      startsAt: localHour(timezone, first.date, first.hour).startsAt,
      endsAt: localHour(timezone, last.date, last.hour).endsAt,
      revision: run.revision,
      changedAt: run.changedAt,
    },
  ];
}
