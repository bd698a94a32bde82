import { isSkipped, type LocalDay } from '../time/local-day.ts';

/** When a space can be booked at all, whoever holds what. */
export interface Schedule {
  readonly timezone: string;
  readonly openHour: number;
  readonly closeHour: number;
  readonly isActive: boolean;
}

export type Closure = 'inactive' | 'outside_operating_hours' | 'skipped' | 'begun';

/**
 * Why nobody can book an hour though nothing holds it; null when it is open. Availability and booking ask
 * the same question here, so that they never disagree.
 */
export function closure(schedule: Schedule, day: LocalDay, hour: number, now: number): Closure | null {
  if (!schedule.isActive) return 'inactive';
  if (hour < schedule.openHour || hour >= schedule.closeHour) return 'outside_operating_hours';
  if (isSkipped(day, hour)) return 'skipped';
  return day.startsAt[hour]! <= now ? 'begun' : null;
}
