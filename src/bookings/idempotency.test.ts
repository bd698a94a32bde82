import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openDesk } from '../../test/support/booking.ts';
import { onBothEngines } from '../../test/support/engines.ts';
import { useWorld } from '../../test/support/world.ts';

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

  test('works as a header too; both may be sent when they agree', async () => {
    const desk = await openDesk(world);
    const first = await desk.book(guest, { 'idempotency-key': 'k2' });
    assert.equal(first.body.data.booking.idempotency_key, 'k2');
    const second = await desk.book({ ...guest, idempotency_key: 'k2' }, { 'idempotency-key': 'k2' });
    assert.equal(second.body.data.booking.id, first.body.data.booking.id);
    const disagree = await desk.book({ ...guest, idempotency_key: 'k2' }, { 'idempotency-key': 'k3' });
    assert.equal(disagree.status, 422);
    assert.equal(disagree.body.error.details[0].field, 'idempotency_key');
  });

  test('with a different request is 422 and changes nothing', async () => {
    const desk = await openDesk(world);
    await desk.book({ ...guest, idempotency_key: 'k' });
    for (const change of [
      { start_hour: 11 },
      { guest_name: 'B' },
      { settlement_mode: 'platform_settled' },
      { guest_phone: '1' },
    ]) {
      const answer = await desk.book({ ...guest, idempotency_key: 'k', ...change });
      assert.equal(answer.status, 422);
      assert.equal(answer.body.error.code, 'VALIDATION_ERROR');
    }
    assert.equal((await desk.events()).length, 2);
  });

  test('compares after defaults are filled in', async () => {
    const desk = await openDesk(world);
    const first = await desk.book({ ...guest, idempotency_key: 'k' });
    const second = await desk.book({ ...guest, idempotency_key: 'k', settlement_mode: 'host_settled' });
    assert.equal(second.body.data.booking.id, first.body.data.booking.id);
  });

  test('comes before every rule: a replay works after the date has passed and the space has closed', async () => {
    const desk = await openDesk(world);
    const first = await desk.book({ ...guest, date: '2027-03-02', idempotency_key: 'k' });
    assert.equal(first.status, 200);
    const now = world.clock.now();
    world.clock.set('2027-05-01T00:00:00Z');
    await world.rows('update spaces set is_active = 0 where id = $1', [desk.spaceId]);
    const replay = await desk.book({ ...guest, date: '2027-03-02', idempotency_key: 'k' });
    world.clock.set(new Date(now).toISOString());
    assert.equal(replay.status, 200);
    assert.equal(replay.body.data.booking.id, first.body.data.booking.id);
  });

  test('answers the present state: cancelled, when it was cancelled since', async () => {
    const desk = await openDesk(world);
    const { id } = (await desk.book({ ...guest, idempotency_key: 'k' })).body.data.booking;
    await desk.cancel(id);
    const replay = await desk.book({ ...guest, idempotency_key: 'k' });
    assert.equal(replay.status, 200);
    assert.equal(replay.body.data.booking.id, id);
    assert.equal(replay.body.data.booking.status, 'cancelled');
  });

  test('belongs to host and environment, not to the API key', async () => {
    const desk = await openDesk(world);
    const first = await desk.book({ ...guest, idempotency_key: 'shared' });
    const second = await world.addKey(desk.hostId);
    const body = {
      space_id: desk.spaceId,
      date: '2027-06-01',
      start_hour: 10,
      end_hour: 12,
      guest_name: 'Ada Miller',
      ...guest,
      idempotency_key: 'shared',
    };
    const replay = await world.call('POST', '/api-create-booking/api/v1/bookings', { key: second.key, body });
    assert.equal(replay.body.data.booking.id, first.body.data.booking.id);
    const other = await openDesk(world);
    const theirs = await other.book({ ...guest, idempotency_key: 'shared' });
    assert.equal(theirs.status, 200);
    assert.notEqual(theirs.body.data.booking.id, first.body.data.booking.id);
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

  test('replays do not count for velocity, and a refused request stores nothing', async () => {
    const desk = await openDesk(world);
    for (let i = 0; i < 3; i++)
      await desk.book({ ...guest, start_hour: i, end_hour: i + 1, idempotency_key: `v${i}` });
    for (let i = 0; i < 3; i++) {
      assert.equal(
        (await desk.book({ ...guest, start_hour: i, end_hour: i + 1, idempotency_key: `v${i}` })).status,
        200,
      );
    }
    const refused = await desk.book({ ...guest, start_hour: 5, end_hour: 6, idempotency_key: 'v9' });
    assert.equal(refused.body.error.code, 'GUEST_BOOKING_VELOCITY');
    const rows = await world.rows(
      "select count(*) as n from bookings where host_id = $1 and idempotency_key = 'v9'",
      [desk.hostId],
    );
    assert.equal(rows[0].n, 0);
  });
});
