import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Client } from 'pg';
import { refused } from '../../test/support/answer.ts';
import { openDesk, type Desk } from '../../test/support/booking.ts';
import { onBothEngines, onPostgres } from '../../test/support/engines.ts';
import { untilWaiting } from '../../test/support/until.ts';
import { useWorld, type Answer } from '../../test/support/world.ts';

const DAY = '2027-06-01';

onBothEngines('POST bookings with replaces', (engine) => {
  const world = useWorld(engine);

  const move = (desk: Desk, replaces: unknown, start_hour: number, end_hour: number, fields = {}) =>
    desk.book({ replaces, start_hour, end_hour, ...fields });

  test('is replayed by its key, also when the same request comes twice at once', async () => {
    const desk = await openDesk(world);
    const old = await desk.made();
    const fields = { guest_email: 'once@example.com', idempotency_key: 'move-1' };
    const answers = await Promise.all(Array.from({ length: 6 }, () => move(desk, old.id, 14, 16, fields)));
    const ids = new Set(answers.map((answer) => answer.body.data.booking.id));
    assert.deepEqual(
      answers.map(({ status }) => status),
      Array(6).fill(200),
    );
    assert.equal(ids.size, 1);
    assert.equal(answers.filter((answer) => answer.headers.get('idempotent-replayed') === 'true').length, 5);
  });

  test('of one booking to many places at once is one move; the others are told that it is moved', async () => {
    const desk = await openDesk(world);
    const old = await desk.made();
    const answers = await Promise.all(
      [0, 2, 4, 6, 14, 16].map((hour) =>
        move(desk, old.id, hour, hour + 2, { idempotency_key: `to-${hour}` }),
      ),
    );
    const statuses = answers.map(({ status }) => status).sort((a, b) => a - b);
    assert.deepEqual(statuses, [200, 422, 422, 422, 422, 422]);
    for (const answer of answers)
      if (answer.status !== 200) refused(answer, 422, 'BOOKING_CANCELLATION_BLOCKED');
    assert.equal((await desk.heldHours()).length, 2);
  });

  test('beside a cancellation of the same booking: exactly one wins', async () => {
    const desk = await openDesk(world);
    for (let round = 0; round < 10; round++) {
      const old = await desk.made({ date: '2027-06-15' });
      const [cancelled, moved] = await Promise.all([
        desk.cancel(old.id),
        move(desk, old.id, 14, 16, { date: '2027-06-15' }),
      ]);
      assert.deepEqual(
        [cancelled.status, moved.status].sort((a, b) => a - b),
        [200, 422],
      );
      if (moved.status === 200) await desk.cancel(moved.body.data.booking.id);
      assert.deepEqual(await desk.heldHours(), []);
    }
  });

  test('of two bookings onto each other’s hours at once is refused, and never an error', async () => {
    const desk = await openDesk(world);
    const [a, b] = [await desk.made(), await desk.made({ start_hour: 14, end_hour: 16 })];
    for (let round = 0; round < 10; round++) {
      const answers = await Promise.all([move(desk, a.id, 14, 16), move(desk, b.id, 10, 12)]);
      assert.deepEqual(
        answers.map(({ status }) => status),
        [409, 409],
      );
    }
    assert.equal((await desk.heldHours()).length, 4);
  });
});

onPostgres('a move that waits for another transaction', (engine) => {
  const world = useWorld(engine);

  /** Moves the booking to 14 to 16 of `date` while `statement` is open, then goes on as `end` does, and has the answer. */
  async function moveBeside(
    { desk, id, date }: { desk: Desk; id: string; date: string },
    [statement, ...values]: [statement: string, ...values: string[]],
    end: (other: Client) => Promise<unknown>,
  ): Promise<Answer> {
    const other = new Client({ connectionString: world.databaseUrl });
    await other.connect();
    await other.query('begin');
    await other.query(statement, values);
    const answer = desk.book({ replaces: id, date, start_hour: 14, end_hour: 16 });
    await untilWaiting(world);
    await end(other);
    await other.end();
    return answer;
  }

  test('does not take a booking that is paid for meanwhile', async () => {
    const desk = await openDesk(world);
    const { id } = await desk.made({ settlement_mode: 'platform_settled' });
    const pay = `update bookings set payment_status = 'confirmed', paid_at = 1 where id = $1`;
    const answer = await moveBeside({ desk, id, date: DAY }, [pay, id], (other) => other.query('commit'));
    assert.deepEqual([answer.status, answer.body.error?.code], [422, 'VALIDATION_ERROR'], answer.text);
    assert.match(answer.body.error.details[0].message, /is paid for/);
    assert.equal((await desk.read(id)).status, 'confirmed');
    assert.equal((await desk.heldHours()).length, 2);
  });

  for (const date of ['2027-05-30', '2027-06-03'])
    test(`for an hour of ${date} has freed none of its own, which others may wait for`, async () => {
      const desk = await openDesk(world);
      const { id } = await desk.made();
      const hold = `insert into hours (host_id, space_id, date, hour, booking_id)
        values ($1, $2, '${date}', 14, gen_random_uuid())`;
      let free = 0;
      const place = { desk, id, date };
      const answer = await moveBeside(place, [hold, desk.hostId, desk.spaceId], async (other) => {
        const own = `select hour from hours where host_id = $1 and booking_id = $2 for update skip locked`;
        free = (await other.query(own, [desk.hostId, id])).rows.length;
        await other.query('rollback');
      });
      assert.equal(answer.status, 200, answer.text);
      assert.equal(free, 2);
    });
});
