import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openDesk } from '../../test/support/booking.ts';
import { onPostgres } from '../../test/support/engines.ts';
import { until } from '../../test/support/until.ts';
import { WEBHOOKS } from '../../test/support/webhooks.ts';
import { NOBODY, useWorld } from '../../test/support/world.ts';

onPostgres('events of a booking that is under way', (engine) => {
  const world = useWorld(engine);

  test('go to a subscription that is made meanwhile', async () => {
    const desk = await openDesk(world);
    await world.write('delete from webhooks where host_id = $1', [desk.hostId]);
    const guest = 'meanwhile@example.com';
    const [locked, free] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const held = world.ctx.db.transaction(async (tx) => {
      await tx.lock(`guest ${desk.hostId} production ${guest}`);
      locked.resolve();
      await free.promise;
    });
    await locked.promise;
    const booked = desk.book({ guest_email: guest });
    await until(async () => {
      const [waiting] = await world.rows<{ count: number }>(
        `select count(*) as count from pg_locks where locktype = 'advisory' and not granted
          and database = (select oid from pg_database where datname = current_database())`,
      );
      return waiting!.count === 1;
    });
    const body = { url: NOBODY, events: ['booking.created'] };
    assert.equal((await world.call('POST', WEBHOOKS, { key: desk.key, body })).status, 201);
    free.resolve();
    await held;
    assert.equal((await booked).status, 200);
    assert.deepEqual(
      (await desk.events()).map(({ type }) => type),
      ['booking.created'],
    );
  });
});
