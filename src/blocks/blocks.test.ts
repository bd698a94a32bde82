import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { refused } from '../../test/support/answer.ts';
import { openDesk, type Desk } from '../../test/support/booking.ts';
import { markBusy } from '../../test/support/foreign-calendar.ts';
import { onBothEngines } from '../../test/support/engines.ts';
import { useWorld } from '../../test/support/world.ts';

const DATE = '2027-03-18';

onBothEngines('Blocks', (engine) => {
  const world = useWorld(engine);
  let desk: Desk;
  let hostId: string;
  let key: string;
  let spaceId: string;

  beforeEach(async () => {
    desk = await openDesk(world);
    ({ hostId, key, spaceId } = desk);
  });

  const path = (id = spaceId) => `/api-blocks/api/v1/spaces/${id}/blocks`;
  const block = (body: object, id = spaceId) => world.call('POST', path(id), { key, body });
  const unblock = (body: object, id = spaceId) => world.call('DELETE', path(id), { key, body });
  const range = (start_hour: number, end_hour: number) => ({ date: DATE, start_hour, end_hour });
  const book = (start_hour: number, end_hour: number) => desk.book(range(start_hour, end_hour));
  const reasons = () => desk.reasons(DATE);

  async function importBusy(hour: number): Promise<void> {
    await world.ctx.db.transaction((tx) => markBusy(tx, { hostId, spaceId, date: DATE, hour }));
  }

  test('a block takes every hour of its range and says which', async () => {
    const answer = await block({ ...range(9, 12), reason: 'Cleaning' });
    assert.equal(answer.status, 200);
    assert.deepEqual(answer.body, {
      success: true,
      data: {
        space_id: spaceId,
        date: DATE,
        start_hour: 9,
        end_hour: 12,
        reason: 'Cleaning',
        blocked_hours: [9, 10, 11],
      },
    });
    assert.deepEqual(await reasons(), { 9: 'host_block', 10: 'host_block', 11: 'host_block' });
  });

  test('a block is announced once, with its hours', async () => {
    await block(range(22, 24));
    assert.deepEqual(await desk.events(), [
      {
        type: 'availability.changed',
        data: { space_id: spaceId, date: DATE, hours: [22, 23], cause: 'block_created' },
      },
    ]);
  });

  test('a block without a reason has none', async () => {
    assert.equal((await block(range(0, 1))).body.data.reason, null);
  });

  test('a block over booked, imported and blocked hours names them all and takes nothing', async () => {
    await book(10, 12);
    await importBusy(14);
    await block(range(15, 16));
    const before = await desk.events();
    const answer = await block(range(9, 18));
    const { details } = refused(answer, 409, 'BLOCK_SLOT_OCCUPIED');
    assert.deepEqual(details, { hours: [10, 11, 14, 15] });
    assert.deepEqual(await reasons(), {
      10: 'booked',
      11: 'booked',
      14: 'external_block',
      15: 'host_block',
    });
    assert.deepEqual(await desk.events(), before);
  });

  test('a refused block leaves no row behind', async () => {
    await book(10, 12);
    await block(range(11, 13));
    assert.deepEqual(await world.rows('select id from blocks where space_id = $1', [spaceId]), []);
  });

  test('a booking over a block is a conflict', async () => {
    await block(range(9, 12));
    const { details } = refused(await book(11, 13), 409, 'BOOKING_CONFLICT');
    assert.deepEqual(details, { hours: [11] });
  });

  test('past, closed and inactive hours can be blocked', async () => {
    const inactive = await world.addSpace(hostId, {
      is_active: false,
      operating_hours: { start_hour: 9, end_hour: 17 },
    });
    const answer = await block({ date: '2020-02-29', start_hour: 0, end_hour: 24 }, inactive);
    assert.equal(answer.status, 200);
    assert.equal(answer.body.data.blocked_hours.length, 24);
  });

  test('an hour that daylight saving skips can be blocked and freed', async () => {
    const skipped = { date: '2027-03-14', start_hour: 2, end_hour: 3 };
    assert.deepEqual((await block(skipped)).body.data.blocked_hours, [2]);
    assert.deepEqual((await unblock(skipped)).body.data.unblocked_hours, [2]);
  });

  test('unblocking frees the blocked hours of the range and leaves the others', async () => {
    await block(range(9, 12));
    await book(12, 13);
    await importBusy(13);
    const answer = await unblock(range(11, 15));
    assert.equal(answer.status, 200);
    assert.deepEqual(answer.body, {
      success: true,
      data: { space_id: spaceId, date: DATE, unblocked_hours: [11] },
    });
    assert.deepEqual(await reasons(), {
      9: 'host_block',
      10: 'host_block',
      12: 'booked',
      13: 'external_block',
    });
  });

  test('unblocking across several blocks frees the hours of all of them', async () => {
    await block({ ...range(8, 10), reason: 'Cleaning' });
    await block({ ...range(11, 13), reason: 'Repairs' });
    assert.deepEqual((await unblock(range(0, 24))).body.data.unblocked_hours, [8, 9, 11, 12]);
    assert.deepEqual(await reasons(), {});
  });

  test('unblocking leaves the host’s other spaces alone', async () => {
    const other = await world.addSpace(hostId);
    await block(range(9, 12));
    await block(range(9, 12), other);
    await unblock(range(9, 12), other);
    assert.deepEqual(await reasons(), { 9: 'host_block', 10: 'host_block', 11: 'host_block' });
  });

  test('unblocking announces only the hours it freed', async () => {
    await block(range(9, 10));
    await block(range(12, 13));
    await unblock(range(0, 24));
    assert.deepEqual((await desk.events()).at(-1), {
      type: 'availability.changed',
      data: { space_id: spaceId, date: DATE, hours: [9, 12], cause: 'block_deleted' },
    });
  });

  test('unblocking where nothing is blocked answers an empty list and announces nothing', async () => {
    await importBusy(10);
    const answer = await unblock(range(0, 24));
    assert.equal(answer.status, 200);
    assert.deepEqual(answer.body.data, { space_id: spaceId, date: DATE, unblocked_hours: [] });
    assert.deepEqual(await desk.events(), []);
  });

  test('a block’s row goes with its last hour, and no sooner', async () => {
    const reasonsKept = async () =>
      (
        await world.rows<{ reason: string }>('select reason from blocks where space_id = $1 order by id', [
          spaceId,
        ])
      ).map(({ reason }) => reason);
    await block({ ...range(9, 12), reason: 'Cleaning' });
    await block({ ...range(12, 14), reason: 'Repairs' });
    await unblock(range(11, 13));
    assert.deepEqual(await reasonsKept(), ['Cleaning', 'Repairs']);
    await unblock(range(13, 14));
    assert.deepEqual(await reasonsKept(), ['Cleaning']);
    await unblock(range(0, 24));
    assert.deepEqual(await reasonsKept(), []);
  });

  test('freed hours can be booked at once', async () => {
    await block(range(9, 12));
    await unblock(range(9, 12));
    assert.equal((await book(9, 12)).status, 200);
  });

  for (const date of ['0001-01-01', '9999-12-31']) {
    test(`an hour of ${date}, at an end of the calendar, can be blocked and freed`, async () => {
      const hour = { date, start_hour: 0, end_hour: 1 };
      assert.equal((await block(hour)).status, 200);
      const answer = await unblock(hour);
      assert.equal(answer.status, 200);
      assert.deepEqual(answer.body.data, { space_id: spaceId, date, unblocked_hours: [0] });
    });
  }

  for (const method of ['POST', 'DELETE']) {
    const call = (body: unknown, id = spaceId) => world.call(method, path(id), { key, body });

    test(`${method} takes the path’s space_id in the body, in any case`, async () => {
      assert.equal((await call({ space_id: spaceId.toUpperCase(), ...range(1, 2) })).status, 200);
    });

    test(`${method} with another space_id in the body is bad input`, async () => {
      const other = await world.addSpace(hostId);
      const answer = await call({ space_id: other, ...range(1, 2) });
      const { details } = refused(answer, 422, 'VALIDATION_ERROR');
      assert.deepEqual(details, [{ field: 'space_id', message: 'must be the one in the path' }]);
    });

    test(`${method} to a malformed space id is not found, also when the body repeats it`, async () => {
      refused(await call(range(1, 2), 'nowhere'), 404, 'NOT_FOUND');
      refused(await call({ space_id: 'nowhere', ...range(1, 2) }, 'nowhere'), 404, 'NOT_FOUND');
    });

    test(`${method} to an unknown, a foreign and another environment’s space is not found`, async () => {
      const foreign = await world.addSpace(await world.addHost());
      const sandbox = await world.addSpace(hostId, { environment: 'sandbox' });
      for (const id of ['0199a3c4-7d10-7c3e-9f6b-2f7d1c5a9b01', foreign, sandbox]) {
        const { message } = refused(await call(range(1, 2), id), 404, 'NOT_FOUND');
        assert.equal(message, 'Not found: no such space');
      }
    });

    test(`${method} with an empty body under a JSON content type is bad input`, async () => {
      const answer = await world.call(method, path(), {
        key,
        headers: { 'content-type': 'application/json' },
      });
      const { details } = refused(answer, 422, 'VALIDATION_ERROR');
      assert.deepEqual(
        details,
        ['date', 'start_hour', 'end_hour'].map((field) => ({ field, message: 'is required' })),
      );
    });

    test(`${method} without a body is bad input`, async () => {
      refused(await world.call(method, path(), { key }), 422, 'VALIDATION_ERROR');
    });

    const bad: [string, unknown, string][] = [
      ['a text for an hour', { ...range(1, 2), start_hour: '1' }, 'start_hour'],
      ['half an hour', { ...range(1, 2), end_hour: 2.5 }, 'end_hour'],
      ['an hour past midnight', range(23, 25), 'end_hour'],
      ['hour 24 as a start', range(24, 24), 'start_hour'],
      ['an empty range', range(5, 5), 'end_hour'],
      ['a backward range', range(6, 5), 'end_hour'],
      ['an impossible date', { ...range(1, 2), date: '2027-02-29' }, 'date'],
      ['a year that is none', { ...range(1, 2), date: '0000-05-01' }, 'date'],
      ['no date', { start_hour: 1, end_hour: 2 }, 'date'],
      ['a field it does not know', { ...range(1, 2), color: 'red' }, 'color'],
      ['an array', [range(1, 2)], 'body'],
      ['no JSON', '{"date":', 'body'],
    ];
    for (const [what, body, field] of bad) {
      test(`${method} with ${what} is bad input`, async () => {
        const { details } = refused(await call(body), 422, 'VALIDATION_ERROR');
        assert.equal(details[0].field, field);
      });
    }

    test(`${method} needs the scope blocks:write`, async () => {
      const reader = await world.addKey(hostId, { scopes: ['spaces:read', 'bookings:write'] });
      const answer = await world.call(method, path(), { key: reader.key, body: range(1, 2) });
      const { details } = refused(answer, 403, 'INSUFFICIENT_SCOPE');
      assert.deepEqual(details, { required_scope: 'blocks:write' });
    });
  }

  test('a reason may have 200 characters', async () => {
    const reason = '☃'.repeat(200);
    assert.equal((await block({ ...range(1, 2), reason })).body.data.reason, reason);
  });

  test('a reason of 201 characters is bad input', async () => {
    const answer = await block({ ...range(2, 3), reason: 'x'.repeat(201) });
    assert.equal(refused(answer, 422, 'VALIDATION_ERROR').details[0].field, 'reason');
  });
});
