import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import fc from 'fast-check';
import { CancelBooking, CreateBooking } from '../../bookings/schemas.ts';
import { JSON_SCHEMA } from '../../apply/file.ts';
import { CreateBlocks } from '../../blocks/schemas.ts';
import { UpdateListing } from '../../spaces/schemas.ts';
import { isCalendarDate } from '../../time/dates.ts';
import { CreateWebhook, UpdateWebhook } from '../../webhooks/schemas.ts';
import { Type, type Schema } from './type.ts';
import { fieldErrors, REQUIRED_UNLESS, validatorOf } from './validation.ts';

const SCHEMAS = {
  CancelBooking,
  CreateBlocks,
  CreateBooking,
  CreateWebhook,
  File: JSON_SCHEMA,
  UpdateListing,
  UpdateWebhook,
};

const seed = Number(process.env['SEED'] ?? 20270301);

describe('the validator agrees with Ajv', () => {
  const ajv = new Ajv2020({ strict: false });
  (addFormats as unknown as (instance: Ajv2020) => void)(ajv);
  ajv.addFormat('date', isCalendarDate);

  for (const [name, schema] of Object.entries(SCHEMAS))
    test(`on 500 values for ${name}, valid and broken in one or two places`, () => {
      const [needed, unless] = (schema[REQUIRED_UNLESS as never] ?? []) as string[];
      const given = { required: [needed] };
      const spared = { required: [unless], properties: { [unless!]: { const: true } } };
      const isValid = ajv.compile({
        ...(JSON.parse(JSON.stringify(schema)) as object),
        ...(needed !== undefined && { anyOf: [given, spared] }),
      });
      let valid = 0;
      const property = fc.property(valuesOf(schema), (value) => {
        const problems = fieldErrors(schema, structuredClone(value), 'body');
        const expected = isValid(value);
        if (expected) valid++;
        assert.equal(
          problems.length === 0,
          expected,
          `${JSON.stringify(value)}: ${JSON.stringify(problems)}`,
        );
      });
      fc.assert(property, { numRuns: 500, seed });
      assert.ok(valid > 25 && valid < 475, `${valid} of 500 were valid`);
    });
});

/** Mostly what the schema wants, at its limits too; now and then something else. */
function valuesOf(schema: Schema): fc.Arbitrary<unknown> {
  return fc.oneof({ weight: 60, arbitrary: goodValuesOf(schema) }, { weight: 1, arbitrary: ODD });
}

const ODD = fc.constantFrom<unknown>(
  null,
  '',
  ' ',
  'x',
  '😀',
  0,
  -1,
  1.5,
  25,
  1e15,
  true,
  false,
  [],
  ['x', 'x'],
  {},
  { x: 1 },
);

interface Keywords {
  type: string | string[];
  enum?: unknown[];
  const?: unknown;
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  minItems?: number;
  maxItems?: number;
  uniqueItems?: boolean;
  minLength?: number;
  maxLength?: number;
  pattern?: string;
  format?: string;
  minimum?: number;
  maximum?: number;
}

function goodValuesOf(schema: Schema): fc.Arbitrary<unknown> {
  const keywords = schema as unknown as Keywords;
  if (keywords.const !== undefined) return fc.constant(keywords.const);
  if (keywords.enum !== undefined) return fc.constantFrom(...keywords.enum);
  const [type] = [keywords.type].flat();
  if (type === 'object') return objectsOf(keywords);
  if (type === 'array') {
    const { minItems = 0, maxItems = 5 } = keywords;
    const limits = { minLength: minItems, maxLength: Math.min(maxItems + 1, 5) };
    return keywords.uniqueItems === true
      ? fc.uniqueArray(valuesOf(keywords.items!), limits)
      : fc.array(valuesOf(keywords.items!), limits);
  }
  if (type === 'boolean') return fc.boolean();
  if (type === 'string') return textsOf(keywords);
  const { minimum = -3, maximum = 1000 } = keywords;
  return fc.oneof(
    { weight: 10, arbitrary: fc.integer({ min: minimum, max: maximum }) },
    fc.constantFrom(minimum, maximum, maximum + 1),
  );
}

function objectsOf({ properties = {}, required = [] }: Keywords): fc.Arbitrary<unknown> {
  const fields = Object.fromEntries(
    Object.entries(properties).map(([name, field]) => [name, valuesOf(field)]),
  );
  const known = fc.record(fields, { requiredKeys: required });
  return fc.oneof(
    { weight: 30, arbitrary: known },
    { weight: 1, arbitrary: known.map((value) => ({ ...value, colour: 'red' })) },
    { weight: 1, arbitrary: known.map((value) => without(value, required[0] ?? '')) },
  );
}

function without(value: object, name: string): object {
  return Object.fromEntries(Object.entries(value).filter(([key]) => key !== name));
}

function textsOf({ format, pattern = '', maxLength = 20, minLength = 0 }: Keywords): fc.Arbitrary<string> {
  if (format === 'uuid') return mostly(fc.uuid(), '0199', `urn:uuid:${'0'.repeat(27)}`);
  if (format === 'date') return mostly(fc.constant('2027-03-18'), '2027-02-29', '0000-01-01', '2027-3-18');
  if (format === 'date-time')
    return mostly(fc.constant('2027-03-18T10:00:00Z'), '2027-03-18 10:00', '2027-03-18');
  if (format === 'email') return mostly(fc.emailAddress(), 'ada', 'ada@', 'a@b.c');
  if (pattern.includes('[Hh][Tt]'))
    return mostly(fc.constantFrom('https://example.com/1', 'http://x'), 'ftp://x', 'https:// x');
  const long = Math.min(maxLength, 300);
  return fc.oneof(
    {
      weight: 10,
      arbitrary: fc.string({ unit: 'grapheme', minLength: Math.max(1, minLength), maxLength: 20 }),
    },
    fc.constantFrom('x'.repeat(long), '😀'.repeat(long), '😀'.repeat(long + 1), '\u3000'),
  );
}

function mostly(good: fc.Arbitrary<string>, ...odd: string[]): fc.Arbitrary<string> {
  return fc.oneof({ weight: 20, arbitrary: good }, fc.constantFrom(...odd));
}

describe('the validator', () => {
  test('counts characters, not UTF-16 units', () => {
    const schema = Type.String({ maxLength: 3 });
    assert.deepEqual(fieldErrors(schema, '😀😀😀', 'it'), []);
    assert.deepEqual(fieldErrors(schema, '😀😀😀😀', 'it'), [
      { field: 'it', message: 'must have at most 3 characters' },
    ]);
  });

  for (const text of ['a\0b', '\ud800', 'x\udfff'])
    test(`rejects ${JSON.stringify(text)}, which not every database can store`, () => {
      assert.deepEqual(fieldErrors(Type.String(), text, 'it'), [
        { field: 'it', message: 'must not contain NUL characters or lone surrogates' },
      ]);
    });

  test('does not look at the entries of a list that is too long', () => {
    const schema = Type.Array(Type.Integer(), { maxItems: 2 });
    assert.deepEqual(fieldErrors(schema, ['a', 'b', 'c'], 'it'), [
      { field: 'it', message: 'must have at most 2 entries' },
    ]);
  });

  test('stops after 50 problems', () => {
    const schema = Type.Array(Type.Integer());
    assert.equal(fieldErrors(schema, Array(1000).fill('x'), 'it').length, 50);
  });

  test('stops the start where a schema has a keyword that it does not know', () => {
    assert.throws(() => validatorOf({ type: 'string', contentEncoding: 'base64' }), {
      message: 'a schema has the keyword contentEncoding, which nothing checks',
    });
  });
});
