import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onBothEngines } from '../../test/support/engines.ts';
import { aReceiver } from '../../test/support/webhooks.ts';
import { useWorld } from '../../test/support/world.ts';
import { deliverDue } from '../worker/deliver.ts';
import { tidyPending } from './pending.ts';

onBothEngines('the note that a subscription has something pending', (engine) => {
  const world = useWorld(engine);
  const noted = async (id: string): Promise<boolean> =>
    (await world.row<{ has_pending: number }>('select has_pending from webhooks where id = $1', [id]))
      .has_pending === 1;

  test('stays for ten minutes after the last event, then goes', async () => {
    const { host, id } = await aReceiver(world);
    await host.deliver();
    world.clock.advance({ minutes: 10 });
    await tidyPending(world.ctx);
    assert.equal(await noted(id), true);
    world.clock.advance({ milliseconds: 1 });
    await tidyPending(world.ctx);
    assert.equal(await noted(id), false);
  });

  test('stays as long as anything is pending', async () => {
    const { host, id } = await aReceiver(world);
    await host.emit();
    world.clock.advance({ hours: 1 });
    await tidyPending(world.ctx);
    assert.equal(await noted(id), true);
  });

  test('comes back for a delivery that was committed after it went', async () => {
    const { receiver, host, id } = await aReceiver(world);
    await host.emit();
    // As a commit would leave it that waited for its replica longer than the quiet while.
    await world.ctx.db.migration((tx) => tx.script('update webhooks set has_pending = 0'));
    await deliverDue(world.ctx);
    assert.equal(receiver.received.length, 0);
    await tidyPending(world.ctx);
    await deliverDue(world.ctx);
    assert.equal(receiver.received.length, 1);
    assert.equal(await noted(id), true);
  });
});
