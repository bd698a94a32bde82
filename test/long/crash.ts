import assert from 'node:assert/strict';
import { test } from 'node:test';
import { crash } from '../proof/crash.ts';
import { seeded } from '../proof/race.ts';
import { onBothEngines } from '../support/engines.ts';

// A short run of what `npm run crash` does at length.

onBothEngines('nothing acknowledged is ever lost', (engine) => {
  test('kill -9 in the middle of a storm, three times: every booking is there with its hours and events', async () => {
    const run = await crash(engine, 3, seeded(7));
    assert.deepEqual(run.violations, []);
    assert.ok(run.acknowledged >= 45);
  });
});
