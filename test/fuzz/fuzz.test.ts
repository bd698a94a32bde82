import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onBothEngines } from '../support/engines.ts';
import { fuzz } from './fire.ts';

// A short run of what `npm run fuzz` does at length. A fixed seed: a failure here is one that the change brought.

onBothEngines('generated traffic', (engine) => {
  test('200 requests: no failure, no answer outside the document', async () => {
    const answers = await fuzz(engine, 20_270_301, 200);
    // It would be easy never to be wrong by always refusing.
    assert.ok(answers['200']! > 12, JSON.stringify(answers));
  });
});
