import { InvalidArgumentError } from 'commander';
import { GuestSearch, ReferenceFilter, Statuses } from '../bookings/schemas.ts';
import { fold } from '../bookings/guest.ts';
import { inputSchema, problemsOf, type Field } from '../fields/fields.ts';
import { hours } from '../fields/kinds.ts';
import { MAX_EMAIL_LENGTH, notBlank } from '../http/input/schemas.ts';
import { Type, type Schema } from '../http/input/type.ts';
import { fieldErrors } from '../http/input/validation.ts';
import { parseId } from '../ids/uuid.ts';
import { isCalendarDate } from '../time/dates.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../time/units.ts';
import { MONTH_PATTERN } from '../time/month.ts';
import { isSecret } from '../webhooks/signature.ts';
import { systemClock } from '../time/clock.ts';

// Parsers of option values. For a bad value commander names the option and exits with 2.

export function id(text: string): string {
  return parseId(text) ?? refuse('It must be an id (a uuid).');
}

export function field<V>(of: Field<V>): (text: string) => V {
  return (text) => {
    const parsed = (of.parse?.(text) ?? text) as V;
    const [problem] = problemsOf(of, parsed);
    if (problem === undefined) return parsed;
    // Left as a text: not in the form that the help shows.
    const isUnread = of.parse !== undefined && parsed === text && inputSchema(of)['properties'] !== undefined;
    if (isUnread) return refuse(`It must be ${of.help}.`);
    const member = problem.path.filter((part) => typeof part === 'string').join('.');
    return refuse(`${member || 'It'} ${problem.message}.`);
  };
}

/** A text that is not blank, of at most so many characters. */
export function text(maxLength = 1000): (value: string) => string {
  return checked(notBlank(Type.String({ maxLength, description: '' })));
}

/** Why an operator did it, for the audit trail. */
export const reason = text(500);

/** Holds a text to a schema of the API: the same rules, in the same words. */
function checked(schema: Schema<string>): (value: string) => string {
  return (value) => {
    const [problem] = fieldErrors(schema, value, 'It');
    return problem === undefined ? value : refuse(`It ${problem.message}.`);
  };
}

export const email = checked(Type.String({ format: 'email', maxLength: MAX_EMAIL_LENGTH }));

export function countFrom(least: number, most: number): (value: string) => number {
  return (value) => {
    const number = /^\d{1,6}$/.test(value) ? Number(value) : refuse('It must be a whole number.');
    return number >= least && number <= most ? number : refuse(`It must be from ${least} to ${most}.`);
  };
}

/** As the API takes it. */
export function guest(value: string): string {
  checked(GuestSearch)(value);
  return fold(value) === '' ? refuse('It must have more than combining marks.') : value;
}

export const statuses = checked(Statuses);
export const reference = checked(ReferenceFilter);

/** `9-22` → from 9:00 to 22:00. */
export const hourRange = field({
  ...hours('', ['start_hour', 'end_hour']),
  help: 'hours such as 9-22 or 0-24',
});

/** Holds a text to a rule of which the words say an example. */
function accepted(is: (value: string) => boolean, what: string): (value: string) => string {
  return (value) => (is(value) ? value : refuse(`It must be ${what}.`));
}

/** An amount as it is written: its currency says later how many decimals it may have. */
export const decimal = accepted(
  (value) => /^-?\d{1,16}(?:\.\d{1,20})?$/.test(value),
  'an amount such as 119.25 or -12.50',
);

export const date = accepted(isCalendarDate, 'a calendar date such as 2027-03-18');

/** Not the year 0000, which no calendar has. */
export const month = accepted(
  (value) => new RegExp(MONTH_PATTERN).test(value) && value >= '0001',
  'a month such as 2027-03',
);

export const httpUrl = accepted(
  (value) => /^https?:$/.test(URL.parse(value)?.protocol ?? ''),
  'a URL such as http://127.0.0.1:8080/webhooks',
);

export const webhookSecret = accepted(isSecret, 'a secret such as whsec_…');

/** A duration from now, a date (its first moment in UTC) or an instant; in epoch milliseconds. */
export function moment(value: string): number {
  const at = instant(value, 1);
  return at > systemClock.now() ? at : refuse('It must lie in the future.');
}

/** A duration ago, a date (its first moment in UTC) or an instant; in epoch milliseconds. */
export function since(value: string): number {
  const at = instant(value, -1);
  return at <= systemClock.now() ? at : refuse('It must not lie in the future.');
}

/** The same, but a date means its last moment in UTC, and the future is fine. */
export function until(value: string): number {
  return instant(value, -1) + (DATE.test(value) ? DAY_MS - 1 : 0);
}

/** `30s`, `15m`, `24h` or `7d`, in milliseconds. */
export function duration(value: string): number {
  return span(value) ?? refuse(`It must be ${A_DURATION}.`);
}

const A_DURATION = 'a duration such as 30s, 15m, 24h or 7d';
const UNIT_MS: Record<string, number> = { s: SECOND_MS, m: MINUTE_MS, h: HOUR_MS, d: DAY_MS };
const DATE = /^\d{4}-\d{2}-\d{2}$/;

function span(value: string): number | undefined {
  const [, count, unit] = /^(\d{1,5})([smhd])$/.exec(value) ?? [];
  return unit === undefined ? undefined : Number(count) * UNIT_MS[unit]!;
}

/** Not Date.parse, which takes 30 February for 2 March. */
function instant(value: string, direction: 1 | -1): number {
  const away = span(value);
  if (away !== undefined) return systemClock.now() + direction * away;
  try {
    return Temporal.Instant.from(DATE.test(value) ? `${value}T00:00Z` : value).epochMilliseconds;
  } catch {
    return refuse(
      `It must be ${A_DURATION}, a date such as 2027-12-31, or a time such as 2027-12-31T18:00:00Z.`,
    );
  }
}

function refuse(message: string): never {
  throw new InvalidArgumentError(message);
}
