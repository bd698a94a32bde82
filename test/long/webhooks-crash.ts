import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onBothEngines } from '../support/engines.ts';
import { crashWorkers } from '../proof/webhooks-crash.ts';

onBothEngines('workers that are killed with -9', (engine) => {
  test('delay deliveries but lose none, and those that come twice are the same', async () => {
    const database = await engine.createDatabase();
    try {
      const report = await crashWorkers(database.url, 2);
      assert.deepEqual(report.problems, []);
      assert.ok(report.received >= report.expected);
    } finally {
      await database.drop();
    }
  });
});
