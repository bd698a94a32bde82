// Who holds an hour, which can be booked, and availability (contract §4): one engine for reading and for booking.
import { checkQuery, DATE, digits, invalid, notFound } from './input.ts';
import type { Answer, Call } from './requests.ts';
import { addDays, exists, HOUR, local, startOf, today, weekdayOf } from './time.ts';
import { isBlock, type Holder, type Range, type Space } from './world.ts';

export const range = (start: number, end: number): number[] =>
  Array.from({ length: end - start }, (_, i) => start + i);

export const holderOf = (space: Space, date: string, hour: number): Holder | undefined =>
  space.held.get(date)?.[hour];
const isExternal = (space: Space, date: string, hour: number): boolean =>
  space.calendars.some(({ busy }) => busy.has(`${date} ${hour}`));
export const isHeld = (space: Space, date: string, hour: number): boolean =>
  holderOf(space, date, hour) !== undefined || isExternal(space, date, hour);

export function hold(space: Space, date: string, hours: number[], holder: Holder): void {
  if (!space.held.has(date)) space.held.set(date, []);
  for (const hour of hours) space.held.get(date)![hour] = holder;
}

export function release(space: Space, date: string, hours: number[]): void {
  for (const hour of hours) delete space.held.get(date)?.[hour];
}

function blockReason(space: Space, date: string, hour: number): string | null {
  const holder = holderOf(space, date, hour);
  if (holder !== undefined && !isBlock(holder)) return 'booked';
  if (isExternal(space, date, hour)) return 'external_block';
  return holder === undefined ? null : 'host_block';
}

/** The opening hours of this date; null: closed. */
function openOn({ shown }: Space, date: string): Range | null {
  return shown.weekly_hours === null ? shown.operating_hours : shown.weekly_hours[weekdayOf(date)]!;
}

/** It exists, and the space is open then. */
export function isOpen(space: Space, date: string, hour: number): boolean {
  const open = openOn(space, date);
  return (
    open !== null &&
    hour >= open.start_hour &&
    hour < open.end_hour &&
    exists(space.timezone, date, hour) &&
    // The API cannot write a time of the year 10000.
    startOf(space.timezone, date, hour + 1) < Date.UTC(10_000, 0)
  );
}

export const isTooSoon = ({ shown, timezone }: Space, date: string, hour: number, now: number): boolean =>
  shown.booking_rules.lead_hours !== null &&
  startOf(timezone, date, hour) < now + shown.booking_rules.lead_hours * HOUR;

export const isTooFar = ({ shown, timezone }: Space, date: string, now: number): boolean =>
  shown.booking_rules.horizon_days !== null &&
  date > addDays(today(now, timezone), shown.booking_rules.horizon_days);

function canBeBooked(space: Space, date: string, hour: number, now: number): boolean {
  return (
    space.shown.is_active &&
    isOpen(space, date, hour) &&
    startOf(space.timezone, date, hour) > now &&
    !isTooSoon(space, date, hour, now) &&
    !isTooFar(space, date, now)
  );
}

/** Whether this hour of the space is the present one. */
export function isRunning(space: Space, date: string, hour: number, now: number): boolean {
  const present = local(now, space.timezone);
  return present.date === date && present.hour === hour;
}

export function availability({ world, now, account, id, query }: Call): Answer {
  const { date, days } = checkQuery(query, { date: DATE, days: digits(1, 31) }, ['date']) as {
    date: string;
    days?: string;
  };
  const count = Number(days ?? 1);
  if (count > 1 && Date.parse(date) + (count - 1) * 24 * HOUR >= Date.UTC(10_000, 0)) throw invalid();
  const space = world.spaces.get(id);
  if (space?.account !== account) throw notFound();
  const all = range(0, count).map((i) => dayOf(space, addDays(date, i), now));
  const data = { space_id: space.id, ...all[0], timezone: space.timezone };
  return { data: days === undefined ? data : { ...data, days: all } };
}

function dayOf(space: Space, date: string, now: number) {
  const slots = range(0, 24).map((hour) => {
    const block_reason = blockReason(space, date, hour);
    return { hour, available: block_reason === null && canBeBooked(space, date, hour, now), block_reason };
  });
  return { date, slots, blocks: blocksOf(space, date) };
}

/** The host's blocks as runs of hours with one reason. */
function blocksOf(space: Space, date: string) {
  const runs: (Range & { reason: string | null })[] = [];
  for (const hour of range(0, 24)) {
    const holder = holderOf(space, date, hour);
    if (!isBlock(holder)) continue;
    const last = runs.at(-1);
    if (last?.end_hour === hour && last.reason === holder.reason) last.end_hour++;
    else runs.push({ start_hour: hour, end_hour: hour + 1, reason: holder.reason });
  }
  return runs;
}
