import assert from 'node:assert/strict';
import { test } from 'node:test';
import { refused } from '../../test/support/answer.ts';
import { openDesk } from '../../test/support/booking.ts';
import { onBothEngines } from '../../test/support/engines.ts';
import { useWorld } from '../../test/support/world.ts';

onBothEngines('POST cancel', (engine) => {
  const world = useWorld(engine);

  test('happens once when twenty race; the others are BOOKING_CANCELLATION_BLOCKED', async () => {
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
