import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openDesk } from '../../test/support/booking.ts';
import { onBothEngines } from '../../test/support/engines.ts';
import { belongings } from '../../test/support/tables.ts';
import { useWorld } from '../../test/support/world.ts';

onBothEngines('POST bookings', (engine) => {
  const world = useWorld(engine);

  test('a whole day is one booking; a repeated hour counts and costs one, and the instants span both', async () => {
    const desk = await openDesk(world);
    const made = await desk.book({ date: '2027-11-07', start_hour: 0, end_hour: 24 });
    const { hours, total_price, starts_at, ends_at } = made.body.data.booking;
    assert.deepEqual(
      [hours, total_price, starts_at, ends_at],
      [24, 1200, '2027-11-07T04:00:00.000Z', '2027-11-08T05:00:00.000Z'],
    );
    assert.equal((await desk.heldHours()).length, 24);
  });

  test('bad fields are VALIDATION_ERROR and named', async () => {
    const desk = await openDesk(world);
    const cases: [fields: Record<string, unknown>, field: string][] = [
      [{ space_id: `urn:uuid:${desk.spaceId}` }, 'space_id'],
      [{ date: '2027-02-30' }, 'date'],
      [{ date: '0000-05-01' }, 'date'],
      [{ date: '9999-12-31', start_hour: 18, end_hour: 19 }, 'date'],
      [{ start_hour: -1 }, 'start_hour'],
      [{ start_hour: 24, end_hour: 24 }, 'start_hour'],
      [{ end_hour: 25 }, 'end_hour'],
      [{ start_hour: 12, end_hour: 9 }, 'end_hour'],
      [{ guest_email: 'nobody' }, 'guest_email'],
      [{ guest_email: `${'x'.repeat(250)}@example.com` }, 'guest_email'],
      [{ guest_name: '' }, 'guest_name'],
      [{ guest_name: 'x'.repeat(201) }, 'guest_name'],
      [{ guest_phone: '' }, 'guest_phone'],
      [{ settlement_mode: 5 }, 'settlement_mode'],
      [{ idempotency_key: '' }, 'idempotency_key'],
      [{ idempotency_key: 'x'.repeat(256) }, 'idempotency_key'],
      [{ idempotency_key: 'ключ' }, 'idempotency_key'],
    ];
    for (const [fields, field] of cases)
      assert.deepEqual(
        (await desk.problems(fields)).map((problem) => problem.field),
        [field],
      );
  });

  const keyed = { guest_email: 'ada@example.com', idempotency_key: 'storm' };

  test('an idempotency key that is sent thirty times at once makes one booking, and all thirty get it', async () => {
    const desk = await openDesk(world);
    const answers = await Promise.all(Array.from({ length: 30 }, () => desk.book(keyed)));
    assert.deepEqual([...new Set(answers.map((answer) => answer.status))], [200]);
    assert.equal(new Set(answers.map((answer) => answer.text)).size, 1);
    assert.equal(answers.filter((answer) => answer.headers.get('idempotent-replayed') === null).length, 1);
    assert.equal((await desk.events()).length, 2);
    assert.equal((await desk.heldHours()).length, 2);
  });

  test('an idempotency key with another request is 422 and changes nothing', async () => {
    const desk = await openDesk(world);
    await desk.made(keyed);
    const before = await belongings(world, desk.hostId, 'production');
    assert.deepEqual(await desk.problems({ ...keyed, guest_name: 'Eve Miller' }), [
      { field: 'idempotency_key', message: 'was used before for a different request' },
    ]);
    assert.equal(await belongings(world, desk.hostId, 'production'), before);
  });
});
