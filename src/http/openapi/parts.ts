import { component, LocalDate } from '../input/schemas.ts';
import { Type, type Schema } from '../input/type.ts';
import { ERROR_STATUS, OUTCOMES, type ErrorCode } from '../../errors.ts';
import { MAX_FIELD_ERRORS, MAX_FIELD_NAME } from '../input/validation.ts';

export const DESCRIPTION = `Connect your own systems to the spaces you rent out by the hour: read availability, book and cancel,
block hours, change listings, read settlement and earnings, and receive changes by webhook.

**Authentication.** Send your API key as \`Authorization: Bearer <API_KEY>\`. Keys that start with \`hk_live_\` see your
production spaces, \`hk_test_\` your sandbox.

**Responses.** Success is \`{"success": true, "data": {…}}\`. Failure is \`{"success": false, "error": {…}}\` with a stable
\`code\`, a \`message\` for people and a \`request_id\`; quote the last one when you ask for help.
Other methods of a path return 405 \`METHOD_NOT_ALLOWED\`; \`Allow\` lists the supported ones.

**Limits.** 100 requests in any 60 seconds for a production key and 20 for a sandbox key, unless the operator chose others;
the \`RateLimit\` headers say how many are left.

**Time.** Dates and hours are local times of the space (\`timezone\`); \`end_hour\` is exclusive. Instants are UTC.`;

export const TAGS = [
  { name: 'Spaces', description: 'The spaces you rent out' },
  { name: 'Availability', description: 'A day’s 24 hours' },
  { name: 'Bookings', description: 'Create, move and cancel bookings' },
  { name: 'Blocks', description: 'Hours that you keep for yourself' },
  { name: 'Money', description: 'Settlement and earnings' },
  { name: 'Webhooks', description: 'Receive events when something changes' },
  { name: 'Calendar', description: 'Your bookings in your own calendar' },
  { name: 'Interface', description: 'This document' },
] as const;

export type TagName = (typeof TAGS)[number]['name'];

export const SECURITY_SCHEMES = {
  apiKey: { type: 'http', scheme: 'bearer', description: 'An API key: `hk_live_…` or `hk_test_…`' },
};

const FieldErrors = Type.Array(
  Type.Object({
    field: Type.String({
      maxLength: MAX_FIELD_NAME,
      description: 'The field, or `body` or `query` as a whole',
    }),
    message: Type.String({ maxLength: 500, description: 'What is wrong with it' }),
  }),
  { maxItems: MAX_FIELD_ERRORS },
);

const Hours = Type.Array(Type.Integer({ minimum: 0, maximum: 23 }), {
  maxItems: 24,
  description: 'The hours that are taken',
});
const OccupiedDay = Type.Object({ date: LocalDate, hours: Hours });
const Seconds = Type.Integer({ minimum: 0, maximum: 86_400, description: 'When to retry' });
const Count = Type.Integer({ minimum: 0, maximum: 1_000_000, description: 'How many are allowed' });

/** The facts that a code comes with. */
const DETAILS: Partial<Record<ErrorCode, Schema>> = {
  VALIDATION_ERROR: FieldErrors,
  BOOKING_CONFLICT: Type.Object({ hours: Hours }),
  BLOCK_SLOT_OCCUPIED: Type.Either(
    Type.Object({ hours: Hours }),
    Type.Object({
      days: Type.Array(OccupiedDay, { maxItems: 367, description: 'Where `end_date` was given' }),
    }),
  ),
  BOOKING_INVALID_SETTLEMENT_MODE: Type.Object({
    settlement_mode: Type.String({ maxLength: 64, description: 'What was sent' }),
    allowed: Type.Array(Type.String({ maxLength: 64 }), { maxItems: 2, description: 'What this host takes' }),
  }),
  BOOKING_VALUE_EXCEEDED: Type.Object({
    value: Type.Number({ description: 'What the booking costs' }),
    limit: Type.Number({ description: 'What a booking may cost' }),
    currency: Type.String({ maxLength: 3, pattern: '^[A-Z]{3}$', description: 'Of both' }),
  }),
  GUEST_BOOKING_VELOCITY: Type.Object({
    limit: Count,
    window_minutes: Type.Integer({ minimum: 1, maximum: 1440, description: 'In how many minutes' }),
    retry_after_seconds: Seconds,
  }),
  RATE_LIMIT_EXCEEDED: Type.Object({
    limit: Count,
    window_seconds: Type.Integer({ minimum: 1, maximum: 3600, description: 'In how many seconds' }),
    retry_after_seconds: Seconds,
  }),
  INSUFFICIENT_SCOPE: Type.Object({
    required_scope: Type.String({ maxLength: 64, description: 'The scope that the key lacks' }),
  }),
};

const ofCodes = new Map<string, Schema>();

/** The failures of one status: `code` is one of these, and `details` has their facts. */
export function errorSchema(codes: readonly ErrorCode[]): Schema {
  const name = `${codes.map(pascalCase).join('Or')}${codes.length === 1 && codes[0]!.endsWith('ERROR') ? '' : 'Error'}`;
  return ofCodes.getOrInsertComputed(name, () =>
    component(name, failureOf(codes, `A failure with the code ${codes.join(' or ')}`)),
  );
}

function pascalCase(code: string): string {
  return code
    .split('_')
    .map((word) => word[0] + word.slice(1).toLowerCase())
    .join('');
}

function failureOf(codes: readonly ErrorCode[], description: string): Schema {
  const details = codes.map((code) => DETAILS[code]).filter((schema) => schema !== undefined);
  return Type.Object(
    {
      success: Type.Literal(false, { description: 'Always false on a failure' }),
      error: Type.Object(
        {
          code: Type.Enum(codes, {
            description: 'What went wrong. Stable: branch on this.',
          }),
          message: Type.String({ maxLength: 1000, description: 'The same in words, for people; may change' }),
          http_status: Type.Integer({ minimum: 400, maximum: 599, description: 'The HTTP status' }),
          request_id: Type.String({
            maxLength: 128,
            pattern: '^[A-Za-z0-9_-]+$',
            description: 'Equal to `X-Request-Id`; quote it when you ask for help',
          }),
          ...(details.length > 0 && {
            details: Type.Optional({
              ...(details.length === 1 ? details[0] : { anyOf: details }),
              description: 'The facts, by its code',
            }),
          }),
          ...(codes.includes('SERVICE_UNAVAILABLE') && {
            outcome: Type.Optional(
              Type.Enum(OUTCOMES, {
                description:
                  'On every 503. `not_done`: not processed, retry. `unknown`: the connection to the database broke during the commit, so the request may have been processed: retry idempotent requests; check whether any other change was saved before you retry it.',
              }),
            ),
          }),
        },
        { description: 'What went wrong' },
      ),
    },
    { description },
  );
}

export const ErrorSchema = component(
  'Error',
  failureOf(Object.keys(ERROR_STATUS) as ErrorCode[], 'Every failure'),
);
