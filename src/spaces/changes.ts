import { isDeepStrictEqual } from 'node:util';
import type { FieldError } from '../errors.ts';
import { normalized, problemsIn } from '../fields/fields.ts';
import type { Hours } from '../fields/kinds.ts';
import { NO_RULES, type BookingRules } from '../hours/schedule.ts';
import { SPACE, type OperatorSpace, type SpaceChanges } from './fields.ts';
import { coveringRange } from './opening.ts';

/** What the given values change in a space, as they are kept, and what is wrong with them. */
export function resolveChanges(
  space: Pick<OperatorSpace, 'weekly_hours' | 'booking_rules'>,
  given: SpaceChanges,
  currency: string,
): { changes: SpaceChanges; problems: FieldError[] } {
  const problems = problemsIn(SPACE, given, currency);
  return problems.length > 0
    ? { changes: given, problems }
    : completeChanges(space, normalized(SPACE, given));
}

/**
 * Fills in the booking rules that were not given, and the operating hours that weekly hours have: while weekly hours are set, they decide
 * alone.
 */
export function completeChanges<Given extends SpaceChanges>(
  space: Pick<OperatorSpace, 'weekly_hours' | 'booking_rules'>,
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
