import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openDesk, type Desk } from '../../test/support/booking.ts';
import { onBothEngines, onPostgres } from '../../test/support/engines.ts';
import { until } from '../../test/support/until.ts';
import { WEBHOOKS } from '../../test/support/webhooks.ts';
import { NOBODY, useWorld } from '../../test/support/world.ts';
import type { EventType } from './events.ts';

onBothEngines('events', (engine) => {
  const world = useWorld(engine);
  const openWith = async (types: readonly EventType[], fields: object = {}): Promise<Desk> => {
    const desk = await openDesk(world);
    await world.write('delete from webhooks where host_id = $1', [desk.hostId]);
    const answer = await world.call('POST', WEBHOOKS, {
      key: desk.key,
      body: { url: NOBODY, events: types },
    });
    assert.equal(answer.status, 201);
    const { id } = answer.body.data.webhook;
    await world.call('PATCH', `${WEBHOOKS}/${id}`, { key: desk.key, body: fields });
    return desk;
  };
  const typesOf = async (desk: Desk) => (await desk.events()).map(({ type }) => type);

  test('are written when an active subscription asks for their type, and no others', async () => {
    const desk = await openWith(['booking.cancelled']);
    const { id } = await desk.made();
    assert.deepEqual(await typesOf(desk), []);
    await desk.cancel(id);
    assert.deepEqual(await typesOf(desk), ['booking.cancelled']);
  });

  test('are not written for a subscription that is switched off', async () => {
    const desk = await openWith(['booking.created'], { is_active: false });
    assert.equal((await desk.book()).status, 200);
    assert.deepEqual(await typesOf(desk), []);
  });

  test('are not written for a subscription of the other environment', async () => {
    const desk = await openWith(['availability.changed']);
    const spaceId = await world.addSpace(desk.hostId, { environment: 'sandbox' });
    const { key } = await world.addKey(desk.hostId, { environment: 'sandbox' });
    const path = `/api-blocks/api/v1/spaces/${spaceId}/blocks`;
    const body = { date: '2027-06-01', start_hour: 10, end_hour: 12 };
    assert.equal((await world.call('POST', path, { key, body })).status, 200);
    assert.deepEqual(await typesOf(desk), []);
  });
});

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
