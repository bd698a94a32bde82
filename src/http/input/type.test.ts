import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Type, type Static } from './type.ts';

// Types are checked by the compiler: a line that it must refuse is marked with @ts-expect-error.

describe('an object schema', () => {
  const Wanted = Type.Object({
    date: Type.String(),
    note: Type.Optional(Type.String()),
    limit: Type.Integer({ default: 50 }),
  });
  type Wanted = Static<typeof Wanted>;

  test('requires the fields that are neither optional nor have a default', () => {
    assert.deepEqual(Wanted['required'], ['date']);
  });

  test('types what is left once defaults have been filled in', () => {
    const complete: Wanted = { date: '2027-06-01', limit: 50 };
    // @ts-expect-error: a field with a default is there for whoever reads
    const withoutDefault: Wanted = { date: '2027-06-01' };
    // @ts-expect-error: a required field is missing
    const withoutDate: Wanted = { limit: 50 };
    // @ts-expect-error: an optional field is absent, not undefined
    const withUndefined: Wanted = { ...complete, note: undefined };
    assert.ok(withoutDefault && withoutDate && withUndefined);
  });
});

describe('an enum', () => {
  const Colour = Type.Enum(['red', 'green'], { description: 'Of the door' });

  test('is a string with values', () => {
    assert.deepEqual(Colour, { type: 'string', enum: ['red', 'green'], description: 'Of the door' });
  });

  test('that may be null has null as one of its values and types', () => {
    const nullable = Type.Nullable(Colour);
    const none: Static<typeof nullable> = null;
    // @ts-expect-error: blue is not one of the values
    const other: Static<typeof nullable> = 'blue';
    assert.deepEqual([none, other], [null, 'blue']);
    assert.deepEqual(nullable['type'], ['string', 'null']);
    assert.deepEqual(nullable['enum'], ['red', 'green', null]);
  });
});
