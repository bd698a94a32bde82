import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Type, type Static } from './type.ts';

// Types are checked by the compiler: a line that it must refuse is marked with @ts-expect-error.

test('an object schema requires the fields that are neither optional nor have a default, and types what is there then', () => {
  const Wanted = Type.Object({
    date: Type.String(),
    note: Type.Optional(Type.String()),
    limit: Type.Integer({ default: 50 }),
  });
  assert.deepEqual(Wanted['required'], ['date']);
  const complete: Static<typeof Wanted> = { date: '2027-06-01', limit: 50 };
  // @ts-expect-error: a field with a default is there for whoever reads
  const withoutDefault: Static<typeof Wanted> = { date: '2027-06-01' };
  // @ts-expect-error: a required field is missing
  const withoutDate: Static<typeof Wanted> = { limit: 50 };
  // @ts-expect-error: an optional field is absent, not undefined
  const withUndefined: Static<typeof Wanted> = { ...complete, note: undefined };
  assert.ok(withoutDefault && withoutDate && withUndefined);
});

test('an enum that may be null has null as one of its values and types', () => {
  const nullable = Type.Nullable(Type.Enum(['red', 'green'], { description: 'Of the door' }));
  const none: Static<typeof nullable> = null;
  // @ts-expect-error: blue is not one of the values
  const other: Static<typeof nullable> = 'blue';
  assert.deepEqual([none, other], [null, 'blue']);
  assert.deepEqual(nullable, {
    type: ['string', 'null'],
    enum: ['red', 'green', null],
    description: 'Of the door',
  });
});
