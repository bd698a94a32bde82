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
import { valueOf } from '../../../test/fuzz/values.ts';
import { Type } from './type.ts';
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

const ODD: fc.Arbitrary<unknown> = fc.oneof(
  fc.constantFrom(null, 0, -1, 1.5, 25, 1e15, true, false, [], ['x', 'x'], {}, { x: 1 }),
  fc.constantFrom('', ' ', 'x', '😀', '\u3000', 'x'.repeat(300), '😀'.repeat(200), '😀'.repeat(201)),
  fc.constantFrom('0199', `urn:uuid:${'0'.repeat(27)}`, 'ada', 'ada@', 'a@b.c', 'ftp://x', 'https:// x'),
  fc.constantFrom('2027-02-29', '0000-01-01', '2027-3-18', '2027-03-18 10:00'),
);

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
      const property = fc.property(valueOf({ odd: ODD }, schema), (value) => {
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

describe('the validator', () => {
  test('counts characters, not UTF-16 units', () => {
    const schema = Type.String({ maxLength: 3 });
    assert.deepEqual(fieldErrors(schema, '😀😀😀', 'it'), []);
    assert.deepEqual(fieldErrors(schema, '😀😀😀😀', 'it'), [
      { field: 'it', message: 'must have at most 3 characters' },
    ]);
  });

  test('rejects text that not every database can store', () => {
    const message = 'must not contain NUL characters or lone surrogates';
    for (const text of ['a\0b', '\ud800', 'x\udfff'])
      assert.deepEqual(fieldErrors(Type.String(), text, 'it'), [{ field: 'it', message }]);
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
