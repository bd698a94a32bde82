import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hashApiKey } from '../../src/ids/api-key.ts';
import { createRateLimit } from '../../src/rate-limit/rate-limit.ts';
import { onBothEngines } from '../support/engines.ts';
import { useWorld } from '../support/world.ts';

onBothEngines('the greatest rate limit', (engine) => {
  const world = useWorld(engine, { RATE_LIMIT_PRODUCTION: '10000' });

  test('takes 10 000 requests where the operator sets the limit there, and not one more', async () => {
    const { key } = await world.addKey(await world.addHost());
    const admit = createRateLimit(world.ctx);
    let admitted = 0;
    for (let sent = 0; sent < 10_050; sent += 50) {
      const batch = await Promise.all(Array.from({ length: 50 }, () => admit(hashApiKey(key))));
      admitted += batch.filter((admission) => admission?.rate?.admitted).length;
    }
    assert.equal(admitted, 10_000);
    const { rate } = (await admit(hashApiKey(key)))!;
    assert.deepEqual(rate, {
      admitted: false,
      limit: 10_000,
      remaining: 0,
      resetsAt: world.clock.now() + 60_000,
    });
  });
});
