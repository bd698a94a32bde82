import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onBothEngines } from '../../test/support/engines.ts';
import { operator } from '../../test/support/operator.ts';
import { useWorld } from '../../test/support/world.ts';
import { newId } from '../ids/uuid.ts';
import { record } from './audit.ts';
import { prune } from './prune.ts';

onBothEngines('the retention of the audit trail', (engine) => {
  const world = useWorld(engine, { AUDIT_RETENTION_DAYS: '1' });
  const hosts = [newId(), newId()];
  const write = (count: number, subject: string) =>
    world.ctx.db.transaction(async (tx) => {
      for (let n = 0; n < count; n++) {
        const change = { action: 'host.updated', hostId: hosts[n % 2]!, environment: null, subject } as const;
        await record(tx, world.clock.now(), operator, change);
      }
    });
  const counts = async () =>
    (
      await world.rows<{ subject: string; n: number }>(
        'select subject, count(*) as n from audit group by subject order by subject',
      )
    ).map(({ subject, n }) => [subject, n]);

  test('is what the operator says, in small steps, and keeps what is younger', async () => {
    await write(700, 'old');
    world.clock.advance({ hours: 1 });
    await write(3, 'young');
    world.clock.advance({ hours: 23 });
    assert.equal(await prune(world.ctx), false, 'nothing is older than a day yet');
    assert.deepEqual(await counts(), [
      ['old', 700],
      ['young', 3],
    ]);
    world.clock.advance({ milliseconds: 1 });
    assert.equal(await prune(world.ctx), true);
    assert.deepEqual(await counts(), [
      ['old', 200],
      ['young', 3],
    ]);
    assert.equal(await prune(world.ctx), false);
    assert.deepEqual(await counts(), [['young', 3]]);
  });
});
