import fc, { type Arbitrary } from 'fast-check';

/** Any code points at all, halves of pairs among them. */
const codePoint = fc.integer({ min: 0, max: 0x10_ffff }).map((code) => String.fromCodePoint(code));
const anyText = fc.string({ unit: codePoint, maxLength: 100 });

/** Texts that have broken something somewhere. */
export const hostileText: Arbitrary<string> = fc.oneof(
  fc.constantFrom(
    '',
    ' ',
    '\u0085\u3000',
    '\0',
    'a\0b',
    '\ud800',
    'a\udfffb',
    '\ufeff',
    '\u202e\u0000',
    '👩‍👩‍👧‍👦'.repeat(20),
    'Z̴̡̢̛'.repeat(30),
    "' or 1=1 --",
    '"; drop table bookings; --',
    '$1',
    '%s%n%x',
    '../../../etc/passwd',
    '{{7*7}}',
    '${jndi:ldap://127.0.0.1/a}',
    '<script>alert(1)</script>',
    '__proto__',
    'constructor',
    'null',
    'undefined',
    'NaN',
    'true',
    '-1',
    '1e309',
    '9007199254740993',
    '0x10',
    '00000000-0000-0000-0000-000000000000',
    '2027-02-29',
    '+02027-01-01',
    '-000001-01-01',
    '0000-00-00',
    'a'.repeat(10_000),
    'é'.repeat(900),
  ),
  anyText,
  fc.string({ unit: 'binary-ascii', maxLength: 300 }),
);

/** Values that JSON can say and that no field expects. */
const hostileValue: Arbitrary<unknown> = fc.oneof(
  hostileText,
  fc.constantFrom(
    null,
    true,
    0,
    -0,
    -1,
    0.1,
    1e21,
    1e-7,
    2 ** 31,
    2 ** 53,
    Number.MAX_VALUE,
    [],
    {},
    [[]],
    [null],
  ),
  fc.integer(),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.jsonValue({ maxDepth: 3 }),
);

const FIELD_NAMES = [
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  'hasOwnProperty',
  'then',
  '',
  '\0',
  'space_id ',
  'Date',
  'a'.repeat(5000),
  '$ref',
  '한글',
];

type Change = (body: Record<string, unknown>) => void;

/** One or two things wrong with a body that was right. */
export function nearlyValid(body: Arbitrary<Record<string, unknown>>): Arbitrary<string> {
  const change: Arbitrary<Change> = fc.oneof(
    fc.nat(20).map((at): Change => (target) => {
      delete target[nameAt(target, at)];
    }),
    fc.tuple(fc.nat(20), hostileValue).map(([at, value]): Change => (target) => {
      target[nameAt(target, at)] = value;
    }),
    fc.tuple(fc.constantFrom(...FIELD_NAMES), hostileValue).map(([name, value]): Change => (target) => {
      Object.defineProperty(target, name, { value, enumerable: true, configurable: true, writable: true });
    }),
  );
  return fc.tuple(body, fc.array(change, { minLength: 1, maxLength: 2 })).map(([right, changes]) => {
    const wrong = { ...right };
    for (const make of changes) make(wrong);
    return JSON.stringify(wrong);
  });
}

function nameAt(body: object, at: number): string {
  const names = Object.keys(body);
  return names[at % Math.max(1, names.length)] ?? 'nothing';
}

