/** Response headers by name. A required one is on every answer that lists it; the others say when they are there. */
export const HEADERS = {
  'X-Request-Id': always(
    text('Names this request; yours is kept if you sent one', '^[A-Za-z0-9_-]{1,128}$', 128),
    'c0b1f6f6-3f0b-4f0e-9d43-8f2f6f2b7d11',
  ),
  'WWW-Authenticate': always(text('How to authenticate', '^Bearer$', 6), 'Bearer'),
  'RateLimit-Policy': rate(
    text('The limit of this key', '^"default";q=[0-9]+;w=60$', 40),
    '"default";q=100;w=60',
  ),
  RateLimit: rate(
    text('What is left, and in how many seconds there is more', '^"default";r=[0-9]+;t=[0-9]+$', 40),
    '"default";r=99;t=60',
  ),
  'X-RateLimit-Limit': rate(whole('Requests per 60 seconds'), 100),
  'X-RateLimit-Remaining': rate(whole('Requests left'), 99),
  'X-RateLimit-Reset': rate(whole('When there is more, in epoch seconds'), 1_790_000_000),
  'Retry-After': always(whole('Seconds to wait'), 12),
  'Idempotent-Replayed': {
    ...text('Only on the response to a retry of a request that was already processed', '^true$', 4),
    example: 'true',
  },
  ETag: always(
    text('Of exactly these bytes; send it back as `If-None-Match`', '^"[A-Za-z0-9_-]+"$', 64),
    '"tkG9-mCdQBvnYp0x0ISOAb6GiMN"',
  ),
  'Access-Control-Allow-Origin': always(text('Every page may read this', '^[*]$', 1), '*'),
} as const;

export type HeaderName = keyof typeof HEADERS;

interface Header {
  description: string;
  schema: object;
}

function text(description: string, pattern: string, maxLength: number): Header {
  return { description, schema: { type: 'string', pattern, maxLength } };
}

function whole(description: string): Header {
  return { description, schema: { type: 'integer', minimum: 0, maximum: Number.MAX_SAFE_INTEGER } };
}

function always(header: Header, example: string | number) {
  return { ...header, required: true, example };
}

function rate({ description, schema }: Header, example: string | number) {
  return { description: `${description}. Absent where the operator has set no limit.`, schema, example };
}
