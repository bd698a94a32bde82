import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Client } from 'pg';
import { refused } from '../../test/support/answer.ts';
import { openDesk, type Desk } from '../../test/support/booking.ts';
import { onBothEngines, onPostgres } from '../../test/support/engines.ts';
import { markBusy } from '../../test/support/external-calendar.ts';
import { operator } from '../../test/support/operator.ts';
import { untilWaiting } from '../../test/support/until.ts';
import { useWorld, type Answer } from '../../test/support/world.ts';
import * as payments from '../payments/payments.ts';
import * as bookings from './bookings.ts';

const DAY = '2027-06-01';

onBothEngines('POST bookings with replaces', (engine) => {
  const world = useWorld(engine);

  const move = (desk: Desk, replaces: unknown, start_hour: number, end_hour: number, fields = {}) =>
    desk.book({ replaces, start_hour, end_hour, ...fields });
  const rejected = async (
    answer: Promise<Answer>,
    code: 'VALIDATION_ERROR' | 'BOOKING_CANCELLATION_BLOCKED',
  ) => refused(await answer, 422, code);

  test('makes the new booking and cancels the old one, each naming the other', async () => {
    const desk = await openDesk(world);
    const old = await desk.made({ guest_phone: '+1 555 0100' });
    world.clock.advance({ seconds: 1 });
    const answer = await move(desk, old.id.toUpperCase(), 14, 16);
    assert.equal(answer.status, 200, answer.text);
    const moved = answer.body.data.booking;
    assert.equal(moved.replaces, old.id);
    assert.equal(moved.replaced_by, null);
    assert.equal(moved.status, 'confirmed');
    assert.deepEqual(await desk.read(moved.id), moved);
    const { status, cancellation_reason, cancelled_at, updated_at, replaces, replaced_by } = await desk.read(
      old.id,
    );
    assert.deepEqual(
      [status, cancellation_reason, replaces, replaced_by],
      ['cancelled', 'Moved', null, moved.id],
    );
    assert.deepEqual([cancelled_at, updated_at], [moved.created_at, moved.created_at]);
    assert.deepEqual(await desk.heldHours(), [
      { date: DAY, hour: 14, booking_id: moved.id },
      { date: DAY, hour: 15, booking_id: moved.id },
    ]);
  });

  test('tells of both bookings and of the hours that changed, freed and taken apart', async () => {
    const desk = await openDesk(world);
    const cases: [from: string, to: string, freed: string, taken: string][] = [
      ['10-12', '14-16', '10 11', '14 15'],
      ['10-12', '11-13', '10', '12'],
      ['10-12', '9-11', '11', '9'],
      ['10-12', '9-14', '', '9 12 13'],
      ['9-14', '10-12', '9 12 13', ''],
      ['10-12', '10-11', '11', ''],
      ['10-12', '12-13', '10 11', '12'],
      ['10-12', '10-12', '', ''],
    ];
    const hours = (range: string) => range.split('-').map(Number) as [number, number];
    for (const [from, to, freed, taken] of cases) {
      const [start_hour, end_hour] = hours(from);
      const old = await desk.made({ start_hour, end_hour });
      const before = (await desk.events()).length;
      const [first, end] = hours(to);
      const { id } = await desk.made({ replaces: old.id, start_hour: first, end_hour: end });
      const expected = [
        `booking.cancelled ${old.id}`,
        `booking.created ${id}`,
        ...(freed === '' ? [] : [`booking_cancelled ${DAY} ${freed}`]),
        ...(taken === '' ? [] : [`booking_created ${DAY} ${taken}`]),
      ];
      const told = (await desk.events()).slice(before).map((event) => {
        if (event.type === 'availability.changed')
          return `${event.data.cause} ${event.data.date} ${event.data.hours.join(' ')}`;
        return `${event.type} ${'booking' in event.data ? event.data.booking.id : ''}`;
      });
      assert.deepEqual(told.toSorted(), expected.toSorted(), `${from} to ${to}`);
      const held = Array.from({ length: end - first }, (_, i) => ({
        date: DAY,
        hour: first + i,
        booking_id: id,
      }));
      assert.deepEqual(await desk.heldHours(), held);
      await desk.cancel(id);
    }
  });

  test('is refused right after the space: no such booking, or one that is paid for', async () => {
    const desk = await openDesk(world);
    const sandbox = await openDesk(world, {}, { environment: 'sandbox' });
    const absent = '01a1e8d6-9d71-7000-a58d-81677e629441';
    const paid = await desk.made({ settlement_mode: 'platform_settled' });
    await payments.confirm(world.ctx, operator, paid.id, null);
    const theirs = (await (await openDesk(world)).made()).id;
    const owner = { guest_email: 'host@example.com' };
    for (const id of [theirs, (await sandbox.made()).id, absent, 'nonsense', paid.id]) {
      const { details } = await rejected(move(desk, id, 14, 16, owner), 'VALIDATION_ERROR');
      assert.equal(details[0].field, 'replaces');
    }
    refused(await move(desk, paid.id, 14, 16, { space_id: absent }), 404, 'NOT_FOUND');
  });

  test('is refused where cancelling is: cancelled, moved, completed, begun, inside the notice, kept', async (t) => {
    world.clock.restoreAfter(t);
    const desk = await openDesk(world, {}, { cancellation_notice_hours: 24 });
    const blocked = async (of: Desk, id: string, why: RegExp) => {
      const answer = move(of, id, 10, 12, { date: '2027-06-20' });
      assert.match((await rejected(answer, 'BOOKING_CANCELLATION_BLOCKED')).message, why);
    };
    const cancelled = await desk.made({ date: '2027-06-09' });
    await desk.cancel(cancelled.id);
    await blocked(desk, cancelled.id, /already cancelled/);
    const old = await desk.made({ date: '2027-06-10' });
    await desk.made({ replaces: old.id, start_hour: 14, end_hour: 16 });
    await blocked(desk, old.id, /already moved/);
    const ahead = await desk.made({ start_hour: 20, end_hour: 21 });
    world.clock.set('2027-06-01T01:00:00Z');
    await blocked(desk, ahead.id, /24 hours of notice/);
    world.clock.set('2027-06-02T00:30:00Z');
    await blocked(desk, ahead.id, /already begun/);
    world.clock.set('2027-06-02T12:30:00Z');
    await bookings.completeDue(world.ctx);
    await blocked(desk, ahead.id, /already completed/);
    const sandbox = await openDesk(world, {}, { environment: 'sandbox' });
    const kept = await sandbox.made({ guest_email: 'keep@sandbox.test', date: '2027-07-01' });
    await blocked(sandbox, kept.id, /keep their bookings/);
  });

  test('counts the old booking’s hours as free, unless an external calendar holds them', async () => {
    const desk = await openDesk(world);
    const old = await desk.made();
    const busy = { hostId: desk.hostId, spaceId: desk.spaceId, date: DAY, hour: 11 };
    await world.ctx.db.transaction((tx) => markBusy(tx, busy));
    const { details } = refused(await move(desk, old.id, 10, 12), 409, 'BOOKING_CONFLICT');
    assert.deepEqual(details, { hours: [11] });
    assert.equal((await move(desk, old.id, 10, 11)).status, 200);
  });

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
    const { details } = await rejected(move(desk, null, 14, 16, fields), 'VALIDATION_ERROR');
    assert.equal(details[0].field, 'idempotency_key');
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

  test('beside a cancellation and a completion of the same booking: exactly one wins', async (t) => {
    world.clock.restoreAfter(t);
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
        const own = `select hour from hours where booking_id = $1 for update skip locked`;
        free = (await other.query(own, [id])).rows.length;
        await other.query('rollback');
      });
      assert.equal(answer.status, 200, answer.text);
      assert.equal(free, 2);
    });
});
