import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { openDesk, type Desk } from '../../test/support/booking.ts';
import { onBothEngines } from '../../test/support/engines.ts';
import { useWorld, type Answer } from '../../test/support/world.ts';

onBothEngines('a refusal says what is wrong', (engine) => {
  const world = useWorld(engine);
  let desk: Desk;
  before(async () => {
    // Noon in UTC, 7:00 in New York.
    world.clock.set('2027-03-01T12:00:00Z');
    desk = await openDesk(world, {}, { operating_hours: { start_hour: 6, end_hour: 22 } });
  });
  const details = (answer: Answer): unknown => {
    assert.equal(answer.status, 422, JSON.stringify(answer.body));
    assert.equal(answer.body.error.code, 'VALIDATION_ERROR');
    const [first] = answer.body.error.details;
    assert.equal(answer.body.error.message, `${first.field} ${first.message}`);
    return answer.body.error.details;
  };

  test('today is that of the space, not of UTC', async () => {
    world.clock.set('2027-03-02T03:00:00Z');
    const answer = await desk.book({ date: '2027-03-01', start_hour: 10, end_hour: 11 });
    assert.deepEqual(details(answer), [{ field: 'start_hour', message: 'must not have begun yet' }]);
    world.clock.set('2027-03-01T12:00:00Z');
  });

  test('cancelling without a body, or with an empty one, needs a reason', async () => {
    const { id } = await desk.made();
    const path = `/api-cancel-booking/api/v1/bookings/${id}/cancel`;
    for (const body of [undefined, '', ' ', '{}']) {
      const answer = await world.call('POST', path, { key: desk.key, body });
      assert.deepEqual(details(answer), [{ field: 'reason', message: 'is required' }]);
    }
    assert.equal((await desk.cancel(id)).status, 200);
    const again = await desk.cancel(id);
    assert.equal(again.body.error.code, 'BOOKING_CANCELLATION_BLOCKED');
    assert.equal(again.body.error.message, 'The booking cannot be cancelled: it is already cancelled');
  });

  test('an idempotency key is printable ASCII, in the body as in the header', async () => {
    const message = 'must be printable ASCII: letters, digits, punctuation and spaces';
    for (const key of ['клюᬁ', 'a\nb', 'tab\t', 'é', '\u007f']) {
      const answer = await desk.book({ idempotency_key: key });
      assert.deepEqual(details(answer), [{ field: 'idempotency_key', message }]);
    }
    const answer = await desk.book({}, { 'idempotency-key': 'caf\u00e9' });
    assert.deepEqual(details(answer), [{ field: 'idempotency-key', message }]);
  });

  test('an offset is too large, not no number, however many digits it has', async () => {
    for (const offset of ['1000000000000000', '9'.repeat(16), '9'.repeat(400)]) {
      const answer = await world.call('GET', `/api-bookings/api/v1/bookings?offset=${offset}`, {
        key: desk.key,
      });
      assert.deepEqual(details(answer), [{ field: 'offset', message: 'must be 999999999999999 or less' }]);
    }
  });
});
