import { LAST_INSTANT } from '../time/clock.ts';
import { isSkipped, type LocalDay } from '../time/local-day.ts';

/** When a space can be booked at all, whoever holds what. */
export interface Schedule {
  readonly timezone: string;
  readonly openHour: number;
  readonly closeHour: number;
  readonly isActive: boolean;
}

/** As the database has it. */
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
 * Why nobody can book an hour though nothing holds it; null when it is open. Availability and booking ask
 * the same question here, so that they never disagree.
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
