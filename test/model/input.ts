// What a request may hold (contract §2, and the limits of each field), and how one is rejected.
import { isDate } from './time.ts';

/** An error response. `details` of a validation error are the fields that it names; undefined where the contract leaves them open. */
export class Rejection extends Error {
  readonly status: number;
  readonly code: string;
  readonly details: unknown;
  readonly headers: Record<string, string>;

  constructor(status: number, code: string, details?: unknown, headers: Record<string, string> = {}) {
    super(code);
    this.status = status;
    this.code = code;
    this.details = details;
    this.headers = headers;
  }
}

/** Names the fields that are wrong; without any, the contract does not say which. */
export const invalid = (...fields: string[]): Rejection =>
  new Rejection(422, 'VALIDATION_ERROR', fields.length > 0 ? { fields } : undefined);
export const notFound = (): Rejection => new Rejection(404, 'NOT_FOUND');

export interface ExpectedResponse {
  status: number;
  headers: Record<string, string>;
  /** Undefined: not compared. */
  body: unknown;
}

export function rejected(
  { status, code, details, headers: own }: Rejection,
  headers: Record<string, string>,
  requestId: string,
  isHead = false,
): ExpectedResponse {
  const error = {
    code,
    http_status: status,
    request_id: requestId,
    ...(details === undefined ? {} : { details }),
  };
  return {
    status,
    headers: { ...headers, 'content-type': 'application/json; charset=utf-8', ...own },
    body: isHead ? undefined : { success: false, error },
  };
}

export type Check = (value: unknown) => boolean;
export type Body = Record<string, unknown>;

const BLANK = /^[\t-\r \u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]*$/u;
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

function isLong(value: string, min: number, max: number): boolean {
  const { length } = Array.from(value);
  return length >= min && length <= max;
}

/** Lengths count code points. A text that must not be empty must not be blank either. */
export const text =
  (min: number, max: number, but: { maybeBlank?: boolean; without?: RegExp } = {}): Check =>
  (value) =>
    typeof value === 'string' &&
    // eslint-disable-next-line no-control-regex
    !/\0/.test(value) &&
    value.isWellFormed() &&
    isLong(value, min, max) &&
    (min === 0 || but.maybeBlank === true || !BLANK.test(value)) &&
    !(but.without?.test(value) ?? false);
export const integer =
  (min: number, max: number): Check =>
  (value) =>
    Number.isInteger(value) && (value as number) >= min && (value as number) <= max;
export const nullable =
  (check: Check): Check =>
  (value) =>
    value === null || check(value);
export const listOf =
  (check: Check, min: number, max: number): Check =>
  (value) =>
    Array.isArray(value) && value.length >= min && value.length <= max && value.every(check);
export const setOf =
  (of: readonly string[]): Check =>
  (value) =>
    Array.isArray(value) &&
    value.length > 0 &&
    value.every((one) => of.includes(one as string)) &&
    new Set(value).size === value.length;
export const isBoolean: Check = (value) => typeof value === 'boolean';
export const isTrue: Check = (value) => value === true;
export const isUuid: Check = (value) => typeof value === 'string' && UUID.test(value);
export const isText: Check = (value) => typeof value === 'string';
export const isEmail: Check = (value) =>
  typeof value === 'string' && value.length <= 254 && /^[^\s@]+@[^\s@]+\.[^\s@.]+$/.test(value);
export const isObject = (value: unknown): value is Body =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
/** Without white space or control characters, without credentials, with a host (§2, §8). */
export const isUrl =
  (schemes: RegExp, max: number): Check =>
  (value) => {
    // eslint-disable-next-line no-control-regex
    if (typeof value !== 'string' || value.length > max || /[\s\u0000-\u001f\u007f]/.test(value))
      return false;
    if (!schemes.test(value) || !URL.canParse(value)) return false;
    const url = new URL(value.replace(/^webcal:/i, 'https:'));
    return url.hostname !== '' && url.username === '' && url.password === '';
  };
export const isRange: Check = (value) =>
  isObject(value) &&
  Object.keys(value).toSorted().join() === 'end_hour,start_hour' &&
  integer(0, 23)(value['start_hour']) &&
  integer(1, 24)(value['end_hour']) &&
  (value['end_hour'] as number) > (value['start_hour'] as number);

export const DATE: Check = isDate;
export const START_HOUR = integer(0, 23);
export const END_HOUR = integer(1, 24);

/** All fields that are wrong, missing or unknown. */
export function checkBody(body: unknown, checks: Record<string, Check>, required: string[]): Body {
  if (!isObject(body)) throw invalid();
  const wrong = [
    ...required.filter((name) => body[name] === undefined),
    ...Object.keys(body).filter((name) => !Object.hasOwn(checks, name) || !checks[name]!(body[name])),
  ];
  if (wrong.length > 0) throw invalid(...wrong);
  return body;
}

/** The body may repeat the id of the path; one that differs is wrong. */
export function checkSpaceId(body: Body, id: string): void {
  const given = body['space_id'] as string | undefined;
  if (given !== undefined && given.toLowerCase() !== id.toLowerCase()) throw invalid('space_id');
}

/** A range of one day: its end is after its start. */
export function checkRange(body: Body): void {
  if ((body['end_hour'] as number) <= (body['start_hour'] as number)) throw invalid('end_hour');
}

/** Known parameters, each once. Unknown ones are rejected before the others are looked at. */
export function checkQuery(
  query: URLSearchParams,
  checks: Record<string, Check>,
  required: string[] = [],
): Record<string, string> {
  const names = [...new Set(query.keys())];
  const unknown = names.filter((name) => !Object.hasOwn(checks, name));
  if (unknown.length > 0) throw invalid(...unknown);
  const twice = names.filter((name) => query.getAll(name).length > 1);
  if (twice.length > 0) throw invalid(...twice);
  const wrong = [
    ...required.filter((name) => !query.has(name)),
    ...names.filter((name) => !checks[name]!(query.get(name))),
  ];
  if (wrong.length > 0) throw invalid(...wrong);
  return Object.fromEntries(query);
}

/** Query numbers are plain digits. */
export const digits =
  (min: number, max: number): Check =>
  (value) =>
    typeof value === 'string' && /^\d+$/.test(value) && Number(value) >= min && Number(value) <= max;
