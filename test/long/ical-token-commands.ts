import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onBothEngines } from '../support/engines.ts';
import { hourkeep } from '../support/process.ts';
import { useWorld } from '../support/world.ts';

onBothEngines('hourkeep ical-token rotate', (engine) => {
  const world = useWorld(engine);
  const rotate = (spaceId: string) =>
    hourkeep(['ical-token', 'rotate', '--space', spaceId, '--json'], {
      DATABASE_URL: world.databaseUrl,
      PUBLIC_URL: world.url,
    });

  test('prints the new address, which opens the calendar', async () => {
    const spaceId = await world.addSpace(await world.addHost());
    const printed = JSON.parse((await rotate(spaceId)).stdout) as { token: string; url: string };
    const { token, url } = printed;
    assert.deepEqual(printed, {
      space_id: spaceId,
      token,
      url: `${world.url}/api-ical-feed?space_id=${spaceId}&token=${token}`,
    });
    assert.equal((await fetch(url)).status, 200);
  });

  test('makes the old address a dead one while the service runs on', async () => {
    const spaceId = await world.addSpace(await world.addHost());
    const old = JSON.parse((await rotate(spaceId)).stdout) as { url: string };
    await rotate(spaceId);
    assert.equal((await fetch(old.url)).status, 401);
  });

  test('refuses a space that does not exist, in one line', async () => {
    const unknown = '0199a3c4-7d10-7c3e-9f6b-2f7d1c5a9b01';
    const { code, stdout, stderr } = await rotate(unknown);
    assert.deepEqual([code, stdout, stderr], [1, '', `hourkeep: there is no space ${unknown}\n`]);
  });
});
