import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { publishedDocument } from '../../client/generate/document.ts';
import { endpointsOf } from '../../src/http/openapi/published.ts';

interface Item {
  name: string;
  item?: Item[];
}

const TEXT = readFileSync(join(import.meta.dirname, '../../client/collection.json'), 'utf8');

test('the collection has every operation once, by its name for people', async () => {
  const { item: folders } = JSON.parse(TEXT) as { item: Item[] };
  const names = folders.flatMap(({ item = [] }) => item.map(({ name }) => name));
  const summaries = endpointsOf(await publishedDocument()).map(({ operation }) => operation.summary);
  assert.deepEqual(names.toSorted(), summaries.toSorted());
});

test('no variable of the collection is left without a value and a word about it', () => {
  const { variable } = JSON.parse(TEXT) as { variable: { key: string; description: string }[] };
  const known = new Set(variable.filter(({ description }) => description !== '').map(({ key }) => key));
  const used = [...TEXT.matchAll(/\{\{(\w+)\}\}/g)].map((match) => match[1]!);
  assert.deepEqual([...new Set(used)].toSorted(), [...known].toSorted());
});
