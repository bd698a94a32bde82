import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { publishedDocument } from '../../client/generate/document.ts';
import { typesOf } from '../../client/generate/types.ts';

test('the client’s types are those of the published document', async () => {
  const file = join(import.meta.dirname, '../../client/src/document.ts');
  const made = `${typesOf(await publishedDocument())}\n`;
  assert.equal(readFileSync(file, 'utf8'), made, 'run "npm run client:types" and look at what changed');
});
