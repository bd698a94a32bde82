import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newId, parseId } from './uuid.ts';

test('ids are version 7 uuids that sort in the order they were made, also within a millisecond', () => {
  const ids = Array.from({ length: 20_000 }, newId);
  for (const id of ids)
    assert.match(id, /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  assert.deepEqual(ids.toSorted(), ids);
  assert.equal(new Set(ids).size, ids.length);
});

test('an id is read in any case and given back in lower case; anything else is none', () => {
  const id = newId();
  assert.equal(parseId(id.toUpperCase()), id);
  for (const text of ['', 'x', `${id} `, id.slice(1), `{${id}}`]) assert.equal(parseId(text), undefined);
});
