// Who holds an hour, which can be booked, and availability (contract §4): one engine for reading and for booking.
import { checkQuery, DATE, digits, invalid } from './input.ts';
import type { Answer, Call } from './requests.ts';
import { addDays, exists, HOUR, local, startOf, today, weekdayOf, YEAR_10000 } from './time.ts';
import { spaceOf, type Booking, type Holder, type Range, type Space } from './world.ts';

export const range = (start: number, end: number): number[] =>
  Array.from({ length: end - start }, (_, i) => start + i);
export const hoursOf = ({ start_hour, end_hour }: Range): number[] => range(start_hour, end_hour);

export const isBooking = (holder: Holder | undefined): holder is Booking =>
  holder !== undefined && 'id' in holder;
export const holderOf = (space: Space, date: string, hour: number): Holder | undefined =>
  space.held.get(date)?.[hour];
export const isExternal = (space: Space, date: string, hour: number): boolean =>
  space.calendars.some(({ busy }) => busy.has(`${date} ${hour}`));
export const isHeld = (space: Space, date: string, hour: number): boolean =>
  holderOf(space, date, hour) !== undefined || isExternal(space, date, hour);

export function hold(space: Space, date: string, hours: number[], holder: Holder | undefined): void {
  if (!space.held.has(date)) space.held.set(date, []);
  for (const hour of hours) space.held.get(date)![hour] = holder;
}

function blockReason(space: Space, date: string, hour: number): string | null {
  const holder = holderOf(space, date, hour);
  if (isBooking(holder)) return 'booked';
  if (isExternal(space, date, hour)) return 'external_block';
  return holder === undefined ? null : 'host_block';
}

/** It exists, and the space is open then. */
export function isOpen(space: Space, date: string, hour: number): boolean {
  const { weekly_hours: week, timezone } = space;
  const open = week === null ? space.operating_hours : week[weekdayOf(date)]!;
  if (open === null || hour < open.start_hour || hour >= open.end_hour) return false;
  // The API cannot write a time of the year 10000.
  return exists(timezone, date, hour) && startOf(timezone, date, hour + 1) < YEAR_10000;
}

export const isTooSoon = (
  { booking_rules, timezone }: Space,
  date: string,
  hour: number,
  now: number,
): boolean =>
  booking_rules.lead_hours !== null && startOf(timezone, date, hour) < now + booking_rules.lead_hours * HOUR;

export const isTooFar = ({ booking_rules, timezone }: Space, date: string, now: number): boolean =>
  booking_rules.horizon_days !== null && date > addDays(today(now, timezone), booking_rules.horizon_days);

/** Whether this hour of the space is the present one. */
export function isRunning({ timezone }: Space, date: string, hour: number, now: number): boolean {
  const present = local(now, timezone);
  return present.date === date && present.hour === hour;
}

const canBeBooked = (space: Space, date: string, hour: number, now: number): boolean =>
  space.is_active &&
  isOpen(space, date, hour) &&
  startOf(space.timezone, date, hour) > now &&
  !isTooSoon(space, date, hour, now) &&
  !isTooFar(space, date, now);

export function availability(call: Call): Answer {
  const checks = { date: DATE, days: digits(1, 31) };
  const { date, days } = checkQuery(call.query, checks, ['date']) as { date: string; days?: string };
  const last = Date.parse(date) + (Number(days ?? 1) - 1) * 24 * HOUR;
  if (last >= YEAR_10000) throw invalid('days');
  const space = spaceOf(call);
  const all = range(0, Number(days ?? 1)).map((i) => dayOf(space, addDays(date, i), call.now));
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
    if (holder === undefined || isBooking(holder)) continue;
    const last = runs.at(-1);
    if (last?.end_hour === hour && last.reason === holder.reason) last.end_hour++;
    else runs.push({ start_hour: hour, end_hour: hour + 1, reason: holder.reason });
  }
  return runs;
}
