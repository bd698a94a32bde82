import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bookingBody, CREATE, openDesk } from '../../test/support/booking.ts';
import { onBothEngines } from '../../test/support/engines.ts';
import { belongings } from '../../test/support/tables.ts';
import { useWorld } from '../../test/support/world.ts';
import { BOOKING, REQUESTED, type BookingRequest } from './fields.ts';

onBothEngines('an idempotency key', (engine) => {
  const world = useWorld(engine, { GUEST_VELOCITY_MAX: '3' });
  const guest = { guest_email: 'ada@example.com' };

  test('repeats the answer of the first request, marks it, and does nothing twice', async () => {
    const desk = await openDesk(world);
    const first = await desk.book({ ...guest, idempotency_key: 'k1' });
    const second = await desk.book({ ...guest, idempotency_key: 'k1' });
    assert.equal(second.status, 200);
    assert.deepEqual(second.body, first.body);
    assert.equal(second.headers.get('idempotent-replayed'), 'true');
    assert.equal((await desk.events()).length, 2);
    assert.equal((await desk.heldHours()).length, 2);
  });

  // Where the example of the field would not make it another request.
  const OTHERS: Partial<BookingRequest> = {
    date: '2027-06-02',
    start_hour: 11,
    end_hour: 13,
    guest_email: 'eve@example.com',
    guest_name: 'Eve Miller',
    settlement_mode: 'platform_settled',
    notes: 'Two dogs',
    walk_in: true,
  };
  for (const field of REQUESTED.filter((name) => name !== 'idempotency_key' && name !== 'replaces'))
    test(`with another ${field} is 422 and changes nothing`, async () => {
      const desk = await openDesk(world);
      const another = field === 'space_id' ? await world.addSpace(desk.hostId) : OTHERS[field];
      const request = { ...guest, idempotency_key: 'k' };
      await desk.made(request);
      const before = await belongings(world, desk.hostId, 'production');
      assert.deepEqual(await desk.problems({ ...request, [field]: another ?? BOOKING[field].example }), [
        { field: 'idempotency_key', message: 'was used before for a different request' },
      ]);
      assert.equal(await belongings(world, desk.hostId, 'production'), before);
    });

  test('comes before every rule: a replay works after the date has passed and the space has closed', async (t) => {
    world.clock.restoreAfter(t);
    const desk = await openDesk(world);
    const request = { ...guest, date: '2027-03-02', idempotency_key: 'k' };
    const first = await desk.book(request);
    world.clock.set('2027-05-01T00:00:00Z');
    const body = { is_active: false };
    await world.call('PATCH', `/api-listing-update/api/v1/spaces/${desk.spaceId}`, { key: desk.key, body });
    const replay = await desk.book(request);
    assert.equal(replay.status, 200);
    assert.deepEqual(replay.body, first.body);
  });

  test('of another host, or of the host’s other environment, is another one', async () => {
    const request = { ...guest, idempotency_key: 'shared' };
    const desk = await openDesk(world);
    await desk.book(request);
    const space = await world.addSpace(desk.hostId, { environment: 'sandbox' });
    const { key } = await world.addKey(desk.hostId, { environment: 'sandbox' });
    const inSandbox = await world.call('POST', CREATE, { key, body: bookingBody(space, request) });
    for (const answer of [await (await openDesk(world)).book(request), inSandbox]) {
      assert.equal(answer.status, 200);
      assert.equal(answer.headers.get('idempotent-replayed'), null);
    }
  });

  test('sent thirty times at once makes one booking, and all thirty get it', async () => {
    const desk = await openDesk(world);
    const answers = await Promise.all(
      Array.from({ length: 30 }, () => desk.book({ ...guest, idempotency_key: 'storm' })),
    );
    assert.deepEqual([...new Set(answers.map((answer) => answer.status))], [200]);
    assert.equal(new Set(answers.map((answer) => answer.body.data.booking.id)).size, 1);
    assert.equal(answers.filter((answer) => answer.headers.get('idempotent-replayed') === null).length, 1);
    assert.equal((await desk.events()).length, 2);
    assert.equal((await desk.heldHours()).length, 2);
  });
});
