import type { Sql, Tx } from '../db/database.ts';
import type { Environment } from '../ids/api-key.ts';
import { localDay } from '../time/local-day.ts';
import { closedBecause, toSchedule, type Schedule } from './schedule.ts';
import * as sql from './sql.ts';

export { hoursIn, replaceExternal, type ExternalChange, type HourMasks } from './external.ts';

/** Consecutive hours of one day of one space; `endHour` is exclusive. */
export interface HourRange {
  readonly hostId: string;
  readonly spaceId: string;
  readonly date: string;
  readonly startHour: number;
  readonly endHour: number;
}

export type Holder = { readonly bookingId: string } | { readonly blockId: string };

export type BlockReason = 'booked' | 'external_block' | 'host_block';

interface Slot {
  hour: number;
  available: boolean;
  block_reason: BlockReason | null;
}

export interface Day {
  readonly schedule: Schedule;
  readonly slots: Slot[];
  /** The reason of every hour that a host block holds, by hour. */
  readonly blocked: Readonly<Record<number, string | null>>;
}

/** A day's 24 slots as of `now`, or undefined when the caller has no such space. */
export async function readDay(
  db: Sql,
  space: { id: string; hostId: string; environment: Environment },
  date: string,
  now: number,
): Promise<Day | undefined> {
  const key: sql.DayKey = [space.hostId, space.environment, space.id, date];
  const row = await db.get(sql.selectDay, key);
  if (row === undefined) return undefined;
  const schedule = toSchedule(row);
  const day = localDay(schedule.timezone, date);
  const blocked = row.blocked === null ? NOTHING : (JSON.parse(row.blocked) as Day['blocked']);
  const slots: Slot[] = [];
  for (let hour = 0; hour < 24; hour++) {
    const bit = 1 << hour;
    const reason: BlockReason | null =
      row.booked & bit
        ? 'booked'
        : row.external & bit
          ? 'external_block'
          : blocked[hour] !== undefined
            ? 'host_block'
            : null;
    const available = reason === null && closedBecause(schedule, day, hour, now) === null;
    slots.push({ hour, available, block_reason: reason });
  }
  return { schedule, slots, blocked };
}

const NOTHING: Day['blocked'] = {};

/**
 * Claims every hour of a range for one holder. Returns the hours that somebody else holds: if there are any, the caller
 * must throw, so that the transaction is rolled back. The primary key decides, not a look beforehand. `on conflict do
 * nothing`, because a violation would abort a PostgreSQL transaction even when caught.
 */
export async function claim(
  tx: Tx,
  environment: Environment,
  range: HourRange,
  holder: Holder,
): Promise<number[]> {
  const bookingId = 'bookingId' in holder ? holder.bookingId : null;
  const blockId = 'blockId' in holder ? holder.blockId : null;
  const values = [...rangeValues(range), bookingId, blockId];
  if ((await tx.run(sql.insertHours, [...values, environment])) === range.endHour - range.startHour)
    return [];
  const taken = await tx.all(sql.selectHoursOf, values);
  const mine = new Set(taken.map((row) => row.hour));
  return hoursOf(range).filter((hour) => !mine.has(hour));
}

/** The first hour that a booking or a host block holds, from the present one on. */
export async function firstHeld(
  db: Sql,
  space: { hostId: string; id: string },
  timezone: string,
  now: number,
): Promise<{ date: string; hour: number; booking_id: string | null } | undefined> {
  const local = Temporal.Instant.fromEpochMilliseconds(now).toZonedDateTimeISO(timezone);
  const date = local.toPlainDate().toString();
  return db.get(sql.selectFirstHeld, [space.hostId, space.id, date, local.hour]);
}

/** Frees the hours of a booking. */
export async function release(tx: Tx, range: HourRange, bookingId: string): Promise<void> {
  await tx.run(sql.deleteBookedHours, [...rangeValues(range), bookingId]);
}

/** Frees the hours of a range that host blocks hold, and returns them. */
export async function releaseBlocked(tx: Tx, range: HourRange): Promise<number[]> {
  const freed = await tx.all(sql.deleteBlockedHours, rangeValues(range));
  return freed.map((row) => row.hour).sort((a, b) => a - b);
}

function rangeValues({ hostId, spaceId, date, startHour, endHour }: HourRange): (string | number)[] {
  return [hostId, spaceId, date, startHour, endHour];
}

export function hoursOf(range: Pick<HourRange, 'startHour' | 'endHour'>): number[] {
  const list: number[] = [];
  for (let hour = range.startHour; hour < range.endHour; hour++) list.push(hour);
  return list;
}
