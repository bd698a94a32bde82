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

  test('works as a header too, and in both places when they agree', async () => {
    const desk = await openDesk(world);
    const header = { 'idempotency-key': 'k' };
    const first = await desk.made(guest, header);
    assert.equal(first.idempotency_key, 'k');
    assert.equal((await desk.made(guest, header)).id, first.id);
    const both = await desk.book({ ...guest, idempotency_key: 'k' }, header);
    assert.equal(both.body.data.booking.id, first.id);
    const answer = await desk.book({ ...guest, idempotency_key: 'other' }, header);
    assert.equal(answer.status, 422);
    assert.equal(answer.body.error.details[0].field, 'idempotency_key');
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
  for (const field of REQUESTED.filter((name) => name !== 'idempotency_key' && name !== 'replaces')) {
    test(`with another ${field} is 422 and changes nothing`, async () => {
      const desk = await openDesk(world);
      const another = field === 'space_id' ? await world.addSpace(desk.hostId) : OTHERS[field];
      await desk.book({ ...guest, idempotency_key: 'k' });
      const before = await belongings(world, desk.hostId, 'production');
      const changed = { [field]: another ?? BOOKING[field].example };
      const answer = await desk.book({ ...guest, idempotency_key: 'k', ...changed });
      assert.equal(answer.status, 422);
      assert.equal(answer.body.error.code, 'VALIDATION_ERROR');
      assert.deepEqual(answer.body.error.details, [
        { field: 'idempotency_key', message: 'was used before for a different request' },
      ]);
      assert.equal(await belongings(world, desk.hostId, 'production'), before);
    });
  }

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

  test('answers the present state: cancelled, when it was cancelled since', async () => {
    const desk = await openDesk(world);
    const { id } = await desk.made({ ...guest, idempotency_key: 'k' });
    await desk.cancel(id);
    const replay = await desk.book({ ...guest, idempotency_key: 'k' });
    assert.equal(replay.status, 200);
    assert.equal(replay.body.data.booking.id, id);
    assert.equal(replay.body.data.booking.status, 'cancelled');
  });

  test('is the same with another API key of the host and environment', async () => {
    const desk = await openDesk(world);
    const first = await desk.book({ ...guest, idempotency_key: 'shared' });
    const { key } = await world.addKey(desk.hostId);
    const body = bookingBody(desk.spaceId, { ...guest, idempotency_key: 'shared' });
    const replay = await world.call('POST', CREATE, { key, body });
    assert.equal(replay.body.data.booking.id, first.body.data.booking.id);
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

  test('of replays counts for velocity once', async () => {
    const desk = await openDesk(world);
    const hour = (n: number) => ({ ...guest, start_hour: n, end_hour: n + 1, idempotency_key: `v${n}` });
    for (const n of [1, 1, 1, 1, 2, 3]) assert.equal((await desk.book(hour(n))).status, 200);
    assert.equal((await desk.book(hour(4))).body.error.code, 'GUEST_BOOKING_VELOCITY');
  });

  test('of a refused request is free for another one', async () => {
    const desk = await openDesk(world);
    await desk.book({ start_hour: 10, end_hour: 11 });
    const refused = await desk.book({ ...guest, start_hour: 9, end_hour: 12, idempotency_key: 'k' });
    assert.equal(refused.body.error.code, 'BOOKING_CONFLICT');
    const answer = await desk.book({ ...guest, start_hour: 12, end_hour: 13, idempotency_key: 'k' });
    assert.equal(answer.status, 200);
    assert.equal(answer.headers.get('idempotent-replayed'), null);
  });
});
