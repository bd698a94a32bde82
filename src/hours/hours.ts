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
  readonly date: string;
  readonly slots: Slot[];
  /** The reason of every hour that a host block holds, by hour. */
  readonly blocked: Readonly<Record<number, string | null>>;
}

/** Days of one space, on its wall clock. */
export interface Days {
  readonly timezone: string;
  readonly days: readonly [Day, ...Day[]];
}

type SpaceKey = { id: string; hostId: string; environment: Environment };

/** A day's 24 slots as of `now`, or undefined when the caller has no such space. */
export async function readDay(
  db: Sql,
  space: SpaceKey,
  date: string,
  now: number,
): Promise<Days | undefined> {
  const row = await db.get(sql.selectDay, [space.hostId, space.environment, space.id, date]);
  if (row === undefined) return undefined;
  const schedule = toSchedule(row);
  return { timezone: schedule.timezone, days: [toDay(schedule, date, row, now)] };
}

/** The same for dates that follow each other. It is one read, whatever their number. */
export async function readDays(
  db: Sql,
  space: SpaceKey,
  dates: readonly string[],
  now: number,
): Promise<Days | undefined> {
  const values = [space.hostId, space.environment, space.id, dates[0]!, dates.at(-1)!];
  const rows = await db.all(sql.selectSpan, values);
  if (rows[0] === undefined) return undefined;
  const schedule = toSchedule(rows[0]);
  const held = new Map<string, Held>();
  for (const { date, booked, external, blocked } of rows) {
    if (date === null) continue;
    const of = held.get(date) ?? NOT_HELD;
    held.set(date, {
      booked: booked ?? of.booked,
      external: external ?? of.external,
      blocked: blocked ?? of.blocked,
    });
  }
  const days = dates.map((date) => toDay(schedule, date, held.get(date) ?? NOT_HELD, now));
  return { timezone: schedule.timezone, days: days as [Day, ...Day[]] };
}

/** Who holds which hours of a date. */
type Held = Pick<sql.DayRow, 'booked' | 'external' | 'blocked'>;

const NOT_HELD: Held = { booked: 0, external: 0, blocked: null };

function toDay(schedule: Schedule, date: string, held: Held, now: number): Day {
  const day = localDay(schedule.timezone, date);
  const blocked = held.blocked === null ? NOTHING : (JSON.parse(held.blocked) as Day['blocked']);
  const slots: Slot[] = [];
  for (let hour = 0; hour < 24; hour++) {
    const bit = 1 << hour;
    const reason: BlockReason | null =
      held.booked & bit
        ? 'booked'
        : held.external & bit
          ? 'external_block'
          : blocked[hour] !== undefined
            ? 'host_block'
            : null;
    const available = reason === null && closedBecause(schedule, day, hour, now) === null;
    slots.push({ hour, available, block_reason: reason });
  }
  return { date, slots, blocked };
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

/** Frees the hours of a range that host blocks hold, and returns them with the blocks that held them. */
export async function releaseBlocked(
  tx: Tx,
  range: HourRange,
): Promise<{ freed: number[]; blockIds: Set<string> }> {
  const rows = await tx.all(sql.deleteBlockedHours, rangeValues(range));
  return {
    freed: rows.map((row) => row.hour).sort((a, b) => a - b),
    blockIds: new Set(rows.map((row) => row.block_id)),
  };
}

function rangeValues({ hostId, spaceId, date, startHour, endHour }: HourRange): (string | number)[] {
  return [hostId, spaceId, date, startHour, endHour];
}

export function hoursOf(range: Pick<HourRange, 'startHour' | 'endHour'>): number[] {
  const list: number[] = [];
  for (let hour = range.startHour; hour < range.endHour; hour++) list.push(hour);
  return list;
}
