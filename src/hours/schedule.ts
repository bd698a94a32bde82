import { LAST_INSTANT } from '../time/clock.ts';
import { isSkipped, type LocalDay } from '../time/local-day.ts';

/** When a space takes bookings at all. */
export interface Schedule {
  readonly timezone: string;
  readonly openHour: number;
  readonly closeHour: number;
  readonly isActive: boolean;
}

/** The same as columns. */
interface ScheduleRow {
  timezone: string;
  open_hour: number;
  close_hour: number;
  is_active: number;
}

export function toSchedule(row: ScheduleRow): Schedule {
  return {
    timezone: row.timezone,
    openHour: row.open_hour,
    closeHour: row.close_hour,
    isActive: row.is_active === 1,
  };
}

export type ClosedReason = 'inactive' | 'outside_operating_hours' | 'skipped' | 'begun' | 'beyond_time';

/**
 * Why an hour cannot be booked though nothing holds it; null when it can. Availability and booking both ask here, so
 * that they never disagree.
 */
export function closedBecause(
  schedule: Schedule,
  day: LocalDay,
  hour: number,
  now: number,
): ClosedReason | null {
  if (!schedule.isActive) return 'inactive';
  if (hour < schedule.openHour || hour >= schedule.closeHour) return 'outside_operating_hours';
  if (isSkipped(day, hour)) return 'skipped';
  if (day.startsAt[hour]! <= now) return 'begun';
  return day.endsAt[hour]! > LAST_INSTANT ? 'beyond_time' : null;
}
