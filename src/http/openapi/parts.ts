import { component } from '../input/schemas.ts';
import { Type } from '../input/type.ts';
import { OUTCOMES } from '../../errors.ts';
import { MAX_FIELD_ERRORS, MAX_FIELD_NAME } from '../input/validation.ts';

export const DESCRIPTION = `Connect your own systems to the spaces you rent out by the hour: read availability, book and cancel,
block hours, change listings, read settlement and earnings, and be told of changes by webhook.

**Authentication.** Send your API key as \`Authorization: Bearer <API_KEY>\`. Keys that start with \`hk_live_\` see your
production spaces, \`hk_test_\` your sandbox.

**Answers.** Success is \`{"success": true, "data": {…}}\`. Failure is \`{"success": false, "error": {…}}\` with a stable
\`code\`, a \`message\` for people and a \`request_id\`; keep the last one when you ask us for help.
A path answers the methods it does not have with 405 \`METHOD_NOT_ALLOWED\`, and names those it has in \`Allow\`.

**Limits.** 100 requests in any 60 seconds for a production key and 20 for a sandbox key, unless the operator chose others;
the \`RateLimit\` headers tell what is left.

**Time.** Dates and hours are on the space’s own wall clock (\`timezone\`); \`end_hour\` is exclusive. Instants are UTC.`;

export const TAGS = [
  { name: 'Spaces', description: 'The spaces you rent out' },
  { name: 'Availability', description: 'A day’s 24 hours' },
  { name: 'Bookings', description: 'Who comes when' },
  { name: 'Blocks', description: 'Hours you keep for yourself' },
  { name: 'Money', description: 'Settlement and earnings' },
  { name: 'Webhooks', description: 'Be told when something changes' },
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

const Facts = Type.Object({}, { additionalProperties: true });

export const ErrorSchema = component(
  'Error',
  Type.Object(
    {
      success: Type.Literal(false, { description: 'Always false on a failure' }),
      error: Type.Object(
        {
          code: Type.String({
            maxLength: 64,
            pattern: '^[A-Z_]+$',
            description: 'What went wrong. It stays the same: let your program decide by this.',
          }),
          message: Type.String({ maxLength: 1000, description: 'The same in words, for people; may change' }),
          http_status: Type.Integer({ minimum: 400, maximum: 599, description: 'The HTTP status' }),
          request_id: Type.String({
            maxLength: 128,
            pattern: '^[A-Za-z0-9_-]+$',
            description: 'Equal to `X-Request-Id`; name it when you ask for help',
          }),
          details: Type.Optional(
            Type.Either(FieldErrors, Facts, {
              description:
                'On `VALIDATION_ERROR` the fields that are wrong; on others the facts, such as the hours that clash',
            }),
          ),
          outcome: Type.Optional(
            Type.Enum(OUTCOMES, {
              description:
                'On every 503. `not_done`: nothing has happened, repeat it. `unknown`: the connection to the database broke while it was being committed, so it may have been done: repeat what is safe to repeat, look before you repeat anything else.',
            }),
          ),
        },
        { description: 'What went wrong' },
      ),
    },
    { description: 'Every failure' },
  ),
);
