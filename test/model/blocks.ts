// Host blocks: of one day, or the same hours of many (contract §6).
import { emitHours } from './events.ts';
import { hold, holderOf, isHeld, range, release } from './hours.ts';
import * as input from './input.ts';
import { invalid, notFound, Rejection, type Body, type Check } from './input.ts';
import type { Answer, Call } from './requests.ts';
import { addDays, daysBetween, WEEKDAYS, weekdayOf } from './time.ts';
import { isBlock } from './world.ts';

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

/** The space, the chosen days and the hours. */
function read(call: Call, checks: Record<string, Check>) {
  const body = input.checkBody(call.body, checks, ['date', 'start_hour', 'end_hour']) as Body & {
    date: string;
    end_date?: string;
    weekdays?: string[];
    start_hour: number;
    end_hour: number;
  };
  const { date, end_date, weekdays, start_hour, end_hour } = body;
  input.checkRange(body);
  input.checkSpaceId(body, call.rawId);
  const alone = ['weekdays', 'skip_occupied'].filter((name) => body[name] !== undefined);
  if (end_date === undefined && alone.length > 0) throw invalid(...alone);
  const count = end_date === undefined ? 0 : daysBetween(date, end_date);
  if (count < 0 || count > MAX_DAYS) throw invalid('end_date');
  const days = range(0, count + 1)
    .map((i) => addDays(date, i))
    .filter((day) => weekdays?.includes(weekdayOf(day)) ?? true);
  if (days.length === 0) throw invalid('weekdays');
  const space = call.world.spaces.get(call.id);
  if (space?.account !== call.account) throw notFound();
  return { body, space, days, hours: range(start_hour, end_hour) };
}

export function createBlocks(call: Call): Answer {
  const { world } = call;
  const { body, space, days, hours } = read(call, BLOCKED);
  const reason = (body['reason'] as string | undefined) ?? null;
  const isTaken = (date: string) => (hour: number) => isHeld(space, date, hour);
  const taken = days
    .map((date) => ({ date, hours: hours.filter(isTaken(date)) }))
    .filter(({ hours: some }) => some.length > 0);
  if (taken.length > 0 && body['skip_occupied'] !== true) {
    const details = body.end_date === undefined ? { hours: taken[0]!.hours } : { days: taken };
    throw new Rejection(409, 'BLOCK_SLOT_OCCUPIED', details);
  }
  const made = days.map((date) => {
    const occupied_hours = hours.filter(isTaken(date));
    const blocked_hours = hours.filter((hour) => !occupied_hours.includes(hour));
    hold(space, date, blocked_hours, { reason, serial: ++world.serial });
    emitHours(world, space, date, blocked_hours, 'block_created');
    return { date, blocked_hours, occupied_hours };
  });
  const { date, start_hour, end_hour } = body;
  const common = { space_id: space.id, start_hour, end_hour, reason };
  if (body.end_date !== undefined) return { data: { ...common, days: made } };
  return { data: { ...common, date, blocked_hours: made[0]!.blocked_hours } };
}

export function deleteBlocks(call: Call): Answer {
  const { world } = call;
  const { body, space, days, hours } = read(call, FREED);
  const freed = days.map((date) => {
    const unblocked_hours = hours.filter((hour) => isBlock(holderOf(space, date, hour)));
    release(space, date, unblocked_hours);
    emitHours(world, space, date, unblocked_hours, 'block_deleted');
    return { date, unblocked_hours };
  });
  if (body.end_date !== undefined) return { data: { space_id: space.id, days: freed } };
  return { data: { space_id: space.id, ...freed[0] } };
}
