import fc, { type Arbitrary } from 'fast-check';
import type { Json } from '../contract/document.ts';

/** What values are made with, beside their schema. */
export interface Sources {
  /** What a `$ref` names. */
  readonly schemas?: Readonly<Record<string, Json>>;
  /** Values that mean something by the name of their field. */
  readonly named?: Readonly<Record<string, Arbitrary<unknown>>>;
  /** What stands now and then where something else belongs; now and then a field is missing, or one too many. */
  readonly odd?: Arbitrary<unknown>;
}

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

/** What a schema allows. */
export function valueOf(sources: Sources, schema: Json, name = ''): Arbitrary<unknown> {
  const value = goodValueOf(sources, schema, name);
  const { odd } = sources;
  return odd === undefined
    ? value
    : fc.oneof({ weight: 40, arbitrary: value }, { weight: 1, arbitrary: odd });
}

function goodValueOf(sources: Sources, schema: Json, name: string): Arbitrary<unknown> {
  const reach = schema['$ref'];
  if (typeof reach === 'string')
    return goodValueOf(sources, sources.schemas![reach.slice(reach.lastIndexOf('/') + 1)]!, name);
  const named = sources.named?.[name];
  if (named !== undefined) return named;
  if (Array.isArray(schema['enum'])) return fc.constantFrom(...(schema['enum'] as unknown[]));
  if ('const' in schema) return fc.constant(schema['const']);
  const [type = 'null', ...others] = [schema['type']].flat() as string[];
  const value = ofType(sources, schema, type);
  return others.includes('null') ? fc.option(value, { freq: 8 }) : value;
}

function ofType(sources: Sources, schema: Json, type: string): Arbitrary<unknown> {
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
      const item = valueOf(sources, schema['items'] as Json);
      const size = { minLength: limit('minItems', 0), maxLength: Math.min(limit('maxItems', 3), 3) };
      return schema['uniqueItems'] === true ? fc.uniqueArray(item, size) : fc.array(item, size);
    }
    case 'object':
      return object(sources, schema);
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
    { weight: 1, arbitrary: fc.constant('😀'.repeat(maxLength)) },
  );
  return any.filter((value) => pattern.test(value));
}

function object(sources: Sources, schema: Json): Arbitrary<Record<string, unknown>> {
  const properties = (schema['properties'] ?? {}) as Record<string, Json>;
  const values = Object.fromEntries(
    Object.entries(properties).map(([name, property]) => [name, valueOf(sources, property, name)]),
  );
  const required = (schema['required'] ?? []) as string[];
  const good = fc.record(values, { requiredKeys: required });
  if (sources.odd === undefined) return good;
  return fc.oneof(
    { weight: 30, arbitrary: good },
    { weight: 1, arbitrary: good.map((value) => ({ ...value, colour: 'red' })) },
    { weight: 2, arbitrary: fc.record(values, { requiredKeys: required.slice(1) }) },
  );
}
