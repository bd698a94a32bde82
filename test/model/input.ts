// What a request may hold (contract §2, and the limits of each field), and how one is rejected.
import { isDate } from './time.ts';

export type Body = Record<string, unknown>;
export type Check = (value: unknown) => boolean;

const STATUS: Record<string, number> = {
  INVALID_API_KEY: 401,
  API_KEY_REVOKED: 401,
  INVALID_TOKEN: 401,
  INSUFFICIENT_SCOPE: 403,
  SELF_BOOKING_BLOCKED: 403,
  NOT_FOUND: 404,
  METHOD_NOT_ALLOWED: 405,
  BLOCK_SLOT_OCCUPIED: 409,
  BOOKING_CONFLICT: 409,
  PAYLOAD_TOO_LARGE: 413,
  UNSUPPORTED_MEDIA_TYPE: 415,
  GUEST_BOOKING_VELOCITY: 429,
  RATE_LIMIT_EXCEEDED: 429,
};

/** An error response. `details` of a validation error are the fields that it names; undefined where the contract leaves them open. */
export class Rejection extends Error {
  readonly code: string;
  readonly details: unknown;
  readonly headers: Record<string, string>;

  constructor(code: string, details?: unknown, headers: Record<string, string> = {}) {
    super(code);
    this.code = code;
    this.details = details;
    this.headers = headers;
  }

  get status(): number {
    return STATUS[this.code] ?? 422;
  }
}

/** Names the fields that are wrong; without any, the contract does not say which. */
export const invalid = (...fields: string[]): Rejection =>
  new Rejection('VALIDATION_ERROR', fields.length > 0 ? { fields } : undefined);
export const notFound = (): Rejection => new Rejection('NOT_FOUND');

const BLANK = /^[\t-\r \u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]*$/u;
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** Lengths count code points. A text that must not be empty must not be blank either. */
export const text =
  (min: number, max: number, without = /\0/): Check =>
  (value) =>
    typeof value === 'string' &&
    value.isWellFormed() &&
    isWithin(Array.from(value).length, min, max) &&
    (min === 0 || !BLANK.test(value)) &&
    !without.test(value);
export const integer =
  (min: number, max: number): Check =>
  (value) =>
    Number.isInteger(value) && isWithin(value as number, min, max);
/** Query numbers are plain digits. */
export const digits =
  (min: number, max: number): Check =>
  (value) =>
    typeof value === 'string' && /^\d+$/.test(value) && isWithin(Number(value), min, max);
const isWithin = (value: number, min: number, max: number): boolean => value >= min && value <= max;
export const nullable =
  (check: Check): Check =>
  (value) =>
    value === null || check(value);
export const listOf =
  (check: Check, max: number): Check =>
  (value) =>
    Array.isArray(value) && value.length <= max && value.every(check);
/** At least one, none twice. */
export const setOf =
  (of: readonly string[]): Check =>
  (value) =>
    listOf((one) => of.includes(one as string), of.length)(value) &&
    (value as unknown[]).length > 0 &&
    new Set(value as unknown[]).size === (value as unknown[]).length;
export const isBoolean: Check = (value) => typeof value === 'boolean';
export const isTrue: Check = (value) => value === true;
export const isUuid: Check = (value) => typeof value === 'string' && UUID.test(value);
export const isEmail: Check = (value) =>
  typeof value === 'string' && value.length <= 254 && /^[^\s@]+@[^\s@]+\.[^\s@.]+$/.test(value);
export const isObject = (value: unknown): value is Body =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
export const DATE: Check = isDate;
export const START_HOUR = integer(0, 23);
export const END_HOUR = integer(1, 24);

/** Without white space or control characters, without credentials, with a host (§2, §8). `webcal:` is read as `https:`. */
export const isUrl =
  (schemes: RegExp, max: number): Check =>
  (value) => {
    if (typeof value !== 'string' || value.length > max || /[\s\p{Cc}]/u.test(value)) return false;
    const url = URL.parse(value.replace(/^webcal:/i, 'https:'));
    return schemes.test(value) && (url?.hostname ?? '') !== '' && url!.username + url!.password === '';
  };
const GUARDED = /^(localhost$|127\.|10\.|192\.168\.|169\.254\.|172\.(1[6-9]|2\d|3[01])\.|0\.|\[)/;
/** Of a public unicast address: the harness gives literal ones. */
export const isPublicUrl =
  (schemes: RegExp, max: number): Check =>
  (value) =>
    isUrl(schemes, max)(value) &&
    !GUARDED.test(new URL((value as string).replace(/^webcal:/i, 'https:')).hostname);

/** All fields that are wrong, missing or unknown. */
export function checkBody(body: unknown, checks: Record<string, Check>, required: string[] = []): Body {
  if (!isObject(body)) throw invalid();
  const wrong = [
    ...required.filter((name) => body[name] === undefined),
    ...Object.keys(body).filter((name) => !Object.hasOwn(checks, name) || !checks[name]!(body[name])),
  ];
  if (wrong.length > 0) throw invalid(...wrong);
  return body;
}

/** The body may repeat the id of the path; one that differs is wrong. */
export function checkSpaceId({ space_id: given }: Body, inPath: string): void {
  if (((given as string | undefined) ?? inPath).toLowerCase() !== inPath.toLowerCase())
    throw invalid('space_id');
}

/** Its end is after its start. */
export const endsAfterStart = ({
  start_hour,
  end_hour,
}: {
  start_hour?: unknown;
  end_hour?: unknown;
}): boolean => (end_hour as number) > (start_hour as number);
export const isRange: Check = (value) =>
  isObject(value) &&
  Object.keys(value).toSorted().join() === 'end_hour,start_hour' &&
  START_HOUR(value['start_hour']) &&
  END_HOUR(value['end_hour']);

/** Known parameters, each once. Unknown ones are rejected before the others are looked at. */
export function checkQuery(
  query: URLSearchParams,
  checks: Record<string, Check>,
  required: string[] = [],
): Record<string, string> {
  const names = [...new Set(query.keys())];
  const unknown = names.filter((name) => !Object.hasOwn(checks, name));
  if (unknown.length > 0) throw invalid(...unknown);
  const isWrong = (name: string): boolean => query.getAll(name).length > 1 || !checks[name]!(query.get(name));
  const wrong = [...required.filter((name) => !query.has(name)), ...names.filter(isWrong)];
  // Of several, any may be named.
  if (wrong.length > 0) throw wrong.length === 1 ? invalid(...wrong) : invalid();
  return Object.fromEntries(query);
}
