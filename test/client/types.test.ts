import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { publishedDocument } from '../../client/generate/document.ts';
import { GENERATED } from '../../client/generate/write.ts';

for (const [path, make] of GENERATED)
  test(`${path} is what the published document says`, async () => {
    const made = `${make(await publishedDocument())}\n`;
    const file = join(import.meta.dirname, '../..', path);
    assert.equal(readFileSync(file, 'utf8'), made, 'run "npm run client:types" and look at what changed');
  });
