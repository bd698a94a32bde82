import { component } from '../input/schemas.ts';
import { Type } from '../input/type.ts';
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
];

export const SECURITY_SCHEMES = {
  apiKey: { type: 'http', scheme: 'bearer', description: 'An API key: `hk_live_…` or `hk_test_…`' },
};

export const ErrorSchema = component(
  'Error',
  Type.Object(
    {
      success: Type.Literal(false),
      error: Type.Object({
        code: Type.String({ maxLength: 64, pattern: '^[A-Z_]+$', description: 'Stable; decide by this' }),
        message: Type.String({ maxLength: 1000, description: 'For people; may change' }),
        http_status: Type.Integer({ minimum: 400, maximum: 599 }),
        request_id: Type.String({ maxLength: 128, pattern: '^[A-Za-z0-9_-]+$' }),
        details: Type.Optional(
          Type.Unsafe({
            description: 'Field errors on a VALIDATION_ERROR; the facts of the refusal on others',
            anyOf: [
              {
                type: 'array',
                maxItems: MAX_FIELD_ERRORS,
                items: {
                  type: 'object',
                  properties: {
                    field: { type: 'string', maxLength: MAX_FIELD_NAME },
                    message: { type: 'string', maxLength: 500 },
                  },
                  required: ['field', 'message'],
                },
              },
              { type: 'object', additionalProperties: true },
            ],
          }),
        ),
      }),
    },
    { description: 'Every failure' },
  ),
);
