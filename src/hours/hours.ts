import type { Condition, Db, Sql, Tx } from '../db/database.ts';
import type { Environment } from '../ids/api-key.ts';
import { hoursIn, toMasks, type HourMasks } from './external.ts';
import { closedOn, toSchedule, type Schedule } from './schedule.ts';
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
  const schedule = toSchedule(row, now);
  const [booked, blocks] = [row.held % 2 ** 24, Math.floor(row.held / 2 ** 24)];
  const blocked = blocks === 0 ? NOTHING : await withReasons(db, space, date, blocks);
  const held = { booked, external: row.external, blocked };
  return { timezone: schedule.timezone, days: [toDay(schedule, date, held)] };
}

/** What is blocked was read before: a block that has gone meanwhile is still part of that moment, its reason is not known any more. */
async function withReasons(db: Sql, space: SpaceKey, date: string, blocks: number): Promise<Day['blocked']> {
  const row = await db.get(sql.selectBlocked, [space.hostId, space.id, date]);
  const reasons = blockedOf(row?.blocked ?? null);
  return Object.fromEntries(hoursIn(blocks).map((hour) => [hour, reasons[hour] ?? null]));
}

/** The same for dates that follow each other. It is one read, whatever their number. */
export async function readDays(
  db: Db,
  space: SpaceKey,
  dates: readonly string[],
  now: number,
): Promise<Days | undefined> {
  const values = [space.hostId, space.environment, space.id, dates[0]!, dates.at(-1)!];
  const [rows] = await db.readAlongIndexes([[sql.selectSpan, values]]);
  if (rows[0] === undefined) return undefined;
  const schedule = toSchedule(rows[0], now);
  const held = new Map<string, Held>();
  for (const { date, booked, external, blocked } of rows) {
    if (date === null) continue;
    const of = held.get(date) ?? NOT_HELD;
    held.set(date, {
      booked: booked ?? of.booked,
      external: external ?? of.external,
      blocked: blocked === null ? of.blocked : blockedOf(blocked),
    });
  }
  const days = dates.map((date) => toDay(schedule, date, held.get(date) ?? NOT_HELD));
  return { timezone: schedule.timezone, days: days as [Day, ...Day[]] };
}

/** Who holds which hours of a date. */
interface Held {
  readonly booked: number;
  readonly external: number;
  readonly blocked: Day['blocked'];
}

const NOTHING: Day['blocked'] = {};
const NOT_HELD: Held = { booked: 0, external: 0, blocked: NOTHING };

function blockedOf(text: string | null): Day['blocked'] {
  return text === null ? NOTHING : (JSON.parse(text) as Day['blocked']);
}

function toDay(schedule: Schedule, date: string, held: Held): Day {
  const closed = closedOn(schedule, date);
  const { blocked } = held;
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
    const available = reason === null && closed(hour) === null;
    slots.push({ hour, available, block_reason: reason });
  }
  return { date, slots, blocked };
}

/** Of each date from the first to the last, the hours that a booking, a host block or an external calendar holds. */
export async function heldBetween(
  tx: Tx,
  { hostId, spaceId }: Pick<HourRange, 'hostId' | 'spaceId'>,
  first: string,
  last: string,
): Promise<HourMasks> {
  const values = [hostId, spaceId, first, last];
  const [held, busy] = await Promise.all([
    tx.all(sql.selectHeldMasks, values),
    tx.all(sql.selectBusyMasks, values),
  ]);
  const masks = toMasks(held);
  for (const { date, mask } of busy) masks.set(date, (masks.get(date) ?? 0) | mask);
  return masks;
}

/**
 * Inserts the wanted hours of a range that nobody holds, and returns how many these are. The primary key decides, not a look beforehand.
 * `on conflict do nothing`, because a violation would abort a PostgreSQL transaction even when caught. What external
 * calendars call busy is another question: `isNowhereBusy`.
 */
export function take(
  tx: Tx,
  range: HourRange,
  holder: Holder,
  wanted: readonly number[] = hoursOf(range),
): Promise<number> {
  const { hostId, spaceId, date } = range;
  const values = [hostId, spaceId, date, ...holderValues(holder), ...wanted];
  return tx.run(sql.insertHours[wanted.length - 1]!, values);
}

/** The hours of a range that are its holder's. */
export async function takenBy(tx: Tx, range: HourRange, holder: Holder): Promise<number[]> {
  const rows = await tx.all(sql.selectHoursOf, [...rangeValues(range), ...holderValues(holder)]);
  return rows.map(({ hour }) => hour).sort((a, b) => a - b);
}

/** That no external calendar calls an hour of the range busy, for `Tx.require`. */
export function isNowhereBusy(range: HourRange): Pick<Condition, 'judge' | 'values'> {
  return { judge: sql.isNowhereBusy, values: rangeValues(range) };
}

/** The hours of a range that are not its holder's, or that an external calendar calls busy. */
export async function clashing(tx: Tx, range: HourRange, holder: Holder): Promise<number[]> {
  const [own, busy] = await Promise.all([
    takenBy(tx, range, holder),
    tx.all(sql.selectBusy, rangeValues(range)),
  ]);
  const elsewhere = new Set(busy.map(({ hour }) => hour));
  return hoursOf(range).filter((hour) => !own.includes(hour) || elsewhere.has(hour));
}

function holderValues(holder: Holder): (string | null)[] {
  return 'bookingId' in holder ? [holder.bookingId, null] : [null, holder.blockId];
}

/**
 * Hands the hours of one booking to another one that has another range. An hour that both have changes its holder and is
 * never free. The new hours are taken before the others are touched: whoever waits for an hour has changed none that others wait for, so
 * that two moves onto each other's hours cannot deadlock. Nobody else changes the old hours, as their booking is locked. If any clash,
 * the caller must throw.
 */
export async function move(
  tx: Tx,
  from: { range: HourRange; bookingId: string },
  to: { range: HourRange; bookingId: string },
) {
  const isSameDay = from.range.spaceId === to.range.spaceId && from.range.date === to.range.date;
  const [before, after] = [hoursOf(from.range), hoursOf(to.range)];
  const kept = isSameDay ? before.filter((hour) => after.includes(hour)) : [];
  const freed = before.filter((hour) => !kept.includes(hour));
  const taken = after.filter((hour) => !kept.includes(hour));
  const [took, busy] = await Promise.all([
    taken.length === 0 ? 0 : take(tx, to.range, to, taken),
    tx.all(sql.selectBusy, rangeValues(to.range)),
    kept.length > 0 && tx.run(sql.handOverHours, [...rangeValues(to.range), from.bookingId, to.bookingId]),
    freed.length > 0 && release(tx, from.range, from.bookingId),
  ]);
  const isComplete = took === taken.length && busy.length === 0;
  return { freed, taken, clashing: isComplete ? [] : await clashing(tx, to.range, to) };
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
): Promise<{ date: string; hours: number[]; blockIds: Set<string> }> {
  const rows = await tx.all(sql.deleteBlockedHours, rangeValues(range));
  return {
    date: range.date,
    hours: rows.map((row) => row.hour).sort((a, b) => a - b),
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
