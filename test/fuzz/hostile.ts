import fc, { type Arbitrary } from 'fast-check';

/** Any code points at all, halves of pairs among them. */
const codePoint = fc.integer({ min: 0, max: 0x10_ffff }).map((code) => String.fromCodePoint(code));
const anyText = fc.string({ unit: codePoint, maxLength: 100 });

/** Texts that have broken something somewhere. */
const BLANK = ['', ' ', '\u0085\u3000', '\ufeff'];
const NO_TEXT = ['\0', 'a\0b', '\ud800', 'a\udfffb', '\u202e\u0000'];
const LONG = ['👩‍👩‍👧‍👦'.repeat(20), 'Z̴̡̢̛'.repeat(30), 'a'.repeat(10_000), 'é'.repeat(900)];
const CODE = ["' or 1=1 --", '"; drop table bookings; --', '$1', '%s%n%x', '../../../etc/passwd', '{{7*7}}'];
const SCRIPTS = ['${jndi:ldap://127.0.0.1/a}', '<script>alert(1)</script>'];
const WORDS = ['__proto__', 'constructor', 'null', 'undefined', 'NaN', 'true'];
const NUMBERS = ['-1', '1e309', '9007199254740993', '0x10'];
const DATES = ['2027-02-29', '+02027-01-01', '-000001-01-01', '0000-00-00'];

export const hostileText: Arbitrary<string> = fc.oneof(
  fc.constantFrom(...BLANK, ...NO_TEXT, ...LONG, ...CODE, ...SCRIPTS, ...WORDS, ...NUMBERS, ...DATES),
  anyText,
  fc.string({ unit: 'binary-ascii', maxLength: 300 }),
);

/** Values that JSON can say and that no field expects. */
const hostileValue: Arbitrary<unknown> = fc.oneof(
  hostileText,
  fc.constantFrom(null, true, [], {}, [[]], [null]),
  fc.constantFrom(0, -0, -1, 0.1, 1e21, 1e-7, 2 ** 31, 2 ** 53, Number.MAX_VALUE),
  fc.integer(),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.jsonValue({ maxDepth: 3 }),
);

const METHODS_OF_OBJECTS = ['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty', 'then'];
const FIELD_NAMES = [...METHODS_OF_OBJECTS, '', '\0', 'space_id ', 'Date', 'a'.repeat(5000), '$ref', '한글'];

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
const OWN_HEADERS = [
  'x-request-id',
  'idempotency-key',
  'if-none-match',
  'authorization',
  'content-type',
  'origin',
];
const ENCODINGS = ['accept', 'accept-encoding', 'content-encoding', 'te', 'range'];
const PROXIES = [
  'x-forwarded-for',
  'x-forwarded-proto',
  'forwarded',
  'x-http-method-override',
  'x-original-url',
];
const OTHERS = ['cookie', 'referer', 'user-agent', '__proto__', 'x-odd', 'access-control-request-method'];
const HEADER_VALUES = [
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
];

const bytesFrom = (min: number, max: number): Arbitrary<string> =>
  fc.string({ unit: fc.integer({ min, max }).map((code) => String.fromCharCode(code)) });

export const hostileHeader: Arbitrary<[string, string]> = fc.tuple(
  fc.constantFrom(...OWN_HEADERS, ...ENCODINGS, ...PROXIES, ...OTHERS),
  fc.oneof(fc.constantFrom(...HEADER_VALUES), bytesFrom(32, 126), bytesFrom(160, 255)),
);

const JSON_TYPES = [
  '; charset=utf-8',
  '; charset=utf-16',
  ';charset="utf-8"',
  ' ; a=b; a=b',
  ', text/plain',
  'x',
  ';',
  '\u00e9',
];
const FORMS = ['application/x-www-form-urlencoded', 'multipart/form-data; boundary=x', 'multipart/form-data'];
const OTHER_TYPES = [
  'APPLICATION/JSON',
  'application/vnd.api+json',
  'text/plain',
  'text/json',
  '*/*',
  'json',
  '/',
  ';',
  'x'.repeat(500),
];

export const contentType: Arbitrary<string> = fc.constantFrom(
  ...JSON_TYPES.map((end) => `application/json${end}`),
  ...FORMS,
  ...OTHER_TYPES,
);

/** Query strings beyond what the document names. */
const LIMITS = ['1&limit=2', '%00', '%zz', '%ff%fe', '1e1', '01', '+5'].map((value) => `limit=${value}`);
const ARRAYS = ['limit[]=1', 'limit[a]=1', '__proto__[a]=1', 'date=2027-03-01&date=2027-03-02'];
const OFFSETS = ['offset=999999999999999', 'offset=9999999999999999', 'offset=-0'];
const RANGES = ['from=2027-03-09&to=2027-03-01', 'from=0000-01-01&to=9999-12-31'];
const MONTHS = ['month=2027-00', 'month=9999-12', 'month=0000-01'];
const NAMES = ['__proto__=1', 'constructor=1', 'toString=1', '&&&', '=', '?', ';', 'a'.repeat(8000)];

export const hostileQuery: Arbitrary<string> = fc.oneof(
  fc.constantFrom(...LIMITS, ...ARRAYS, ...OFFSETS, ...RANGES, ...MONTHS, ...NAMES),
  fc
    .tuple(fc.oneof(fc.constantFrom('date', 'status'), hostileText), hostileText)
    .map(([name, value]) => `${encoded(name)}=${encoded(value)}`),
);

/** As a path or query carries it; what has no UTF-8 is written as the bytes that careless clients send. */
export function encoded(text: string): string {
  return text.isWellFormed() ? encodeURIComponent(text) : '%ED%A0%80';
}
