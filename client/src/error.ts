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
  | 'INVALID_SIGNATURE';

export type ErrorDetails = NonNullable<ErrorAnswer['error']['details']>;

export interface ErrorFacts {
  status?: number;
  requestId?: string | undefined;
  details?: ErrorDetails | undefined;
  retryAfter?: number | undefined;
  cause?: unknown;
}

/** Everything that a call can fail with, but for an abort: that rejects with the signal's reason. */
export class HourkeepError extends Error {
  override readonly name = 'HourkeepError';
  /** Stable; decide by this. */
  readonly code: ErrorCode;
  /** The HTTP status; 0 where there was no answer. */
  readonly status: number;
  /** Names the request in the service's log: keep it when you ask for help. */
  readonly requestId: string | undefined;
  /** Field by field on a VALIDATION_ERROR; the facts of the refusal on others, such as the hours that clash. */
  readonly details: ErrorDetails | undefined;
  /** Seconds to wait before trying again, where the service said so. */
  readonly retryAfter: number | undefined;

  constructor(code: ErrorCode, message: string, facts: ErrorFacts = {}) {
    super(message, facts.cause === undefined ? undefined : { cause: facts.cause });
    this.code = code;
    this.status = facts.status ?? 0;
    this.requestId = facts.requestId;
    this.details = facts.details;
    this.retryAfter = facts.retryAfter;
  }
}
