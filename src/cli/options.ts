import { InvalidArgumentError, type Command } from 'commander';
import { BOOKING_STATUSES, type BookingStatus } from '../bookings/schemas.ts';
import { fold } from '../bookings/fold.ts';
import { isScope, SCOPES, type Scope } from '../api-keys/scopes.ts';
import { OperatorError } from '../errors.ts';
import { EVENT_TYPES, type EventType } from '../events/events.ts';
import { SETTLEMENT_MODES, type SettlementMode } from '../hosts/hosts.ts';
import { isEmail } from '../http/input/email.ts';
import { isBlank } from '../http/input/schemas.ts';
import type { Environment } from '../ids/api-key.ts';
import { parseId } from '../ids/uuid.ts';
import { rateToMillionths } from '../money/commission.ts';
import { currencyDecimals, isCurrency, MAX_AMOUNT_MINOR, toMajor, toMinor } from '../money/currency.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../time/units.ts';
import { MONTH_PATTERN } from '../time/month.ts';
import { findTimezone } from '../time/zones.ts';
import { isSecret } from '../webhooks/signature.ts';
import { systemClock } from '../time/clock.ts';

// Parsers of option values. For a bad value commander names the option and exits with 2.

export function id(text: string): string {
  return parseId(text) ?? refuse('It must be an id (a uuid).');
}

export function text(value: string): string {
  return isBlank(value) ? refuse('It must not be blank.') : value;
}

export function upTo(most: number): (value: string) => string {
  return (value) => (value.length <= most ? value : refuse(`It must have at most ${most} characters.`));
}

export function textUpTo(most: number): (value: string) => string {
  return (value) => text(upTo(most)(value));
}

export function email(value: string): string {
  return isEmail(value) ? value : refuse('It must be an email address.');
}

export function timezone(value: string): string {
  return findTimezone(value) ?? refuse('It must be an IANA timezone such as Asia/Seoul.');
}

export function currency(value: string): string {
  const code = value.toUpperCase();
  return isCurrency(code) ? code : refuse('It must be an ISO 4217 code such as USD.');
}

export function commission(value: string): number {
  const rate = Number(value);
  return /^\d*\.?\d{1,6}$/.test(value) && rate <= 1
    ? rateToMillionths(rate)
    : refuse('It must be from 0 to 1, such as 0.10, with at most six decimals.');
}

export function settlementModes(value: string): SettlementMode[] {
  const modes = list(value).map(
    (mode) =>
      SETTLEMENT_MODES.find((known) => known === mode) ?? refuse(`Modes are ${SETTLEMENT_MODES.join(', ')}.`),
  );
  return [...new Set(modes)];
}

export function environment(value: string): Environment {
  return value === 'production' || value === 'sandbox' ? value : refuse('It must be production or sandbox.');
}

export function scopes(value: string): Scope[] {
  return list(value).map((scope) => (isScope(scope) ? scope : refuse(`Scopes are ${SCOPES.join(', ')}.`)));
}

export function amount(value: string): number {
  return /^\d+(?:\.\d+)?$/.test(value) ? Number(value) : refuse('It must be an amount such as 45 or 32.50.');
}

export function count(value: string): number {
  return /^\d{1,6}$/.test(value) ? Number(value) : refuse('It must be a whole number.');
}

export function countFrom(least: number, most: number): (value: string) => number {
  return (value) => {
    const number = count(value);
    return number >= least && number <= most ? number : refuse(`It must be from ${least} to ${most}.`);
  };
}

/** As the API takes it. */
export function guest(value: string): string {
  const letters = Array.from(textUpTo(200)(value)).length;
  if (letters < 2 || letters > 100) refuse('It must have from 2 to 100 characters.');
  return fold(value) === '' ? refuse('It must have more than combining marks.') : value;
}

export function bookingStatus(value: string): BookingStatus {
  return (
    BOOKING_STATUSES.find((known) => known === value) ?? refuse(`It must be ${BOOKING_STATUSES.join(', ')}.`)
  );
}

/** `9-22` → opens at 9:00, closes at 22:00. */
export function hourRange(value: string): { start: number; end: number } {
  const match = /^(\d{1,2})-(\d{1,2})$/.exec(value);
  const [start, end] = [Number(match?.[1] ?? NaN), Number(match?.[2] ?? NaN)];
  return start >= 0 && start < end && end <= 24
    ? { start, end }
    : refuse('It must be hours such as 9-22 or 0-24.');
}

export function date(value: string): string {
  const day = isDate(value) ? new Date(`${value}T00:00:00Z`) : new Date(NaN);
  const exists = !Number.isNaN(day.getTime()) && day.toISOString().startsWith(value);
  return exists ? value : refuse('It must be a calendar date such as 2027-03-18.');
}

