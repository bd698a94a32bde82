import { LAST_INSTANT } from '../time/clock.ts';
import { addDays } from '../time/dates.ts';
import { isSkipped, localDay, type LocalDay } from '../time/local-day.ts';
import { HOUR_MS } from '../time/units.ts';
import type { WeeklyHours } from '../time/weekdays.ts';
import { localDate } from '../time/zones.ts';

export const RULES = ['min_hours', 'max_hours', 'lead_hours', 'horizon_days'] as const;
/** Rules for new bookings of a space. Null: no such rule. */
export type BookingRules = Readonly<Record<(typeof RULES)[number], number | null>>;
export const NO_RULES: BookingRules = {
  min_hours: null,
  max_hours: null,
  lead_hours: null,
  horizon_days: null,
};

/** The columns of a space that say when it takes bookings at all. */
export interface ScheduleRow extends Pick<BookingRules, 'lead_hours' | 'horizon_days'> {
  timezone: string;
  open_hour: number;
  close_hour: number;
  /** JSON. While it is set, it alone decides. */
  weekly_hours: string | null;
  is_active: number;
}

export const SCHEDULE_COLUMNS = [
  'timezone',
  'open_hour',
  'close_hour',
  'weekly_hours',
  'is_active',
  'lead_hours',
  'horizon_days',
] as const satisfies (keyof ScheduleRow)[];

/** When a space takes bookings, as of `now`. */
export interface Schedule extends ScheduleRow {
  readonly now: number;
  readonly week: WeeklyHours | null;
  /** The first instant that the lead time allows. */
  readonly earliest: number;
  /** The last date that the horizon allows. */
  readonly lastDate: string | undefined;
}

export function toSchedule(row: ScheduleRow, now: number): Schedule {
  const { timezone, weekly_hours, lead_hours, horizon_days } = row;
  return {
    ...row,
    now,
    week: weekly_hours === null ? null : (JSON.parse(weekly_hours) as WeeklyHours),
    earliest: lead_hours === null ? -Infinity : now + lead_hours * HOUR_MS,
    lastDate: horizon_days === null ? undefined : addDays(localDate(timezone, now), horizon_days),
  };
}

export type ClosedReason =
  | 'inactive'
  | 'outside_operating_hours'
  | 'skipped'
  | 'begun'
  | 'lead_hours'
  | 'horizon_days'
  | 'beyond_time';

/**
 * Says of each hour of a date why it cannot be booked though nothing holds it; null when it can. Availability and booking both ask here,
 * so that they never disagree. A walk-in takes the hour that is running, whatever the lead time.
 */
export function closedOn(
  schedule: Schedule,
  date: string,
  isWalkIn = false,
): (hour: number) => ClosedReason | null {
  const { timezone, is_active: isActive, open_hour, close_hour, week, now, earliest, lastDate } = schedule;
  const day = localDay(timezone, date);
  const open = week === null ? { start_hour: open_hour, end_hour: close_hour } : week[day.weekday];
  const isTooFar = lastDate !== undefined && date > lastDate;
  return (hour) => {
    if (isActive === 0) return 'inactive';
    if (open === null || hour < open.start_hour || hour >= open.end_hour) return 'outside_operating_hours';
    if (isSkipped(day, hour)) return 'skipped';
    if (isWalkIn ? day.endsAt[hour]! <= now : day.startsAt[hour]! <= now) return 'begun';
    if (!isWalkIn && day.startsAt[hour]! < earliest) return 'lead_hours';
    if (isTooFar) return 'horizon_days';
    return day.endsAt[hour]! > LAST_INSTANT ? 'beyond_time' : null;
  };
}

/** Whether an hour of a date is the one that is running. */
export function isRunning(day: LocalDay, hour: number, now: number): boolean {
  return day.startsAt[hour]! <= now && now < day.endsAt[hour]!;
}
