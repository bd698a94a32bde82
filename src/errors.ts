/** Every error code of the API with its HTTP status. (`notHttp` has statuses of its own.) */
export const ERROR_STATUS = {
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
  VALIDATION_ERROR: 422,
  BOOKING_INVALID_SETTLEMENT_MODE: 422,
  BOOKING_VALUE_EXCEEDED: 422,
  BOOKING_CANCELLATION_BLOCKED: 422,
  RATE_LIMIT_EXCEEDED: 429,
  GUEST_BOOKING_VELOCITY: 429,
  INTERNAL_ERROR: 500,
  SERVICE_UNAVAILABLE: 503,
} as const;

export type ErrorCode = keyof typeof ERROR_STATUS;

/** Of addresses beside the API, which are not in its document. */
export const OTHER_STATUS = {
  ORIGIN_NOT_ALLOWED: 403,
  INVITATION_USED: 410,
  INVITATION_EXPIRED: 410,
  INVITATION_WITHDRAWN: 410,
} as const;

const STATUS = { ...ERROR_STATUS, ...OTHER_STATUS };

export type AnyCode = keyof typeof STATUS;

export interface FieldError {
  field: string;
  message: string;
}

/** What went wrong, field by field; or the facts of a refusal, such as the hours that clash. */
export type ErrorDetails = FieldError[] | Record<string, unknown>;

/** Of a 503: whether what was asked for can have been done all the same. */
export const OUTCOMES = ['not_done', 'unknown'] as const;
export type Outcome = (typeof OUTCOMES)[number];

export class ApiError extends Error {
  readonly code: AnyCode;
  readonly httpStatus: number;
  readonly details: ErrorDetails | undefined;
  readonly outcome: Outcome | undefined;
  readonly headers: Record<string, string>;

  constructor(
    code: AnyCode,
    message: string,
    extra: Partial<Pick<ApiError, 'details' | 'outcome' | 'headers' | 'httpStatus'>> = {},
  ) {
    super(message);
    this.name = 'ApiError';
    this.code = code;
    this.httpStatus = extra.httpStatus ?? STATUS[code];
    this.details = extra.details;
    this.outcome = extra.outcome;
    this.headers = extra.headers ?? {};
  }
}

/** The database cannot be reached or cannot write just now; the same request may succeed later. */
export class DatabaseAway extends Error {
  /** `unknown`: the connection broke while a transaction was being committed. */
  readonly outcome: Outcome;

  constructor(cause: unknown, outcome: Outcome = 'not_done') {
    const reason = cause instanceof Error && cause.message !== '' ? cause.message : String(cause);
    super(`the database is not available: ${reason}`, { cause });
    this.name = 'DatabaseAway';
    this.outcome = outcome;
  }
}

/** Something the operator must put right: printed as one line, or several, without a stack. */
export class OperatorError extends Error {
  override readonly name = 'OperatorError';
  readonly lines: readonly string[];

  constructor(message: string | readonly string[], options?: ErrorOptions) {
    const lines = [message].flat();
    super(lines.join('\n'), options);
    this.lines = lines;
  }
}

function unauthorized(code: 'INVALID_API_KEY' | 'API_KEY_REVOKED', message: string): ApiError {
  return new ApiError(code, message, { headers: { 'www-authenticate': 'Bearer' } });
}

export function invalidApiKey(): ApiError {
  const message = 'Unauthorized: send a valid API key as "Authorization: Bearer <API_KEY>"';
  return unauthorized('INVALID_API_KEY', message);
}

export function notSignedIn(): ApiError {
  return unauthorized('INVALID_API_KEY', 'Unauthorized: sign in to the console');
}

export function apiKeyRevoked(): ApiError {
  return unauthorized('API_KEY_REVOKED', 'This API key has been revoked or has expired');
}

/** The code is that of a revoked key: callers already know it as "this key does not work any more". */
export function accountNotActive(): ApiError {
  return unauthorized('API_KEY_REVOKED', 'The account of this API key is not active; ask the operator');
}

export function originNotAllowed(): ApiError {
  return new ApiError(
    'ORIGIN_NOT_ALLOWED',
    'Requests from pages of other sites are not allowed; call it from a server',
  );
}

export function insufficientScope(scope: string): ApiError {
  return new ApiError('INSUFFICIENT_SCOPE', `This API key lacks the scope "${scope}"`, {
    details: { required_scope: scope },
  });
}

export function rateLimitExceeded(limit: number, retryAfter: number): ApiError {
  const message = `Rate limit exceeded: ${limit} requests per 60 seconds; retry after ${retryAfter} s`;
  return new ApiError('RATE_LIMIT_EXCEEDED', message, {
    details: { limit, window_seconds: 60, retry_after_seconds: retryAfter },
    headers: { 'retry-after': String(retryAfter) },
  });
}

export function validationError(details: FieldError[]): ApiError {
  const [first] = details;
  const summary = first === undefined ? 'The request is not valid' : `${first.field} ${first.message}`;
  return new ApiError('VALIDATION_ERROR', summary, { details });
}

export function invalid(field: string, message: string): ApiError {
  return validationError([{ field, message }]);
}

