import * as errors from '../../errors.ts';

/** One example of every code, made by the constructor that makes the real ones. */
export const ERROR_EXAMPLES: Readonly<Record<errors.ErrorCode, errors.ApiError>> = {
  INVALID_API_KEY: errors.invalidApiKey(),
  API_KEY_REVOKED: errors.apiKeyRevoked(),
  INVALID_TOKEN: errors.invalidToken(),
  INSUFFICIENT_SCOPE: errors.insufficientScope('bookings:write'),
  SELF_BOOKING_BLOCKED: errors.selfBookingBlocked(),
  NOT_FOUND: errors.notFound('no such space'),
  METHOD_NOT_ALLOWED: errors.methodNotAllowed('PUT', 'GET, HEAD'),
  BLOCK_SLOT_OCCUPIED: errors.blockSlotOccupied([14, 15]),
  BOOKING_CONFLICT: errors.bookingConflict([14, 15]),
  PAYLOAD_TOO_LARGE: errors.payloadTooLarge(256 * 1024),
  UNSUPPORTED_MEDIA_TYPE: errors.unsupportedMediaType(),
  VALIDATION_ERROR: errors.validationError([
    { field: 'date', message: 'must be a calendar date in the form YYYY-MM-DD' },
  ]),
  BOOKING_INVALID_SETTLEMENT_MODE: errors.invalidSettlementMode('cash', ['host_settled', 'platform_settled']),
  BOOKING_VALUE_EXCEEDED: errors.bookingValueExceeded(12_000, 10_000, 'USD'),
  BOOKING_CANCELLATION_BLOCKED: errors.cancellationBlocked('it has already begun'),
  RATE_LIMIT_EXCEEDED: errors.rateLimitExceeded(100, 12),
  GUEST_BOOKING_VELOCITY: errors.guestBookingVelocity(10, 60, 540),
  INTERNAL_ERROR: errors.internalError(),
  SERVICE_UNAVAILABLE: errors.serviceUnavailable(),
};
