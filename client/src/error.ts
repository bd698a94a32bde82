import type { ApiErrorCode, ErrorAnswer } from './document.ts';

/** The API's own codes, and those of what happens on the way to it and back. */
export type ErrorCode =
  | ApiErrorCode
  /** No answer within `timeoutMs`. */
  | 'TIMEOUT'
  /** The connection could not be made, or broke before the whole answer was there. */
  | 'CONNECTION_LOST'
  /** Something else than this API answered: a proxy, or the wrong `baseUrl`. */
  | 'UNEXPECTED_ANSWER'
  /** A webhook delivery that cannot be trusted. */
  | 'INVALID_SIGNATURE'
  /** An id that is empty or missing: nothing was sent. */
  | 'INVALID_ARGUMENT';

export type ErrorDetails = NonNullable<ErrorAnswer['error']['details']>;

/** What is known about a refusal, where its code says what that is. */
interface DetailsByCode {
  VALIDATION_ERROR: { field: string; message: string }[];
  BOOKING_CONFLICT: { hours: number[] };
  /** `hours` of one date; where `end_date` was given, `days` instead. */
  BLOCK_SLOT_OCCUPIED: { hours: number[]; days?: { date: string; hours: number[] }[] };
  BOOKING_INVALID_SETTLEMENT_MODE: { allowed: string[] };
  BOOKING_VALUE_EXCEEDED: { value: number; limit: number; currency: string };
  GUEST_BOOKING_VELOCITY: { limit: number; window_minutes: number; retry_after_seconds: number };
  RATE_LIMIT_EXCEEDED: { limit: number; window_seconds: number; retry_after_seconds: number };
  INSUFFICIENT_SCOPE: { required_scope: string };
}

type DetailsOf<Code> = Code extends keyof DetailsByCode ? DetailsByCode[Code] : ErrorDetails;

interface ErrorFacts {
  status?: number;
  requestId?: string | undefined;
  details?: ErrorDetails | undefined;
  retryAfter?: number | undefined;
  outcome?: Outcome | undefined;
  cause?: unknown;
}

export type Outcome = NonNullable<ErrorAnswer['error']['outcome']>;

class ErrorOf<Code extends ErrorCode> extends Error {
  override readonly name = 'HourkeepError';
  /** Stable; decide by this. */
  readonly code: Code;
  /** The HTTP status; 0 where there was no answer. */
  readonly status: number;
  /** Names the request in the service's log: keep it when you ask for help. */
  readonly requestId: string | undefined;
  /** Field by field on a VALIDATION_ERROR; the facts of the refusal on others, such as the hours that clash. */
  readonly details: DetailsOf<Code> | undefined;
  /** Seconds to wait before trying again, where the service said so. */
  readonly retryAfter: number | undefined;
  /** Of a 503: `not_done`, or `unknown` where it may have been done all the same. */
  readonly outcome: Outcome | undefined;

  constructor(code: Code, message: string, facts: ErrorFacts = {}) {
    super(message, facts.cause === undefined ? undefined : { cause: facts.cause });
    this.code = code;
    this.status = facts.status ?? 0;
    this.requestId = facts.requestId;
    this.details = facts.details as DetailsOf<Code> | undefined;
    this.retryAfter = facts.retryAfter;
    this.outcome = facts.outcome;
  }
}

/** Everything that a call can fail with, but for an abort: that rejects with the signal's reason. Its `code` tells its `details`. */
export type HourkeepError = { [Code in ErrorCode]: ErrorOf<Code> }[ErrorCode];

export const HourkeepError = ErrorOf as {
  new (code: ErrorCode, message: string, facts?: ErrorFacts): HourkeepError;
  readonly prototype: HourkeepError;
};
