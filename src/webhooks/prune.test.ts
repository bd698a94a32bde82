import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onBothEngines } from '../../test/support/engines.ts';
import { aSubscriber, WEBHOOKS } from '../../test/support/webhooks.ts';
import { NOBODY, useWorld } from '../../test/support/world.ts';
import { prune } from './prune.ts';

onBothEngines('pruning', (engine) => {
  const world = useWorld(engine, { EVENT_RETENTION_DAYS: '2' });
  const count = async (table: string) =>
    (await world.row<{ n: number }>(`select count(*) as n from ${table}`)).n;

  test('forgets events and deliveries after the days that are set, in small steps, and keeps younger ones', async () => {
    const host = await aSubscriber(world);
    await host.subscribe({ url: NOBODY });
    await host.subscribe({ url: NOBODY });
    for (let i = 0; i < 150; i++) await host.emit();
    world.clock.advance({ hours: 24 });
    await host.emit();
    world.clock.advance({ hours: 24 });
    assert.equal(await prune(world.ctx), false, 'nothing is older than two days yet');
    assert.equal(await count('events'), 151);
    world.clock.advance({ milliseconds: 1 });
    assert.equal(await prune(world.ctx), true);
    assert.equal(await count('events'), 51);
    assert.equal(await count('deliveries'), 102);
    assert.equal(await prune(world.ctx), false);
    assert.equal(await count('events'), 1);
    assert.equal(await count('deliveries'), 2);
  });

  test('by several workers at once leaves no delivery of a forgotten event behind', async () => {
    const host = await aSubscriber(world);
    await host.subscribe({ url: NOBODY });
    for (let i = 0; i < 400; i++) await host.emit();
    world.clock.advance({ hours: 31 * 24 });
    await Promise.all(Array.from({ length: 4 }, () => prune(world.ctx)));
    const orphans = 'select 1 from deliveries where event_id not in (select id from events)';
    assert.deepEqual(await world.rows(orphans), []);
    while (await prune(world.ctx));
  });

  test('clears away what deleted subscriptions leave, then the subscriptions', async () => {
    const host = await aSubscriber(world);
    const ids: string[] = [];
    for (let i = 0; i < 2; i++) ids.push((await host.subscribe({ url: NOBODY })).id);
    await host.emit();
    for (const id of ids) await world.call('DELETE', `${WEBHOOKS}/${id}`, { key: host.key });
    while (await prune(world.ctx));
    for (const id of ids) {
      assert.deepEqual(await world.rows('select 1 from deliveries where webhook_id = $1', [id]), []);
      assert.deepEqual(await world.rows('select 1 from webhooks where id = $1', [id]), []);
    }
  });
});
