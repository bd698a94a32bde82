import type { ApiError, ErrorDetails, Outcome } from '../errors.ts';

export function ok<T>(data: T): { success: true; data: T } {
  return { success: true, data };
}

export interface Failure {
  success: false;
  error: {
    code: string;
    message: string;
    http_status: number;
    request_id: string;
    details?: ErrorDetails;
    outcome?: Outcome;
  };
}

export function failure(error: ApiError, requestId: string): Failure {
  return {
    success: false,
    error: {
      code: error.code,
      message: error.message,
      http_status: error.httpStatus,
      request_id: requestId,
      ...(error.details === undefined ? {} : { details: error.details }),
      ...(error.outcome === undefined ? {} : { outcome: error.outcome }),
    },
  };
}
