import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onBothEngines } from '../support/engines.ts';
import { fuzz } from './run.ts';

// A short run of what `npm run fuzz` does at length. A fixed seed: a failure here is one that the change brought.

onBothEngines('generated traffic', (engine) => {
  test('500 requests: no failure, no answer outside the document, no disagreement with the model', async () => {
    const { answers, compared } = await fuzz(engine, 20_270_301, 500);
    assert.ok(compared >= 250);
    // It would be easy never to be wrong by always refusing.
    assert.ok(answers['200']! > 30, JSON.stringify(answers));
  });
});
