// Host blocks: of one day, or the same hours of many (contract §6).
import { emitHours } from './events.ts';
import { hold, holderOf, hoursOf, isBooking, isHeld, range } from './hours.ts';
import * as input from './input.ts';
import { invalid, Rejection, type Check } from './input.ts';
import type { Answer, Call } from './requests.ts';
import { addDays, daysBetween, WEEKDAYS, weekdayOf } from './time.ts';
import { spaceOf } from './world.ts';

const MAX_DAYS = 366;
const FREED: Record<string, Check> = {
  space_id: input.text(0, 100),
  date: input.DATE,
  start_hour: input.START_HOUR,
  end_hour: input.END_HOUR,
  end_date: input.DATE,
  weekdays: input.setOf(WEEKDAYS),
};
const BLOCKED: Record<string, Check> = {
  ...FREED,
  reason: input.text(0, 200),
  skip_occupied: input.isBoolean,
};

interface BlockBody {
  date: string;
  start_hour: number;
  end_hour: number;
  end_date?: string;
  weekdays?: string[];
  reason?: string;
  skip_occupied?: boolean;
}

/** The space, the chosen days and the hours. */
function read(call: Call, checks: Record<string, Check>) {
  const given = input.checkBody(call.body, checks, ['date', 'start_hour', 'end_hour']);
  const body = given as unknown as BlockBody;
  const { date, end_date, weekdays } = body;
  if (!input.endsAfterStart(body)) throw invalid('end_hour');
  input.checkSpaceId(given, call.rawId);
  const alone = ['weekdays', 'skip_occupied'].filter((name) => given[name] !== undefined);
  if (end_date === undefined && alone.length > 0) throw invalid(...alone);
  const count = end_date === undefined ? 0 : daysBetween(date, end_date);
  if (count < 0 || count > MAX_DAYS) throw invalid('end_date');
  const all = range(0, count + 1).map((i) => addDays(date, i));
  const days = all.filter((day) => weekdays?.includes(weekdayOf(day)) ?? true);
  if (days.length === 0) throw invalid('weekdays');
  return { body, space: spaceOf(call), days, hours: hoursOf(body) };
}

export function createBlocks(call: Call): Answer {
  const { body, space, days, hours } = read(call, BLOCKED);
  const { date, start_hour, end_hour, end_date, reason = null, skip_occupied } = body;
  const found = days.map((day) => {
    const occupied_hours = hours.filter((hour) => isHeld(space, day, hour));
    const blocked_hours = hours.filter((hour) => !occupied_hours.includes(hour));
    return { date: day, blocked_hours, occupied_hours };
  });
  const taken = found
    .filter(({ occupied_hours }) => occupied_hours.length > 0)
    .map((day) => ({ date: day.date, hours: day.occupied_hours }));
  if (taken.length > 0 && skip_occupied !== true) {
    const details = end_date === undefined ? { hours: taken[0]!.hours } : { days: taken };
    throw new Rejection('BLOCK_SLOT_OCCUPIED', details);
  }
  for (const day of found) {
    hold(space, day.date, day.blocked_hours, { reason, serial: ++call.world.serial });
    emitHours(call.world, space, day.date, day.blocked_hours, 'block_created');
  }
  const common = { space_id: space.id, start_hour, end_hour, reason };
  if (end_date !== undefined) return { data: { ...common, days: found } };
  return { data: { ...common, date, blocked_hours: found[0]!.blocked_hours } };
}

export function deleteBlocks(call: Call): Answer {
  const { body, space, days, hours } = read(call, FREED);
  const isBlock = (date: string) => (hour: number) => {
    const holder = holderOf(space, date, hour);
    return holder !== undefined && !isBooking(holder);
  };
  const freed = days.map((date) => {
    const unblocked_hours = hours.filter(isBlock(date));
    hold(space, date, unblocked_hours, undefined);
    emitHours(call.world, space, date, unblocked_hours, 'block_deleted');
    return { date, unblocked_hours };
  });
  // A block beside one that goes may have been of the same entry, so those of the days around it change in the feed.
  const changed = freed.filter(({ unblocked_hours }) => unblocked_hours.length > 0);
  const around = new Set(changed.flatMap(({ date }) => [-1, 0, 1].map((n) => addDays(date, n))));
  for (const holder of [...around].flatMap((date) => space.held.get(date) ?? []))
    if (holder !== undefined && !isBooking(holder)) holder.serial = ++call.world.serial;
  if (body.end_date !== undefined) return { data: { space_id: space.id, days: freed } };
  return { data: { space_id: space.id, ...freed[0] } };
}
