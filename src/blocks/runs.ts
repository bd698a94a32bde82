import type { Sql } from '../db/database.ts';
import { inPages, type LongRead } from '../db/long-reads.ts';
import { addDays, FIRST_DATE, LAST_DATE } from '../time/dates.ts';
import { HOUR_MS } from '../time/units.ts';
import * as sql from './sql.ts';

/** Adjacent blocked hours with one reason, across blocks and across midnight: one entry of the calendar feed. */
export interface Run {
  /** Made of its first hour, so it stays the same when hours after that come and go. */
  readonly id: string;
  /** Grows with every change of the run. */
  revision: number;
  changedAt: number;
  readonly hours: sql.BlockedHourRow[];
}

interface SpaceOfHost {
  readonly hostId: string;
  readonly id: string;
}

/** Every run that reaches into `from` or beyond. */
export async function standing(
  db: Sql,
  longRead: LongRead,
  space: SpaceOfHost,
  from: string,
): Promise<Run[]> {
  const rows = await blockedHours(db, longRead, space, from, LAST_DATE);
  const earlier = await readBackToBeginning(db, longRead, space, from, rows[0]);
  return collect([...earlier, ...rows]).filter((run) => run.hours.at(-1)!.date >= from);
}

/** All that a host has ever blocked of a space and not freed again. For commands, which nobody waits for. */
export async function daysOf(db: Sql, hostId: string, spaceId: string) {
  const atOnce: LongRead = { part: async (work) => work() };
  const days: { space_id: string; date: string; hours: number[]; reason: string | null }[] = [];
  for (const row of await blockedHours(db, atOnce, { hostId, id: spaceId }, FIRST_DATE, LAST_DATE)) {
    const last = days.at(-1);
    if (last?.date === row.date && last.reason === row.reason) last.hours.push(row.hour);
    else days.push({ space_id: spaceId, date: row.date, hours: [row.hour], reason: row.reason });
  }
  return days;
}

const STEP_DAYS = 60;

/**
 * A run that began before `from` must be read from its first hour, or its id would change every day. Reads
 * backwards until the run begins.
 */
async function readBackToBeginning(
  db: Sql,
  longRead: LongRead,
  space: SpaceOfHost,
  from: string,
  first: sql.BlockedHourRow | undefined,
): Promise<sql.BlockedHourRow[]> {
  if (first === undefined || first.date !== from || first.hour !== 0 || from === FIRST_DATE) return [];
  const start = addDays(from, -STEP_DAYS);
  const rows = await blockedHours(db, longRead, space, start, addDays(from, -1));
  return [...(await readBackToBeginning(db, longRead, space, start, rows[0])), ...rows];
}

/** From the first date to the second, both included. */
async function blockedHours(
  db: Sql,
  longRead: LongRead,
  space: SpaceOfHost,
  from: string,
  to: string,
): Promise<sql.BlockedHourRow[]> {
  const pages = inPages<sql.BlockedHourRow>(longRead, sql.PAGE_ROWS, (last) => {
    const after = last === undefined ? [from, -1] : [last.date, last.hour];
    return db.all(sql.selectBlockedHours, [space.hostId, space.id, ...after, to]);
  });
  return (await Array.fromAsync(pages)).flat();
}

function collect(rows: readonly sql.BlockedHourRow[]): Run[] {
  const runs: Run[] = [];
  for (const row of rows) {
    const before = runs.at(-1)?.hours.at(-1);
    if (before === undefined || before.reason !== row.reason || indexOf(before) + 1 !== indexOf(row))
      runs.push({ id: `${row.block_id}-${row.hour}`, revision: 0, changedAt: 0, hours: [] });
    const run = runs.at(-1)!;
    run.revision = Math.max(run.revision, row.revision);
    run.changedAt = Math.max(run.changedAt, row.changed_at);
    run.hours.push(row);
  }
  return runs;
}

/** Of an hour among all hours there are. */
function indexOf({ date, hour }: sql.BlockedHourRow): number {
  return Date.parse(date) / HOUR_MS + hour;
}
