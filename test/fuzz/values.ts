import fc, { type Arbitrary } from 'fast-check';
import type { Contract, Json } from '../contract/document.ts';

/** Names one of the things the service has, by a number that is taken modulo how many there are when it is sent. */
export const REFERENCE = /\{\{(\w+):(\d+)\}\}/g;

const reference = (kind: string): Arbitrary<string> => fc.nat(40).map((n) => `{{${kind}:${n}}}`);

/** Mostly one that exists; sometimes somebody else's, sometimes nobody's. */
const idOf = (kind: string): Arbitrary<string> =>
  fc.oneof(
    { weight: 8, arbitrary: reference(kind) },
    { weight: 1, arbitrary: reference('foreign') },
    { weight: 1, arbitrary: fc.uuid() },
  );

/** Values that mean something by the name of their field. */
const BY_NAME: Record<string, Arbitrary<unknown>> = {
  space_id: idOf('space'),
  booking_id: idOf('booking'),
  id: idOf('webhook'),
  token: idOf('token'),
  url: fc.nat(99).map((n) => `http://127.0.0.1:9/${n}`),
  settlement_mode: fc.constantFrom('host_settled', 'platform_settled', 'cash'),
  guest_email: fc.nat(200).map((n) => `guest-${n}@example.com`),
  idempotency_key: fc.nat(50).map((n) => `order-${n}`),
};

/** A few days on which everybody meets, now and then any day that a calendar has. */
const date = fc.oneof(
  { weight: 9, arbitrary: fc.integer({ min: 1, max: 9 }).map((day) => `2027-03-0${day}`) },
  {
    weight: 1,
    arbitrary: fc
      .date({ min: new Date('0001-01-01'), max: new Date('9999-12-31'), noInvalidDate: true })
      .map((any) => any.toISOString().slice(0, 10)),
  },
);

/** Made once: behind it is a large table. */
const grapheme = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 1 });

const BY_FORMAT: Record<string, Arbitrary<string>> = {
  date,
  uuid: fc.uuid(),
  email: fc.emailAddress(),
  'date-time': fc.date({ noInvalidDate: true }).map((any) => any.toISOString()),
};

/** What a schema of the document allows. */
export function valueOf(contract: Contract, schema: Json, name = ''): Arbitrary<unknown> {
  const reach = schema['$ref'];
  if (typeof reach === 'string') {
    const target = contract.document.components.schemas[reach.slice(reach.lastIndexOf('/') + 1)];
    return valueOf(contract, target!, name);
  }
  const named = BY_NAME[name];
  if (named !== undefined) return named;
  if (Array.isArray(schema['enum'])) return fc.constantFrom(...(schema['enum'] as unknown[]));
  if ('const' in schema) return fc.constant(schema['const']);
  const [type = 'null', ...others] = [schema['type']].flat() as string[];
  const value = ofType(contract, schema, type);
  return others.includes('null') ? fc.option(value, { freq: 8 }) : value;
}

function ofType(contract: Contract, schema: Json, type: string): Arbitrary<unknown> {
  const limit = (keyword: string, fallback: number): number => Number(schema[keyword] ?? fallback);
  switch (type) {
    case 'string':
      return text(schema, limit('minLength', 0), limit('maxLength', 60));
    case 'integer':
      return fc.integer({ min: limit('minimum', -1000), max: Math.min(limit('maximum', 1000), 2 ** 31) });
    case 'number':
      return fc
        .integer({ min: limit('minimum', -1000), max: limit('maximum', 900) })
        .map((cents) => cents / 100);
    case 'boolean':
      return fc.boolean();
    case 'array': {
      const item = valueOf(contract, schema['items'] as Json);
      const size = { minLength: limit('minItems', 0), maxLength: limit('maxItems', 5) };
      return schema['uniqueItems'] === true ? fc.uniqueArray(item, size) : fc.array(item, size);
    }
    case 'object':
      return object(contract, schema);
    default:
      return fc.constant(null);
  }
}

function text(schema: Json, minLength: number, maxLength: number): Arbitrary<string> {
  const format = BY_FORMAT[String(schema['format'])];
  if (format !== undefined) return format;
  const pattern = new RegExp((schema['pattern'] as string | undefined) ?? '', 'u');
  if (pattern.source.startsWith('^')) return fc.stringMatching(pattern);
  const any = fc.oneof(
    { weight: 6, arbitrary: fc.string({ unit: grapheme, minLength, maxLength: Math.min(maxLength, 40) }) },
    { weight: 1, arbitrary: fc.constant('x'.repeat(maxLength)) },
    { weight: 1, arbitrary: fc.constant('한'.repeat(maxLength)) },
  );
  return any.filter((value) => pattern.test(value));
}

export function object(contract: Contract, schema: Json): Arbitrary<Record<string, unknown>> {
  const properties = (schema['properties'] ?? {}) as Record<string, Json>;
  const values = Object.entries(properties).map(
    ([name, property]) => [name, valueOf(contract, property, name)] as const,
  );
  const required = (schema['required'] ?? []) as string[];
  return fc.record(Object.fromEntries(values), { requiredKeys: required });
}
