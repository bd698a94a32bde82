// Dates and hours in a time zone (contract §4). Dates are `YYYY-MM-DD`, instants are epoch milliseconds.

export const MINUTE = 60_000;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;
export const YEAR_10000 = Date.UTC(10_000, 0);
export const WEEKDAYS = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'];

export const iso = (at: number): string => new Date(at).toISOString();

/** The 24 hours of a day, and the end of the last one. An hour of which no minute exists begins when it ends. */
const days = new Map<string, { starts: number[]; exists: boolean[] }>();

function dayOf(zone: string, date: string) {
  const key = `${zone} ${date}`;
  let day = days.get(key);
  if (day === undefined) {
    const midnight = Temporal.PlainDateTime.from(`${date}T00:00`);
    // Of a repeated time the first counts as its start, so that the hour covers both; a skipped one is where the clock goes on.
    const starts = Array.from(
      { length: 25 },
      (_, hour) => midnight.add({ hours: hour }).toZonedDateTime(zone).epochMilliseconds,
    );
    for (let hour = 0; hour < 24; hour++) {
      const wall = Temporal.Instant.fromEpochMilliseconds(starts[hour]!).toZonedDateTimeISO(zone);
      if (wall.toPlainDateTime().equals(midnight.add({ hours: hour }))) continue;
      // It does not exist: the clock was put forward at or before it.
      starts[hour] = wall.add({ seconds: 1 }).getTimeZoneTransition('previous')!.epochMilliseconds;
    }
    const exists = starts.slice(0, 24).map((at, hour) => at < starts[hour + 1]!);
    days.set(key, (day = { starts, exists }));
  }
  return day;
}

/** Where this hour (0..24) of the date begins. */
export const startOf = (zone: string, date: string, hour: number): number => dayOf(zone, date).starts[hour]!;
export const exists = (zone: string, date: string, hour: number): boolean => dayOf(zone, date).exists[hour]!;

let last = { zone: '', at: 0, date: '', hour: 0 };

export function local(at: number, zone: string): { date: string; hour: number } {
  if (last.at !== at || last.zone !== zone) {
    const wall = Temporal.Instant.fromEpochMilliseconds(at).toZonedDateTimeISO(zone);
    last = { zone, at, date: wall.toPlainDate().toString(), hour: wall.hour };
  }
  return last;
}

export const today = (at: number, zone: string): string => local(at, zone).date;
export const monthOf = (date: string): string => date.slice(0, 7);

export function addDays(date: string, count: number): string {
  return iso(Date.parse(`${date}T00:00Z`) + count * DAY).slice(0, 10);
}

export function addMonths(month: string, count: number): string {
  const [year, number] = month.split('-').map(Number) as [number, number];
  return new Date(Date.UTC(year, number - 1 + count, 1)).toISOString().slice(0, 7);
}

export const aYearBefore = (date: string): string =>
  Temporal.PlainDate.from(date).subtract({ years: 1 }).toString();
export const daysBetween = (from: string, to: string): number => (Date.parse(to) - Date.parse(from)) / DAY;
export const weekdayOf = (date: string): string =>
  WEEKDAYS[(new Date(`${date}T00:00Z`).getUTCDay() + 6) % 7]!;

/** A date of the calendar, of the years 0001 to 9999. */
export function isDate(value: unknown): value is string {
  if (typeof value !== 'string' || !/^\d{4}-\d\d-\d\d$/.test(value) || value < '0001') return false;
  const at = Date.parse(`${value}T00:00Z`);
  return !Number.isNaN(at) && iso(at).slice(0, 10) === value;
}

/** RFC 3339 with a zone. */
export function isTime(value: unknown): value is string {
  if (typeof value !== 'string' || !/^.{10}T\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/.test(value))
    return false;
  return isDate(value.slice(0, 10)) && !Number.isNaN(Date.parse(value));
}
