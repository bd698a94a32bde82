import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onBothEngines } from '../../test/support/engines.ts';
import { useWorld } from '../../test/support/world.ts';

onBothEngines('GET availability', (engine) => {
  const world = useWorld(engine);

  test('an open, empty day has 24 available slots in order', async () => {
    const hostId = await world.addHost();
    const { key } = await world.addKey(hostId);
    const spaceId = await world.addSpace(hostId);
    const answer = await world.call(
      'GET',
      `/api-availability/api/v1/spaces/${spaceId}/availability?date=2027-03-18`,
      { key },
    );
    assert.equal(answer.status, 200);
    assert.deepEqual(answer.body, {
      success: true,
      data: {
        space_id: spaceId,
        date: '2027-03-18',
        timezone: 'America/New_York',
        slots: Array.from({ length: 24 }, (_, hour) => ({ hour, available: true, block_reason: null })),
      },
    });
  });
});
