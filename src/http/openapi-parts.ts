import { Type } from 'typebox';
import { component } from './schemas.ts';

export const DESCRIPTION = `Connect your own systems to the spaces you rent out by the hour: read availability, book and cancel,
block hours, change listings, read settlement and earnings, and be told of changes by webhook.

**Authentication.** Send your API key as \`Authorization: Bearer <API_KEY>\`. Keys that start with \`hk_live_\` see your
production spaces, \`hk_test_\` your sandbox.

**Answers.** Success is \`{"success": true, "data": {…}}\`. Failure is \`{"success": false, "error": {…}}\` with a stable
\`code\`, a \`message\` for people and a \`request_id\`; keep the last one when you ask us for help.

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
        code: Type.String({ description: 'Stable; decide by this' }),
        message: Type.String({ description: 'For people; may change' }),
        http_status: Type.Integer(),
        request_id: Type.String(),
        details: Type.Optional(
          Type.Unsafe({
            description: 'Field errors on a VALIDATION_ERROR; the facts of the refusal on others',
            anyOf: [
              {
                type: 'array',
                items: {
                  type: 'object',
                  properties: { field: { type: 'string' }, message: { type: 'string' } },
                  required: ['field', 'message'],
                },
              },
              { type: 'object' },
            ],
          }),
        ),
      }),
    },
    { description: 'Every failure' },
  ),
);

const text = (description: string, example: string) => ({ description, schema: { type: 'string' }, example });
const whole = (description: string, example: number) => ({
  description,
  schema: { type: 'integer' },
  example,
});

export const HEADERS = {
  'X-Request-Id': text(
    'Names this request; yours is kept if you sent one',
    'c0b1f6f6-3f0b-4f0e-9d43-8f2f6f2b7d11',
  ),
  'WWW-Authenticate': text('How to authenticate', 'Bearer'),
  'RateLimit-Policy': text('The limit of this key', '"default";q=100;w=60'),
  RateLimit: text('What is left, and in how many seconds there is more', '"default";r=99;t=60'),
  'X-RateLimit-Limit': whole('Requests per 60 seconds', 100),
  'X-RateLimit-Remaining': whole('Requests left', 99),
  'X-RateLimit-Reset': whole('When there is more, in epoch seconds', 1_790_000_000),
  'Retry-After': whole('Seconds to wait', 12),
};
