import fc, { type Arbitrary } from 'fast-check';

const METHODS = ['GET', 'POST', 'DELETE', 'get', 'G E T', 'TRACE', 'CONNECT', 'PRI', 'PATCH', ''];

const ENDPOINTS = ['/api-listings/api/v1/spaces', '/api-create-booking/api/v1/bookings', '/api-openapi'];
const ODD_PATHS = ['http://evil.example/api-openapi', '*', '/ a b', '/%', '/\\x00', '//api-openapi'];
const ODD_ENDS = ['/api-openapi#part', '/api-openapi\0', '/../api-openapi', `/${'a'.repeat(20_000)}`, ''];

const VERSIONS = ['HTTP/1.1', 'HTTP/1.0', 'HTTP/2.0', 'HTTP/9.9', 'http/1.1', ''];

const KEY = 'Authorization: Bearer {{key}}';
const TWICE = ['Host: a\r\nHost: b', `${KEY}\r\nAuthorization: Bearer nonsense`];
const TWO_TYPES = 'Content-Type: application/json\r\nContent-Type: text/plain';
const LENGTHS = ['-1', '5', '5\r\nContent-Length: 6', '999999999999999999999', '300000'];
const TRANSFERS = ['chunked', 'chunked\r\nContent-Length: 4', 'gzip, chunked', 'identity'];
const EXPECTATIONS = ['Expect: 100-continue', 'Expect: the unexpected'];
const UPGRADES = [
  'Upgrade: websocket\r\nConnection: upgrade',
  'Upgrade: h2c',
  'Connection: keep-alive, upgrade',
];
const MALFORMED = [
  'no colon',
  ': no name',
  'X-Folded: a\r\n b',
  'X-Nul: a\0b',
  'X-Bare: a\nb',
  'X-Latin: \xe9\xff',
];
const LONG = [`X-Long: ${'x'.repeat(20_000)}`, `X-Many: ${'y: 1\r\nX-M: '.repeat(500)}`];

const header = fc.constantFrom(
  'Host: x',
  KEY,
  TWO_TYPES,
  ...TWICE,
  ...LENGTHS.map((length) => `Content-Length: ${length}`),
  ...TRANSFERS.map((encoding) => `Transfer-Encoding: ${encoding}`),
  ...EXPECTATIONS,
  ...UPGRADES,
  ...MALFORMED,
  ...LONG,
  'X-Request-Id: a\tb',
  'If-None-Match: *',
);

const CHUNKS = ['5\r\nhello\r\n0\r\n\r\n', '0\r\n\r\n', 'zz\r\nhello\r\n', 'ffffffffffffffff\r\n'];
const TRAILER = '5;ext="x"\r\nhello\r\n0\r\nTrailer: x\r\n\r\n';
const ANOTHER_REQUEST = 'GET /api-openapi HTTP/1.1\r\nHost: x\r\n\r\n';

/** Requests that no client library would send, as bytes. Each ends its connection. */
export const rawRequest: Arbitrary<string> = fc.oneof(
  fc
    .tuple(
      fc.constantFrom(...METHODS),
      fc.constantFrom(...ENDPOINTS, ...ODD_PATHS, ...ODD_ENDS),
      fc.constantFrom(...VERSIONS),
      fc.array(header, { maxLength: 4 }),
      fc.constantFrom('', '{}', 'hello', ...CHUNKS, TRAILER, ANOTHER_REQUEST),
    )
    .map(
      ([method, path, version, headers, body]) =>
        `${method} ${path} ${version}\r\n${[...headers, 'Connection: close'].join('\r\n')}\r\n\r\n${body}`,
    ),
  fc.string({ unit: 'binary-ascii', maxLength: 300 }).map((text) => `${text}\r\n\r\n`),
  fc.constantFrom('\r\n\r\n', '\0', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', '\x16\x03\x01\x02\x00\x01\x00'),
);
