import assert from 'node:assert/strict';
import { test } from 'node:test';
import { refused } from '../../test/support/answer.ts';
import { openDesk } from '../../test/support/booking.ts';
import { onBothEngines } from '../../test/support/engines.ts';
import { useWorld } from '../../test/support/world.ts';
import * as bookings from './bookings.ts';

onBothEngines('POST cancel', (engine) => {
  const world = useWorld(engine);

  test('cancels, keeps the reason, frees the hours and tells of both', async (t) => {
    world.clock.restoreAfter(t);
    const desk = await openDesk(world);
    const made = (await desk.book()).body.data.booking;
    world.clock.advance({ minutes: 5 });
    const answer = await desk.cancel(made.id, 'Guest fell ill');
    const now = new Date(world.clock.now()).toISOString();
    assert.equal(answer.status, 200);
    const booking = {
      ...made,
      status: 'cancelled',
      cancellation_reason: 'Guest fell ill',
      cancelled_at: now,
      updated_at: now,
    };
    assert.deepEqual(answer.body, { success: true, data: { booking } });
    assert.deepEqual(await desk.heldHours(), []);
    const told = (await desk.events()).slice(2);
    assert.deepEqual(told, [
      { type: 'booking.cancelled', data: { booking } },
      {
        type: 'availability.changed',
        data: { space_id: desk.spaceId, date: '2027-06-01', hours: [10, 11], cause: 'booking_cancelled' },
      },
    ]);
  });

  test('needs a reason of 1 to 500 characters', async () => {
    const desk = await openDesk(world);
    const { id } = (await desk.book()).body.data.booking;
    for (const reason of ['', 'x'.repeat(501), 5, null]) {
      const { details } = refused(await desk.cancel(id, reason), 422, 'VALIDATION_ERROR');
      assert.equal(details[0].field, 'reason');
    }
  });

  test('needs a body', async () => {
    const desk = await openDesk(world);
    const { id } = (await desk.book()).body.data.booking;
    const path = `/api-cancel-booking/api/v1/bookings/${id}/cancel`;
    refused(await world.call('POST', path, { key: desk.key }), 422, 'VALIDATION_ERROR');
  });

  test('takes a reason of 500 characters', async () => {
    const desk = await openDesk(world);
    const { id } = (await desk.book()).body.data.booking;
    const reason = 'x'.repeat(500);
    assert.equal((await desk.cancel(id, reason)).body.data.booking.cancellation_reason, reason);
  });

  test('happens once: the second is BOOKING_CANCELLATION_BLOCKED, also when twenty race', async () => {
    const desk = await openDesk(world);
    const { id } = (await desk.book()).body.data.booking;
    const answers = await Promise.all(Array.from({ length: 20 }, () => desk.cancel(id)));
    assert.equal(answers.filter((answer) => answer.status === 200).length, 1);
    const blocked = answers.filter((answer) => answer.status === 422);
    assert.equal(blocked.length, 19);
    for (const answer of blocked) {
      const { message } = refused(answer, 422, 'BOOKING_CANCELLATION_BLOCKED');
      assert.match(message, /it is already cancelled$/);
    }
    assert.equal((await desk.events()).length, 4);
  });

  test('is blocked from the moment the booking begins', async (t) => {
    world.clock.restoreAfter(t);
    const desk = await openDesk(world);
    const { id } = (await desk.book({ start_hour: 10, end_hour: 12 })).body.data.booking;
    world.clock.set('2027-06-01T14:00:00Z');
    const { message } = refused(await desk.cancel(id), 422, 'BOOKING_CANCELLATION_BLOCKED');
    assert.match(message, /already begun/);
  });

  test('is allowed until the booking begins', async (t) => {
    world.clock.restoreAfter(t);
    const desk = await openDesk(world);
    const { id } = (await desk.book({ start_hour: 10, end_hour: 12 })).body.data.booking;
    world.clock.set('2027-06-01T13:59:59.999Z');
    assert.equal((await desk.cancel(id)).status, 200);
  });

  test('is blocked inside the space’s notice window', async (t) => {
    world.clock.restoreAfter(t);
    const desk = await openDesk(world, {}, { cancellation_notice_hours: 24 });
    const { id } = (await desk.book()).body.data.booking;
    world.clock.set('2027-05-31T14:00:00.001Z');
    const { message } = refused(await desk.cancel(id), 422, 'BOOKING_CANCELLATION_BLOCKED');
    assert.match(message, /24 hours of notice/);
  });

  test('is allowed at the edge of the notice window', async (t) => {
    world.clock.restoreAfter(t);
    const desk = await openDesk(world, {}, { cancellation_notice_hours: 24 });
    const { id } = (await desk.book()).body.data.booking;
    world.clock.set('2027-05-31T14:00:00Z');
    assert.equal((await desk.cancel(id)).status, 200);
  });

  test('can need as much notice as the longest window has', async () => {
    const desk = await openDesk(world, {}, { cancellation_notice_hours: 999_999 });
    const { id } = (await desk.book()).body.data.booking;
    const { message } = refused(await desk.cancel(id), 422, 'BOOKING_CANCELLATION_BLOCKED');
    assert.match(message, /999999 hours of notice/);
  });

  test('of a completed booking is blocked', async (t) => {
    world.clock.restoreAfter(t);
    const desk = await openDesk(world);
    const { id } = (await desk.book()).body.data.booking;
    world.clock.set('2027-06-01T16:00:00Z');
    await bookings.completeDue(world.ctx);
    const { message } = refused(await desk.cancel(id), 422, 'BOOKING_CANCELLATION_BLOCKED');
    assert.match(message, /it is already completed$/);
  });

  test('of another host’s booking, or none, is 404', async () => {
    const desk = await openDesk(world);
    const other = await openDesk(world);
    const { id } = (await other.book()).body.data.booking;
    for (const unknown of [id, '0199a3c4-7d10-7c3e-9f6b-2f7d1c5a9b01', 'nonsense']) {
      refused(await desk.cancel(unknown), 404, 'NOT_FOUND');
    }
    assert.equal((await other.heldHours()).length, 2);
  });

  test('frees hours for exactly one of many who race for them', async () => {
    const desk = await openDesk(world);
    const { id } = (await desk.book()).body.data.booking;
    const [cancelled, ...answers] = await Promise.all([
      desk.cancel(id),
      ...Array.from({ length: 30 }, () => desk.book()),
    ]);
    assert.equal(cancelled?.status, 200);
    const again = await Promise.all(Array.from({ length: 10 }, () => desk.book()));
    const won = [...answers, ...again].filter((answer) => answer.status === 200);
    assert.equal(won.length, 1);
    assert.deepEqual(
      (await desk.heldHours()).map((row) => row.booking_id),
      Array(2).fill(won[0]?.body.data.booking.id),
    );
  });
});
