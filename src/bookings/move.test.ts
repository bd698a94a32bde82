import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Client } from 'pg';
import { openDesk, type Desk } from '../../test/support/booking.ts';
import { onBothEngines, onPostgres } from '../../test/support/engines.ts';
import { operator } from '../../test/support/operator.ts';
import { until } from '../../test/support/until.ts';
import { useWorld, type Answer } from '../../test/support/world.ts';
import { newId } from '../ids/uuid.ts';
import * as payments from '../payments/payments.ts';
import * as bookings from './bookings.ts';

const DAY = '2027-06-01';

onBothEngines('POST bookings with replaces', (engine) => {
  const world = useWorld(engine);

  const book = (desk: Desk, fields?: Record<string, unknown>) => desk.made(fields);
  const move = (desk: Desk, replaces: unknown, start_hour: number, end_hour: number, fields = {}) =>
    desk.book({ replaces, start_hour, end_hour, ...fields });
  const refused = (answer: Answer, status: number, code: string, field?: string) => {
    assert.deepEqual([answer.status, answer.body.error?.code], [status, code], answer.text);
    if (field !== undefined) assert.equal(answer.body.error.details[0].field, field);
  };
  const held = async (desk: Desk) =>
    (await desk.heldHours()).map(({ date, hour, booking_id }) => `${date} ${hour} ${booking_id}`);
  const told = async (desk: Desk, before: number) =>
    (await desk.events()).slice(before).map((event) => {
      if (event.type === 'availability.changed')
        return `${event.data.cause} ${event.data.date} ${event.data.hours.join(' ')}`;
      return `${event.type} ${'booking' in event.data ? event.data.booking.id : ''}`;
    });

  test('makes the new booking and cancels the old one, each naming the other', async () => {
    const desk = await openDesk(world);
    const old = await book(desk, { guest_phone: '+1 555 0100' });
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
    assert.deepEqual(await held(desk), [`${DAY} 14 ${moved.id}`, `${DAY} 15 ${moved.id}`]);
  });

  test('tells of both bookings and of the hours that changed, freed and taken apart', async () => {
    const desk = await openDesk(world);
    const cases: [from: [number, number], to: [number, number], changes: string[]][] = [
      [
        [10, 12],
        [14, 16],
        [`booking_cancelled ${DAY} 10 11`, `booking_created ${DAY} 14 15`],
      ],
      [
        [10, 12],
        [11, 13],
        [`booking_cancelled ${DAY} 10`, `booking_created ${DAY} 12`],
      ],
      [
        [10, 12],
        [9, 11],
        [`booking_cancelled ${DAY} 11`, `booking_created ${DAY} 9`],
      ],
      [[10, 12], [9, 14], [`booking_created ${DAY} 9 12 13`]],
      [[9, 14], [10, 12], [`booking_cancelled ${DAY} 9 12 13`]],
      [[10, 12], [10, 11], [`booking_cancelled ${DAY} 11`]],
      [
        [10, 12],
        [12, 13],
        [`booking_cancelled ${DAY} 10 11`, `booking_created ${DAY} 12`],
      ],
      [[10, 12], [10, 12], []],
    ];
    for (const [from, to, changes] of cases) {
      const old = await book(desk, { start_hour: from[0], end_hour: from[1] });
      const before = (await desk.events()).length;
      const answer = await move(desk, old.id, ...to);
      assert.equal(answer.status, 200, answer.text);
      const { id } = answer.body.data.booking;
      const expected = [`booking.cancelled ${old.id}`, `booking.created ${id}`, ...changes];
      assert.deepEqual(
        (await told(desk, before)).toSorted(),
        expected.toSorted(),
        `${from.join('-')} to ${to.join('-')}`,
      );
      const kept = Array.from({ length: to[1] - to[0] }, (_, i) => `${DAY} ${to[0] + i} ${id}`);
      assert.deepEqual(await held(desk), kept);
      await desk.cancel(id);
    }
  });

  test('goes to another day or another space', async () => {
    const desk = await openDesk(world);
    const other = await world.addSpace(desk.hostId);
    const old = await book(desk);
    const before = (await desk.events()).length;
    const later = (await move(desk, old.id, 10, 12, { date: '2027-05-30' })).body.data.booking;
    assert.deepEqual((await told(desk, before)).toSorted(), [
      `booking.cancelled ${old.id}`,
      `booking.created ${later.id}`,
      `booking_cancelled ${DAY} 10 11`,
      'booking_created 2027-05-30 10 11',
    ]);
    const elsewhere = await move(desk, later.id, 10, 12, { space_id: other });
    assert.equal(elsewhere.body.data.booking.space_id, other);
    assert.deepEqual(await held(desk), []);
    const { count } = await world.row<{ count: number }>(
      'select count(*) as count from hours where space_id = $1 and booking_id = $2',
      [other, elsewhere.body.data.booking.id],
    );
    assert.equal(count, 2);
  });

  test('keeps where the booking came from, takes today’s price and create’s defaults', async () => {
    const desk = await openDesk(world);
    const entered = await desk.enter({ settlement_mode: 'platform_settled' });
    await world.write('update spaces set price_per_hour = 9900 where id = $1', [desk.spaceId]);
    const moved = (await move(desk, entered.id, 14, 15)).body.data.booking;
    assert.deepEqual(
      [moved.source, moved.price_per_hour, moved.settlement_mode],
      ['platform', 99, 'host_settled'],
    );
  });

  test('is refused right after the space: no such booking, or one that is paid for', async () => {
    const desk = await openDesk(world);
    const stranger = await openDesk(world);
    const theirs = await book(stranger);
    const sandbox = await openDesk(world, {}, { environment: 'sandbox' });
    const ids = [theirs.id, (await book(sandbox)).id, '01a1e8d6-9d71-7000-a58d-81677e629441'];
    const owner = { guest_email: 'host@example.com' };
    for (const id of ids) refused(await move(desk, id, 14, 16, owner), 422, 'VALIDATION_ERROR', 'replaces');
    refused(await move(desk, 'nonsense', 14, 16), 422, 'VALIDATION_ERROR', 'replaces');
    const paid = await book(desk, { settlement_mode: 'platform_settled' });
    await payments.confirm(world.ctx, operator, paid.id, null);
    refused(await move(desk, paid.id, 14, 16, owner), 422, 'VALIDATION_ERROR', 'replaces');
    const nowhere = { space_id: '01a1e8d6-9d71-7000-a58d-81677e629441' };
    refused(await move(desk, paid.id, 14, 16, nowhere), 404, 'NOT_FOUND');
  });

  test('is refused where cancelling is: cancelled, moved, completed, begun, inside the notice, kept', async (t) => {
    world.clock.restoreAfter(t);
    const desk = await openDesk(world, {}, { cancellation_notice_hours: 24 });
    const cancelled = await book(desk, { date: '2027-06-09' });
    await desk.cancel(cancelled.id);
    const moved = await book(desk, { date: '2027-06-10' });
    assert.equal((await move(desk, moved.id, 14, 16)).status, 200);
    const ahead = await book(desk, { start_hour: 20, end_hour: 21 });
    const blocked = async (id: string, why: RegExp) => {
      const answer = await move(desk, id, 10, 12, { date: '2027-06-20' });
      refused(answer, 422, 'BOOKING_CANCELLATION_BLOCKED');
      assert.match(answer.body.error.message, why);
    };
    await blocked(cancelled.id, /already cancelled/);
    await blocked(moved.id, /already moved/);
    world.clock.set('2027-06-01T01:00:00Z');
    await blocked(ahead.id, /24 hours of notice/);
    world.clock.set('2027-06-02T00:30:00Z');
    await blocked(ahead.id, /already begun/);
    world.clock.set('2027-06-02T12:30:00Z');
    await bookings.completeDue(world.ctx);
    await blocked(ahead.id, /already completed/);
    const sandbox = await openDesk(world, {}, { environment: 'sandbox' });
    const kept = await book(sandbox, { guest_email: 'keep@sandbox.test', date: '2027-07-01' });
    refused(
      await move(sandbox, kept.id, 14, 16, { date: '2027-07-01' }),
      422,
      'BOOKING_CANCELLATION_BLOCKED',
    );
  });

  test('leaves everything as it was when any rule refuses', async () => {
    const desk = await openDesk(
      world,
      { max_booking_value: 1000 },
      { operating_hours: { start_hour: 8, end_hour: 22 } },
    );
    const old = await book(desk);
    const rival = await book(desk, { start_hour: 14, end_hour: 16 });
    const before = [await desk.events(), await held(desk), await desk.read(old.id)];
    const cases: [fields: Record<string, unknown>, status: number, code: string][] = [
      [{ start_hour: 15, end_hour: 17 }, 409, 'BOOKING_CONFLICT'],
      [{ start_hour: 11, end_hour: 15 }, 409, 'BOOKING_CONFLICT'],
      [{ start_hour: 5, end_hour: 7 }, 422, 'VALIDATION_ERROR'],
      [{ date: '2027-02-01' }, 422, 'VALIDATION_ERROR'],
      [{ settlement_mode: 'barter' }, 422, 'BOOKING_INVALID_SETTLEMENT_MODE'],
    ];
    for (const [fields, status, code] of cases) {
      const answer = await desk.book({ replaces: old.id, start_hour: 10, end_hour: 12, ...fields });
      refused(answer, status, code);
    }
    assert.deepEqual([await desk.events(), await held(desk), await desk.read(old.id)], before);
    const conflict = await move(desk, old.id, 11, 15);
    assert.deepEqual(conflict.body.error.details.hours, [14]);
    assert.ok(rival);
  });

  test('counts the old booking’s hours as free, unless an external calendar holds them', async () => {
    const desk = await openDesk(world);
    const old = await book(desk);
    const calendarId = newId();
    const space = [desk.hostId, desk.spaceId, calendarId];
    await world.write(
      `insert into calendars (host_id, environment, space_id, id, url, next_poll_at, created_at)
       values ($1, 'production', $2, $3, 'https://example.com/c.ics', 9999999999999, 0)`,
      space,
    );
    await world.write(
      `insert into external_hours (host_id, space_id, calendar_id, date, hour) values ($1, $2, $3, '${DAY}', 11)`,
      space,
    );
    const onto = await move(desk, old.id, 10, 12);
    refused(onto, 409, 'BOOKING_CONFLICT');
    assert.deepEqual(onto.body.error.details.hours, [11]);
    assert.equal((await move(desk, old.id, 10, 11)).status, 200);
  });

  test('is neither held to velocity nor counted by it', async () => {
    const desk = await openDesk(world);
    const guest_email = 'often@example.com';
    let last = (await book(desk, { guest_email, start_hour: 0, end_hour: 1 })).id;
    for (let hour = 1; hour < 10; hour++)
      await book(desk, { guest_email, start_hour: hour, end_hour: hour + 1 });
    refused(await desk.book({ guest_email, start_hour: 10, end_hour: 11 }), 429, 'GUEST_BOOKING_VELOCITY');
    for (const hour of [11, 12, 13])
      last = (await move(desk, last, hour, hour + 1, { guest_email })).body.data.booking.id;
    world.clock.advance({ minutes: 61 });
    for (let hour = 14; hour < 24; hour++)
      await book(desk, { guest_email, start_hour: hour, end_hour: hour + 1 });
  });

  test('is replayed by its key, also when the same request comes twice at once', async () => {
    const desk = await openDesk(world);
    const old = await book(desk);
    const fields = { guest_email: 'once@example.com', idempotency_key: 'move-1' };
    const answers = await Promise.all(Array.from({ length: 6 }, () => move(desk, old.id, 14, 16, fields)));
    const ids = new Set(answers.map((answer) => answer.body.data.booking.id));
    assert.deepEqual(
      answers.map(({ status }) => status),
      Array(6).fill(200),
    );
    assert.equal(ids.size, 1);
    assert.equal(answers.filter((answer) => answer.headers.get('idempotent-replayed') === 'true').length, 5);
    refused(await move(desk, null, 14, 16, fields), 422, 'VALIDATION_ERROR', 'idempotency_key');
  });

  test('of one booking to many places at once is one move; the others are told that it is moved', async () => {
    const desk = await openDesk(world);
    const old = await book(desk);
    const answers = await Promise.all(
      [0, 2, 4, 6, 14, 16].map((hour) =>
        move(desk, old.id, hour, hour + 2, { idempotency_key: `to-${hour}` }),
      ),
    );
    const statuses = answers.map(({ status }) => status).sort((a, b) => a - b);
    assert.deepEqual(statuses, [200, 422, 422, 422, 422, 422]);
    for (const answer of answers)
      if (answer.status !== 200) refused(answer, 422, 'BOOKING_CANCELLATION_BLOCKED');
    assert.equal((await held(desk)).length, 2);
  });

  test('beside a cancellation and a completion of the same booking: exactly one wins', async (t) => {
    world.clock.restoreAfter(t);
    const desk = await openDesk(world);
    for (let round = 0; round < 10; round++) {
      const old = await book(desk, { date: '2027-06-15' });
      const [cancelled, moved] = await Promise.all([
        desk.cancel(old.id),
        move(desk, old.id, 14, 16, { date: '2027-06-15' }),
      ]);
      assert.deepEqual(
        [cancelled.status, moved.status].sort((a, b) => a - b),
        [200, 422],
      );
      if (moved.status === 200) await desk.cancel(moved.body.data.booking.id);
      assert.deepEqual(await held(desk), []);
    }
  });

  test('of two bookings onto each other’s hours at once is refused, and never an error', async () => {
    const desk = await openDesk(world);
    const [a, b] = [await book(desk), await book(desk, { start_hour: 14, end_hour: 16 })];
    for (let round = 0; round < 10; round++) {
      const answers = await Promise.all([move(desk, a.id, 14, 16), move(desk, b.id, 10, 12)]);
      assert.deepEqual(
        answers.map(({ status }) => status),
        [409, 409],
      );
    }
    assert.equal((await held(desk)).length, 4);
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
    const waiting = `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
    await until(async () => (await world.rows(waiting)).length === 1);
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

  test('takes hours from the earliest on, also when those are the new ones: it has locked no later ones', async () => {
    const desk = await openDesk(world);
    const { id } = await desk.made();
    const early = '2027-05-30';
    const hold = `insert into hours (host_id, space_id, date, hour, booking_id)
      values ($1, $2, '${early}', 14, gen_random_uuid())`;
    let free = 0;
    const answer = await moveBeside(
      { desk, id, date: early },
      [hold, desk.hostId, desk.spaceId],
      async (other) => {
        const later = `select hour from hours where booking_id = $1 for update skip locked`;
        free = (await other.query(later, [id])).rows.length;
        await other.query('rollback');
      },
    );
    assert.equal(answer.status, 200, answer.text);
    assert.equal(free, 2);
  });
});
