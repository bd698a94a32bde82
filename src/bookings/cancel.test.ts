import assert from 'node:assert/strict';
import { test } from 'node:test';
import { refused } from '../../test/support/answer.ts';
import { openDesk } from '../../test/support/booking.ts';
import { onBothEngines } from '../../test/support/engines.ts';
import { useWorld } from '../../test/support/world.ts';

onBothEngines('POST cancel', (engine) => {
  const world = useWorld(engine);

  test('cancels, keeps the reason, frees the hours and tells of both', async (t) => {
    world.clock.restoreAfter(t);
    const desk = await openDesk(world);
    const made = await desk.made();
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

  test('happens once: the second is BOOKING_CANCELLATION_BLOCKED, also when twenty race', async () => {
    const desk = await openDesk(world);
    const { id } = await desk.made();
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

  test('needs a reason of 1 to 500 characters', async () => {
    const desk = await openDesk(world);
    const { id } = await desk.made();
    for (const reason of ['', 'x'.repeat(501), 5, null]) {
      const { details } = refused(await desk.cancel(id, reason), 422, 'VALIDATION_ERROR');
      assert.equal(details[0].field, 'reason');
    }
    const reason = 'x'.repeat(500);
    assert.equal((await desk.cancel(id, reason)).body.data.booking.cancellation_reason, reason);
  });

  // The booking begins at 14:00 UTC of 2027-06-01.
  for (const [notice, last, first, why] of [
    [0, '2027-06-01T13:59:59.999Z', '2027-06-01T14:00:00Z', /already begun/],
    [24, '2027-05-31T14:00:00Z', '2027-05-31T14:00:00.001Z', /24 hours of notice/],
    [999_999, '1913-05-03T23:00:00Z', '2027-03-01T12:00:00Z', /999999 hours of notice/],
  ] as const)
    test(`with a notice of ${notice} hours is allowed until ${last}, and blocked from ${first}`, async (t) => {
      world.clock.restoreAfter(t);
      const desk = await openDesk(world, {}, { cancellation_notice_hours: notice });
      const { id } = await desk.made();
      world.clock.set(first);
      assert.match(refused(await desk.cancel(id), 422, 'BOOKING_CANCELLATION_BLOCKED').message, why);
      world.clock.set(last);
      assert.equal((await desk.cancel(id)).status, 200);
    });
});
