import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openDesk } from '../../test/support/booking.ts';
import { onBothEngines } from '../../test/support/engines.ts';
import { belongings } from '../../test/support/tables.ts';
import { useWorld } from '../../test/support/world.ts';

onBothEngines('an idempotency key', (engine) => {
  const world = useWorld(engine);
  const request = { guest_email: 'ada@example.com', idempotency_key: 'storm' };

  test('sent thirty times at once makes one booking, and all thirty get it', async () => {
    const desk = await openDesk(world);
    const answers = await Promise.all(Array.from({ length: 30 }, () => desk.book(request)));
    assert.deepEqual([...new Set(answers.map((answer) => answer.status))], [200]);
    assert.equal(new Set(answers.map((answer) => answer.text)).size, 1);
    assert.equal(answers.filter((answer) => answer.headers.get('idempotent-replayed') === null).length, 1);
    assert.equal((await desk.events()).length, 2);
    assert.equal((await desk.heldHours()).length, 2);
  });

  test('with another request is 422 and changes nothing', async () => {
    const desk = await openDesk(world);
    await desk.made(request);
    const before = await belongings(world, desk.hostId, 'production');
    assert.deepEqual(await desk.problems({ ...request, guest_name: 'Eve Miller' }), [
      { field: 'idempotency_key', message: 'was used before for a different request' },
    ]);
    assert.equal(await belongings(world, desk.hostId, 'production'), before);
  });
});
