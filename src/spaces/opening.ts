import { isDeepStrictEqual } from 'node:util';
import type { FieldError } from '../errors.ts';
import type { Kind } from '../fields/fields.ts';
import { hours, nullable, type Hours } from '../fields/kinds.ts';
import { Type, type Schema } from '../http/input/type.ts';
import { NO_RULES, RULES, type BookingRules } from '../hours/schedule.ts';
import { WEEKDAYS, type Weekday, type WeeklyHours } from '../time/weekdays.ts';

// When a space is open, and what its booking rules ask for: how both are given, completed, stored and printed.

/** How options write the hours of one day: `9-22`. */
const day = hours('', ['open_hour', 'close_hour']);
const Day = Type.Nullable(
  Type.Object(
    {
      start_hour: Type.Integer({ minimum: 0, maximum: 23, description: 'First hour that is open' }),
      end_hour: Type.Integer({ minimum: 1, maximum: 24, description: 'Closing hour' }),
    },
    { additionalProperties: false, description: 'Null: closed' },
  ),
);
const week = Object.fromEntries(WEEKDAYS.map((name) => [name, Day])) as Record<Weekday, typeof Day>;

/** Hours of each weekday, or null where every day has the same. As an option: `mon-fri=9-22,sat=11-20`. */
export function weeklyHours(description: string): Kind<WeeklyHours | null, string | null> {
  return nullable<WeeklyHours, string>({
    schema: Type.Object(week, { description }),
    input: Type.Object(week, { description, additionalProperties: false }),
    load: (row, column) => JSON.parse(row[column] as string) as WeeklyHours,
    store: (value) => [JSON.stringify(value)],
    problem: (value) => {
      const wrong = WEEKDAYS.find((name) => value[name] && value[name].end_hour <= value[name].start_hour);
      if (wrong !== undefined) return `${wrong} must end after it begins`;
      return coveringRange(value) === undefined ? 'must have a day that is open' : undefined;
    },
    parse: parseWeek,
    print: (value) =>
      WEEKDAYS.map((name) => `${name} ${value[name] === null ? 'closed' : day.print!(value[name], {})}`).join(
        ', ',
      ),
  });
}

/** Days that are not named are closed. */
function parseWeek(option: string): unknown {
  const days = new Map<Weekday, unknown>();
  for (const part of option.split(',')) {
    const [, from = '', to = from, open = ''] =
      /^\s*([a-z]{3,9})(?:-([a-z]{3,9}))?\s*=\s*(\S+)\s*$/i.exec(part) ?? [];
    const [first, last] = [from, to].map((name) =>
      WEEKDAYS.findIndex((weekday) => weekday.startsWith(name.toLowerCase())),
    ) as [number, number];
    if (from === '' || first < 0 || last < first) return option;
    for (const name of WEEKDAYS.slice(first, last + 1)) days.set(name, day.parse!(open));
  }
  return Object.fromEntries(WEEKDAYS.map((name) => [name, days.get(name) ?? null]));
}

/** The smallest range that covers all open days. */
function coveringRange(week: WeeklyHours): Hours | undefined {
  const open = WEEKDAYS.flatMap((name) => week[name] ?? []);
  if (open.length === 0) return undefined;
  return {
    start_hour: Math.min(...open.map(({ start_hour }) => start_hour)),
    end_hour: Math.max(...open.map(({ end_hour }) => end_hour)),
  };
}

/** Each in a column of its own. A request gives those that change, or null for none. As an option: `min_hours=2,lead_hours=24`. */
export function bookingRules(
  description: string,
): Kind<BookingRules, number | null> & { readonly columns: typeof RULES } {
  const member = (minimum: number, maximum: number, of: string) =>
    Type.Nullable(Type.Integer({ minimum, maximum, description: `${of}; null: no such rule` }));
  const members = {
    min_hours: member(1, 24, 'Minimum hours of a booking'),
    max_hours: member(1, 24, 'Maximum hours of a booking, at least `min_hours`'),
    lead_hours: member(0, 8760, 'Minimum hours from now to the start of a booking'),
    horizon_days: member(
      0,
      3650,
      'Maximum days from today, in the time zone of the space, to the date of a booking',
    ),
  };
  const given = Object.fromEntries(RULES.map((rule) => [rule, Type.Optional(members[rule])]));
  return {
    schema: Type.Object(members, { description }),
    // Only the members given change: `completeChanges` fills in the others.
    input: Type.Nullable(
      Type.Object(given, { description, additionalProperties: false, minProperties: 1 }),
    ) as Schema<never>,
    columns: RULES,
    load: (row) =>
      Object.fromEntries(RULES.map((rule) => [rule, row[rule] ?? null])) as unknown as BookingRules,
    store: (value) => RULES.map((rule) => value[rule]),
    parse: parseRules,
    print: (value) => {
      const set = RULES.filter((rule) => value[rule] !== null);
      return set.length === 0 ? 'none' : set.map((rule) => `${rule} ${value[rule]}`).join(', ');
    },
  };
}

function parseRules(option: string): unknown {
  const members = option.split(',').map((part) => part.split('=').map((text) => text.trim()));
  if (members.some(({ length }) => length !== 2)) return option;
  return Object.fromEntries(
    members.map(([name, value]) => [
      name,
      value === 'none' ? null : /^\d+$/.test(value!) ? Number(value) : value,
    ]),
  );
}

interface Opening {
  readonly operating_hours?: Hours | undefined;
  readonly weekly_hours?: WeeklyHours | null | undefined;
  readonly booking_rules?: BookingRules | undefined;
}

/**
 * Fills in the booking rules that were not given, and the operating hours that weekly hours have: while weekly hours are set, they decide
 * alone.
 */
export function completeChanges<Given extends Opening>(
  space: { readonly weekly_hours: WeeklyHours | null; readonly booking_rules: BookingRules },
  given: Given,
): { changes: Given; problems: FieldError[] } {
  const { weekly_hours = space.weekly_hours, operating_hours, booking_rules } = given;
  const problems: FieldError[] = [];
  const follows: { operating_hours?: Hours; booking_rules?: BookingRules } = {};
  const range = weekly_hours === null ? undefined : coveringRange(weekly_hours);
  if (range !== undefined) {
    follows.operating_hours = range;
    if (operating_hours !== undefined && !isDeepStrictEqual({ ...operating_hours }, range)) {
      const message = `must be ${range.start_hour} to ${range.end_hour}, the range of weekly_hours, while that is not null`;
      problems.push({ field: 'operating_hours', message });
    }
  }
  if (booking_rules !== undefined) {
    const rules = booking_rules === null ? NO_RULES : { ...space.booking_rules, ...booking_rules };
    follows.booking_rules = rules;
    const { min_hours, max_hours } = rules;
    if (min_hours !== null && max_hours !== null && max_hours < min_hours)
      problems.push({
        field: 'booking_rules',
        message: `must not have max_hours below min_hours, which is ${min_hours}`,
      });
  }
  return { changes: { ...given, ...follows }, problems };
}
