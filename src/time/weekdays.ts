export const WEEKDAYS = [
  'monday',
  'tuesday',
  'wednesday',
  'thursday',
  'friday',
  'saturday',
  'sunday',
] as const;
export type Weekday = (typeof WEEKDAYS)[number];

/** Hours of each day; null: closed. */
export type WeeklyHours = Readonly<
  Record<Weekday, { readonly start_hour: number; readonly end_hour: number } | null>
>;

export function weekdayOf(date: string | Temporal.PlainDate): Weekday {
  return WEEKDAYS[Temporal.PlainDate.from(date).dayOfWeek - 1]!;
}