/** Bodies whose text is the trouble, whatever they mean. */
export function hostileBody(body: Arbitrary<Record<string, unknown>>): Arbitrary<string> {
  const right = body.map((value) => JSON.stringify(value));
  return fc.oneof(
    fc.constantFrom('', ' ', 'null', 'true', '5', '"text"', '[]', '{}', '{', '{"a":1,}', "{'a':1}", '\0'),
    fc.integer({ min: 1, max: 100_000 }).map((depth) => '['.repeat(depth)),
    fc.integer({ min: 1, max: 20_000 }).map((depth) => `${'['.repeat(depth)}${']'.repeat(depth)}`),
    fc.integer({ min: 1, max: 20_000 }).map((depth) => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`),
    fc.integer({ min: 1, max: 5000 }).map((count) => manyFields(count)),
    fc.constantFrom(200_000, 262_144, 262_145, 300_000).map((length) => `{"x":"${'x'.repeat(length - 8)}"}`),
    hostileValue.map((value) => JSON.stringify(value)),
    // The same key twice: the last one counts, or the first, but never both.
    fc.tuple(right, hostileValue).map(([text, value]) => doubled(text, JSON.stringify(value))),
    right.map((text) => text.replaceAll(/:\s*(\d+)/g, ':$1.0')),
    right.map((text) => text.replaceAll(/:\s*(\d+)/g, ':$1e0')),
    right.map((text) => text.replace(/:\s*\d+/, ':1e999')),
    right.map((text) => text.replace(/:\s*\d+/, ':-0')),
    right.map((text) => text.replace(/:\s*\d+/, ':123456789012345678901234567890')),
    right.map((text) => text.replace('{', '{"__proto__":{"admin":true},')),
    right.map((text) => text.replace('{', '{"\\u005f_proto__":{"admin":true},')),
    right.map((text) => text.replace('{', '{"constructor":{"prototype":{"admin":true}},')),
    right.map((text) => `\ufeff${text}`),
    right.map((text) => `${text}${text}`),
    right.map((text) => Buffer.from(text, 'utf16le').toString('latin1')),
    right.map((text) => ` \n\t${text}\r\n`),
    anyText,
  );
}

function manyFields(count: number): string {
  return JSON.stringify(Object.fromEntries(Array.from({ length: count }, (_, i) => [`f${i}`, i])));
}

function doubled(text: string, value: string): string {
  const name = /"\w+"/.exec(text)?.[0] ?? '"a"';
  return text.replace(/\}$/, `,${name}:${value}}`);
}

/** Headers that a client library lets through. */
export const hostileHeader: Arbitrary<[string, string]> = fc.oneof(
  fc.tuple(
    fc.constantFrom(
      'x-request-id',
      'idempotency-key',
      'if-none-match',
      'accept',
      'accept-encoding',
      'content-encoding',
      'authorization',
      'x-forwarded-for',
      'x-forwarded-proto',
      'forwarded',
      'x-http-method-override',
      'x-original-url',
      'origin',
      'cookie',
      'range',
      'referer',
      'user-agent',
      'content-type',
      'te',
      '__proto__',
      'x-odd',
    ),
    fc.oneof(
      fc.constantFrom(
        '',
        '*',
        'gzip',
        'br',
        'identity',
        'bytes=0-1',
        'DELETE',
        'null',
        'x'.repeat(4000),
        '"',
        'W/""',
      ),
      fc.string({ unit: fc.integer({ min: 32, max: 126 }).map((code) => String.fromCharCode(code)) }),
      fc.string({ unit: fc.integer({ min: 160, max: 255 }).map((code) => String.fromCharCode(code)) }),
    ),
  ),
  fc.constant<[string, string]>(['access-control-request-method', 'POST']),
);

export const contentType: Arbitrary<string> = fc.constantFrom(
  'application/json; charset=utf-8',
  'application/json; charset=utf-16',
  'application/json;charset="utf-8"',
  'APPLICATION/JSON',
  'application/json ; a=b; a=b',
  'application/json, text/plain',
  'application/vnd.api+json',
  'application/jsonx',
  'application/x-www-form-urlencoded',
  'multipart/form-data; boundary=x',
  'multipart/form-data',
  'text/plain',
  'text/json',
  '*/*',
  'json',
  '/',
  ';',
  'application/json;',
  'application/json\u00e9',
  'x'.repeat(500),
);

/** Query strings beyond what the document names. */
export const hostileQuery: Arbitrary<string> = fc.oneof(
  fc.constantFrom(
    'date=2027-03-01&date=2027-03-02',
    'limit=1&limit=2',
    'limit[]=1',
    'limit[a]=1',
    'limit=%00',
    'limit=%zz',
    'limit=%ff%fe',
    'limit=1e1',
    'limit=01',
    'limit=+5',
    'offset=999999999999999',
    'offset=9999999999999999',
    'offset=-0',
    'from=2027-03-09&to=2027-03-01',
    'from=0000-01-01&to=9999-12-31',
    'month=2027-00',
    'month=9999-12',
    'month=0000-01',
    '__proto__=1',
    '__proto__[a]=1',
    'constructor=1',
    'toString=1',
    '&&&',
    '=',
    '?',
    ';',
    'a'.repeat(8000),
  ),
  hostileText.map((text) => `date=${encoded(text)}`),
  hostileText.map((text) => `status=${encoded(text)}`),
  fc.tuple(hostileText, hostileText).map(([name, value]) => `${encoded(name)}=${encoded(value)}`),
);

/** As a path or query carries it; what has no UTF-8 is written as the bytes that careless clients send. */
export function encoded(text: string): string {
  return text.isWellFormed() ? encodeURIComponent(text) : '%ED%A0%80';
}
