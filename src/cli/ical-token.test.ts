import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { onBothEngines } from '../../test/support/engines.ts';
import { useWorld, type World } from '../../test/support/world.ts';

const COMMAND = new URL('../../bin/hourkeep', import.meta.url).pathname;

onBothEngines('hourkeep ical-token rotate', (engine) => {
  const world = useWorld(engine);

  test('prints the new address, and the old one is dead while the service runs on', async () => {
    const spaceId = await world.addSpace(await world.addHost());
    const first = await rotate(world, spaceId);
    assert.deepEqual(first, {
      space_id: spaceId,
      token: first.token,
      url: `${world.url}/api-ical-feed?space_id=${spaceId}&token=${first.token}`,
    });
    assert.equal((await fetch(first.url)).status, 200);

    const second = await rotate(world, spaceId);
    assert.equal((await fetch(first.url)).status, 401);
    assert.equal((await fetch(second.url)).status, 200);
  });

  test('refuses a space that does not exist, in one line', async () => {
    const unknown = '0199a3c4-7d10-7c3e-9f6b-2f7d1c5a9b01';
    await assert.rejects(rotate(world, unknown), {
      code: 1,
      stdout: '',
      stderr: `hourkeep: there is no space ${unknown}\n`,
    });
  });
});

async function rotate(
  world: World,
  spaceId: string,
): Promise<{ space_id: string; token: string; url: string }> {
  const { database } = world.ctx.config;
  const { stdout } = await promisify(execFile)(
    COMMAND,
    ['ical-token', 'rotate', '--space', spaceId, '--json'],
    {
      env: {
        DATABASE_URL: database.engine === 'sqlite' ? `sqlite:${database.file}` : database.url,
        PUBLIC_URL: world.url,
      },
    },
  );
  return JSON.parse(stdout);
}