/** Not the year 0000, which no calendar has. */
export function month(value: string): string {
  return new RegExp(MONTH_PATTERN).test(value) && value >= '0001'
    ? value
    : refuse('It must be a month such as 2027-03.');
}

/** `90d`, a date (its first moment in UTC) or an instant; in epoch milliseconds. */
export function moment(value: string): number {
  const days = /^(\d{1,5})d$/.exec(value)?.[1];
  const at =
    days === undefined ? instant(value, 'days such as 90d') : systemClock.now() + Number(days) * DAY_MS;
  return at > systemClock.now() ? at : refuse('It must lie in the future.');
}

/** `30s`, `15m`, `24h` or `7d`, in milliseconds. */
export function duration(value: string): number {
  const [, count, unit] = /^(\d{1,5})([smhd])$/.exec(value) ?? [];
  return count === undefined
    ? refuse('It must be a duration such as 30s, 15m, 24h or 7d.')
    : Number(count) * UNIT_MS[unit as keyof typeof UNIT_MS];
}

const UNIT_MS = { s: SECOND_MS, m: MINUTE_MS, h: HOUR_MS, d: DAY_MS };

/** `7d` or `12h` ago, a date (its first moment in UTC) or an instant; in epoch milliseconds. */
export function since(value: string): number {
  const at = agoOrInstant(value);
  return at <= systemClock.now() ? at : refuse('It must not lie in the future.');
}

/** The same, but a date means its last moment in UTC, and the future is fine. */
export function until(value: string): number {
  const at = agoOrInstant(value);
  return isDate(value) ? at + DAY_MS - 1 : at;
}

function agoOrInstant(value: string): number {
  return /^\d{1,5}[dh]$/.test(value)
    ? systemClock.now() - duration(value)
    : instant(value, 'a span such as 7d or 12h');
}

function isDate(value: string): boolean {
  return /^\d{4}-\d{2}-\d{2}$/.test(value);
}

/** Not Date.parse, which takes 30 February for 2 March. `span` says what else the option takes. */
function instant(value: string, span: string): number {
  try {
    const text = isDate(value) ? `${value}T00:00Z` : value;
    return Temporal.Instant.from(text).epochMilliseconds;
  } catch {
    return refuse(`It must be ${span}, a date such as 2027-12-31, or a time such as 2027-12-31T18:00:00Z.`);
  }
}

export function port(value: string): number {
  return /^\d{1,5}$/.test(value) && Number(value) <= 65_535
    ? Number(value)
    : refuse('It must be a port, 0 to 65535.');
}

export function httpStatus(value: string): number {
  return /^[2-5]\d\d$/.test(value) ? Number(value) : refuse('It must be an HTTP status from 200 to 599.');
}

export function httpUrl(value: string): string {
  const isHttp = /^https?:$/.test(URL.parse(value)?.protocol ?? '');
  return isHttp ? value : refuse('It must be an address such as http://127.0.0.1:8080/webhooks.');
}

export function webhookSecret(value: string): string {
  return isSecret(value) ? value : refuse('It must be a secret such as whsec_….');
}

export function eventTypes(value: string): EventType[] {
  return list(value).map(
    (type) => EVENT_TYPES.find((known) => known === type) ?? refuse(`Events are ${EVENT_TYPES.join(', ')}.`),
  );
}

export function listUpTo(most: number, longest: number): (value: string) => string[] {
  return (value) => {
    const items = list(value);
    if (items.length > most) refuse(`It must have at most ${most} entries.`);
    return items.map(textUpTo(longest));
  };
}

/** Not a parser: exits with 2 where a command that changes something is told to change nothing. */
export function someChange(options: { json?: true }, command: Command): void {
  const changes = Object.keys(options).filter((name) => name !== 'json');
  if (changes.length === 0) command.error('error: name at least one field to change');
}

/** Not a parser: it needs the currency, which only the host's record has. */
export function minorUnits(amount: number, currency: string): number {
  const greatest = toMajor(MAX_AMOUNT_MINOR, currency);
  if (amount > greatest) throw new OperatorError(`${amount} ${currency} is too much: at most ${greatest}`);
  const minor = toMinor(amount, currency);
  if (minor !== undefined) return minor;
  const decimals = currencyDecimals(currency);
  throw new OperatorError(`${amount} is no amount in ${currency}: at most ${decimals} decimals`);
}

function list(value: string): string[] {
  return value.split(',').map((item) => text(item).trim());
}

function refuse(message: string): never {
  throw new InvalidArgumentError(message);
}
