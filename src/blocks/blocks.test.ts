import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { refused } from '../../test/support/answer.ts';
import { openDesk, type Desk } from '../../test/support/booking.ts';
import { markBusy } from '../../test/support/external-calendar.ts';
import { onBothEngines } from '../../test/support/engines.ts';
import { belongings } from '../../test/support/tables.ts';
import { useWorld } from '../../test/support/world.ts';

const DATE = '2027-03-18';
const range = (start_hour: number, end_hour: number) => ({ date: DATE, start_hour, end_hour });
const days = (date: string, end_date: string, start_hour = 9, end_hour = 11) => ({
  date,
  end_date,
  start_hour,
  end_hour,
});

onBothEngines('Blocks', (engine) => {
  const world = useWorld(engine);
  let desk: Desk;
  let key: string;
  let spaceId: string;

  beforeEach(async () => {
    desk = await openDesk(world);
    ({ key, spaceId } = desk);
  });

  const path = (id = spaceId) => `/api-blocks/api/v1/spaces/${id}/blocks`;
  const block = (body: object) => world.call('POST', path(), { key, body });
  const unblock = (body: object) => world.call('DELETE', path(), { key, body });
  const importBusy = (hour: number, date = DATE) =>
    world.ctx.db.transaction((tx) => markBusy(tx, { hostId: desk.hostId, spaceId, date, hour }));
  const heldRows = () => world.rows('select hour from hours where space_id = $1', [spaceId]);
  const blockRows = () => world.rows('select id from blocks where space_id = $1', [spaceId]);

  test('a block takes every hour of its range and says which', async () => {
    const answer = await block({ ...range(9, 12), reason: '☃'.repeat(200) });
    assert.equal(answer.status, 200);
    assert.deepEqual(answer.body, {
      success: true,
      data: {
        space_id: spaceId,
        date: DATE,
        start_hour: 9,
        end_hour: 12,
        reason: '☃'.repeat(200),
        blocked_hours: [9, 10, 11],
      },
    });
    assert.deepEqual(await desk.reasons(DATE), { 9: 'host_block', 10: 'host_block', 11: 'host_block' });
  });

  test('unblocking frees the blocked hours of the range and leaves the others', async () => {
    await block(range(9, 12));
    await desk.book(range(12, 13));
    await importBusy(13);
    const answer = await unblock(range(11, 15));
    assert.equal(answer.status, 200);
    assert.deepEqual(answer.body, {
      success: true,
      data: { space_id: spaceId, date: DATE, unblocked_hours: [11] },
    });
    assert.deepEqual(await desk.reasons(DATE), {
      9: 'host_block',
      10: 'host_block',
      12: 'booked',
      13: 'external_block',
    });
  });

  test('a block’s row goes with its last hour, and no sooner', async () => {
    const reasonsKept = async () => {
      const text = 'select reason from blocks where space_id = $1 order by id';
      return (await world.rows<{ reason: string }>(text, [spaceId])).map(({ reason }) => reason);
    };
    await block({ ...range(9, 12), reason: 'Cleaning' });
    await block({ ...range(12, 14), reason: 'Repairs' });
    await unblock(range(11, 13));
    assert.deepEqual(await reasonsKept(), ['Cleaning', 'Repairs']);
    await unblock(range(13, 14));
    assert.deepEqual(await reasonsKept(), ['Cleaning']);
    await unblock(range(0, 24));
    assert.deepEqual(await reasonsKept(), []);
  });

  test('one hour that is held refuses all days, and all that are held are named', async () => {
    await desk.book(range(10, 12));
    await importBusy(9, '2027-03-19');
    await block({ date: '2027-03-20', start_hour: 8, end_hour: 12 });
    const before = await belongings(world, desk.hostId, 'production');
    const answer = await block(days(DATE, '2027-03-21'));
    const { details, message } = refused(answer, 409, 'BLOCK_SLOT_OCCUPIED');
    assert.deepEqual(details, {
      days: [
        { date: '2027-03-18', hours: [10] },
        { date: '2027-03-19', hours: [9] },
        { date: '2027-03-20', hours: [9, 10] },
      ],
    });
    assert.equal(message, 'Already taken: 10:00 on 2027-03-18, and hours of 2 more days');
    assert.equal(await belongings(world, desk.hostId, 'production'), before);
  });

  test('whole days have 24 hours each, where clocks change and at both ends of the calendar', async () => {
    for (const [first, last] of [
      ['2027-03-13', '2027-03-15'],
      ['2027-11-06', '2027-11-08'],
      ['9999-12-29', '9999-12-31'],
      ['0001-01-01', '0001-01-03'],
    ] as const) {
      const three = days(first, last, 0, 24);
      const blocked = (await block(three)).body.data.days.map((day) => day.blocked_hours.length);
      const freed = (await unblock(three)).body.data.days.map((day) => day.unblocked_hours.length);
      assert.deepEqual([...blocked, ...freed], Array(6).fill(24), first);
    }
  });

  test('a year of one space and a day: every hour, an event a date, and all days are named when they are held', async () => {
    const year = days('2027-03-18', '2028-03-18', 0, 24);
    const answer = await block(year);
    assert.equal(answer.status, 200, answer.text);
    assert.equal(answer.body.data.days.length, 367);
    assert.equal((await heldRows()).length, 8808);
    const told = (await desk.events()).map(({ data }) => 'date' in data && data.date);
    assert.deepEqual(
      told,
      answer.body.data.days.map(({ date }) => date),
    );
    const { details } = refused(await block(year), 409, 'BLOCK_SLOT_OCCUPIED');
    assert.equal(details.days.length, 367);
    assert.equal((await block({ ...year, skip_occupied: true })).body.data.days.length, 367);
    const freed = await unblock(year);
    assert.equal(freed.body.data.days.flatMap(({ unblocked_hours }) => unblocked_hours).length, 8808);
    assert.deepEqual([...(await heldRows()), ...(await blockRows())], []);
    assert.equal((await desk.events()).length, 2 * 367);
  });

  for (const method of ['POST', 'DELETE']) {
    const call = (body: unknown, id = spaceId) => world.call(method, path(id), { key, body });

    test(`${method} takes the path’s space_id in the body, in any case, and no other`, async () => {
      assert.equal((await call({ space_id: spaceId.toUpperCase(), ...range(1, 2) })).status, 200);
      const other = await world.addSpace(desk.hostId);
      const { details } = refused(await call({ space_id: other, ...range(1, 2) }), 422, 'VALIDATION_ERROR');
      assert.deepEqual(details, [{ field: 'space_id', message: 'must be the one in the path' }]);
    });

    test(`${method} to a malformed space id is not found, also when the body repeats it`, async () => {
      refused(await call(range(1, 2), 'nowhere'), 404, 'NOT_FOUND');
      refused(await call({ space_id: 'nowhere', ...range(1, 2) }, 'nowhere'), 404, 'NOT_FOUND');
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
      ['an end_date before its date', days(DATE, '2027-03-17'), 'end_date'],
      ['an end_date 367 days later', days(DATE, '2028-03-19'), 'end_date'],
      ['an end_date that is null', { ...range(1, 2), end_date: null }, 'end_date'],
      ['an end_date that is none', days(DATE, '2027-02-29'), 'end_date'],
      ['weekdays without end_date', { ...range(1, 2), weekdays: ['monday'] }, 'weekdays'],
      ['no weekday', { ...days(DATE, '2027-03-31'), weekdays: [] }, 'weekdays'],
      ['a weekday twice', { ...days(DATE, '2027-03-31'), weekdays: ['monday', 'monday'] }, 'weekdays'],
      ['a weekday that is none', { ...days(DATE, '2027-03-31'), weekdays: ['Monday'] }, 'weekdays.0'],
      ['weekdays that are null', { ...days(DATE, '2027-03-31'), weekdays: null }, 'weekdays'],
      ['weekdays of no day', { ...days(DATE, '2027-03-20'), weekdays: ['wednesday'] }, 'weekdays'],
      ['hours of many days that end before they start', days(DATE, '2027-03-20', 6, 5), 'end_hour'],
      ['an array', [range(1, 2)], 'body'],
      ['no JSON', '{"date":', 'body'],
      ['no body', undefined, 'date'],
      ['an empty body', '', 'date'],
    ];
    const skip_occupied = true;
    if (method === 'DELETE')
      bad.push(['skip_occupied', { ...days(DATE, '2027-03-31'), skip_occupied }, 'skip_occupied']);
    else
      bad.push(
        ['skip_occupied without end_date', { ...range(1, 2), skip_occupied }, 'skip_occupied'],
        ['skip_occupied: false without end_date', { ...range(1, 2), skip_occupied: false }, 'skip_occupied'],
        ['a reason of 201 characters', { ...range(2, 3), reason: 'x'.repeat(201) }, 'reason'],
        ['skip_occupied: null', { ...days(DATE, '2027-03-31'), skip_occupied: null }, 'skip_occupied'],
      );
    test(`${method} names the first field that is wrong`, async () => {
      for (const [what, body, field] of bad) {
        const { details } = refused(await call(body), 422, 'VALIDATION_ERROR');
        assert.equal(details[0].field, field, what);
      }
    });
  }
});
