import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { generate } from '../../client/generate/write.ts';

// The build writes these files, and git ignores them: after a change to a schema the old ones still lie there.

for (const [path, text] of Object.entries(await generate()))
  test(`${path} is what the published document says`, () => {
    const built = readFileSync(join(import.meta.dirname, '../..', path), 'utf8');
    assert.equal(built, text, 'run "npm run prepare"');
  });