/** For what is not HTTP at all. Not 422: no request was read whose input could be wrong. */
export function notHttp(httpStatus: 400 | 408 | 431, message: string): ApiError {
  return new ApiError('VALIDATION_ERROR', message, { httpStatus, headers: { connection: 'close' } });
}

/** For POST /mcp. Not 422: MCP clients expect 400 for a message that the server does not accept. */
export function batchNotSupported(): ApiError {
  return new ApiError('VALIDATION_ERROR', 'Send one JSON-RPC message per request, not a batch', {
    httpStatus: 400,
  });
}

export function notFound(what: string): ApiError {
  return new ApiError('NOT_FOUND', `Not found: ${what}`);
}

export function methodNotAllowed(method: string, allow: string): ApiError {
  const message = `${method} is not allowed here; use ${allow}`;
  return new ApiError('METHOD_NOT_ALLOWED', message, { headers: { allow } });
}

export function payloadTooLarge(limitBytes: number): ApiError {
  return new ApiError('PAYLOAD_TOO_LARGE', `The request body is larger than ${limitBytes / 1024} KiB`);
}

export function unsupportedMediaType(message = 'Send the request body as application/json'): ApiError {
  return new ApiError('UNSUPPORTED_MEDIA_TYPE', message);
}

export function internalError(): ApiError {
  const message = 'Internal error; quote the request id when you report it';
  return new ApiError('INTERNAL_ERROR', message);
}

export function serviceUnavailable(outcome: Outcome = 'not_done'): ApiError {
  return new ApiError('SERVICE_UNAVAILABLE', 'The service is temporarily unavailable; retry shortly', {
    outcome,
    headers: { 'retry-after': '1' },
  });
}

/** What a process lacks to serve. */
export type Lack = 'starting' | 'schema' | 'database' | 'disk';

/** Only what `/readyz` says, which anybody may ask: no more than the one word, and for `schema` the versions. */
export function notReady(reason: Lack, message = 'The service is not ready'): ApiError {
  return new ApiError('SERVICE_UNAVAILABLE', message, {
    details: { reason },
    outcome: 'not_done',
    headers: { 'retry-after': '1' },
  });
}

export function invalidToken(): ApiError {
  return new ApiError('INVALID_TOKEN', 'Invalid token');
}

export function invitationUsed(): ApiError {
  return new ApiError('INVITATION_USED', 'This link was already used to create a key; ask for a new link');
}

export function invitationExpired(): ApiError {
  return new ApiError('INVITATION_EXPIRED', 'This link has expired; ask for a new one');
}

export function invitationWithdrawn(): ApiError {
  return new ApiError('INVITATION_WITHDRAWN', 'This link was withdrawn; ask for a new one');
}

export function selfBookingBlocked(): ApiError {
  return new ApiError('SELF_BOOKING_BLOCKED', 'A host cannot be the guest of their own space');
}

export function blockSlotOccupied(hours: number[]): ApiError {
  return new ApiError('BLOCK_SLOT_OCCUPIED', `Already taken: ${hourList(hours)}`, { details: { hours } });
}

export function blockDaysOccupied(days: readonly { date: string; hours: number[] }[]): ApiError {
  const [{ date, hours }, ...others] = days as [(typeof days)[number], ...typeof days];
  const more = others.length === 0 ? '' : `, and hours of ${others.length} more days`;
  const message = `Already taken: ${hourList(hours)} on ${date}${more}`;
  return new ApiError('BLOCK_SLOT_OCCUPIED', message, { details: { days } });
}

export function bookingConflict(hours: number[]): ApiError {
  return new ApiError('BOOKING_CONFLICT', `Already taken: ${hourList(hours)}`, { details: { hours } });
}

export function invalidSettlementMode(mode: string, allowed: readonly string[]): ApiError {
  const message = `settlement_mode "${mode}" is not one of ${allowed.join(', ')}`;
  return new ApiError('BOOKING_INVALID_SETTLEMENT_MODE', message, {
    details: { settlement_mode: mode, allowed },
  });
}

/** Amounts in major units, as everywhere in the API. */
export function bookingValueExceeded(value: number, limit: number, currency: string): ApiError {
  const message = `The booking costs ${value} ${currency}, more than the allowed ${limit} ${currency}`;
  return new ApiError('BOOKING_VALUE_EXCEEDED', message, { details: { value, limit, currency } });
}

export function cancellationBlocked(why: string): ApiError {
  return new ApiError('BOOKING_CANCELLATION_BLOCKED', `The booking cannot be cancelled: ${why}`);
}

export function guestBookingVelocity(limit: number, windowMinutes: number, retryAfter: number): ApiError {
  const message = `This guest has made ${limit} bookings within ${windowMinutes} minutes; retry after ${retryAfter} s`;
  return new ApiError('GUEST_BOOKING_VELOCITY', message, {
    details: { limit, window_minutes: windowMinutes, retry_after_seconds: retryAfter },
    headers: { 'retry-after': String(retryAfter) },
  });
}

function hourList(hours: number[]): string {
  return hours.map((hour) => `${String(hour).padStart(2, '0')}:00`).join(', ');
}
